"""Repositories as detection sees them: a few files, and one workflow with one job."""

from __future__ import annotations

from jobs.suite.detect import detect
from jobs.suite.suite import Toolchain

PYTEST = "import pytest\n\n\ndef test_a():\n    pass\n"
BUILD = '[build-system]\nrequires = ["hatchling"]\n[project]\nname = "pkg"\nversion = "1"\ndependencies = ["attrs"]\n'
ON = "on: [push, pull_request]\n"


def job(*steps: str, top: str = "", more: str = "", system: str = "ubuntu-latest", name: str = "test") -> str:
    """A workflow with one job."""
    lines = "".join(f"      - {step}\n" for step in steps)
    return (
        f"{ON}{top}jobs:\n  {name}:\n    runs-on: {system}\n{more}    steps:\n      - uses: actions/checkout@v4\n"
        f"{lines}"
    )


def found(files: dict[str, str], workflow: str, **more: str) -> Toolchain:
    whole = {**files, ".github/workflows/ci.yml": workflow, **more}
    return detect(tuple(sorted(whole)), lambda path: whole[path].encode() if path in whole else None, None, None)


PY = {"pyproject.toml": BUILD, "tests/test_a.py": PYTEST}
