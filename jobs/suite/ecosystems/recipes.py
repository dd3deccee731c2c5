"""Detects general recipes for tests: Make, Just, Task, and test scripts. Pure but for reading."""

from __future__ import annotations

import re

from jobs.suite.found import Found
from jobs.suite.source import Source
from jobs.suite.suite import Suite

_NAMES = ("test", "check", "tests", "unittest")
_MAKE = ("GNUmakefile", "Makefile", "makefile")
_JUST = ("justfile", "Justfile", ".justfile")
_TASK = ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml")
_SCRIPTS = (
    *("test.sh", "run_tests.sh", "run-tests.sh", "runtests.sh", "script/test", "scripts/test.sh", "bin/test"),
    *("scripts/test", "tests/run.sh", "test/run.sh"),
)


def find(source: Source) -> Found | None:
    """A recipe that runs tests, None if there is none."""
    kinds = (
        ("make", _MAKE, r"^{name}\s*:(?!=)"),
        ("just", _JUST, r"^@?{name}\b[^:=\n]*:(?!=)"),
        ("task", _TASK, r"^  {name}:"),
    )
    for tool, files, pattern in kinds:
        path = source.first(*files)
        for name in _NAMES if path else ():
            if path and re.search(pattern.format(name=name), source.text(path), re.MULTILINE):
                return _found(f"{tool} {name}", path, f"{path} has that recipe")
    script = source.first(*_SCRIPTS)
    if script:
        return _found(f"bash {script}", script, f"there is {script}")
    if source.matching(r"t/.*\.t"):
        return _found("prove -lr t", "t/", "there are Perl tests in t/")
    if source.matching(r"(.*/)?[^/]+\.bats"):
        folder = source.matching(r"(.*/)?[^/]+\.bats")[0].rpartition("/")[0] or "."
        return _found(f"bats {folder}", folder, "there are bats files")
    return None


def _found(command: str, where: str, reason: str) -> Found:
    why = ("Set-up: none.", f"Test command: `{command}`, since {reason}.")
    return Found("other", (), Suite(command, "other", where), why, 0, weak=True)
