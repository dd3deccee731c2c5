"""Runs a project's suite the way a person would, in a plain environment, and counts from what the runner prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from real_archives import machine_environment, uv
from real_projects import STATES, RealProject, checkout

_INSTALL_S, _SUITE_S = 300, 120
_PYTEST_WORDS = {
    "passed": "passed",
    "xpassed": "passed",
    "failed": "failed",
    "error": "errors",
    "errors": "errors",
    "skipped": "skipped",
    "xfailed": "skipped",
}


class Hand:
    """A project installed once by its package manager, its suite run on any place of the matrix."""

    def __init__(self, project: RealProject, folder: Path) -> None:
        self._project, self._folder = project, folder
        self._tree = checkout(project, folder / "tree", new_tests=False, new_code=False)
        self._venv = folder / "venv"
        if project.ecosystem == "python":
            self._call(uv(), "venv", "--quiet", "--python", sys.executable, str(self._venv), cwd=folder)
            python = str(self._venv / "bin" / "python")
            self._call(uv(), "pip", "install", "--quiet", "--python", python, *project.expected.install)
        else:
            self._call("npm", "install", "--no-audit", "--no-fund")

    def counts(self, cell: str) -> dict[str, int]:
        """Tests by state for tests and code of `cell`: OO, ON, NO or NN."""
        return count(self._project.expected.runner, self.output(cell))

    def output(self, cell: str) -> str:
        """What the suite prints there."""
        paths = {edit.path for edit in self._project.test_edits + self._project.fix_edits}
        at = checkout(self._project, self._folder / cell, new_tests=cell[0] == "N", new_code=cell[1] == "N")
        for path in paths:
            (self._tree / path).write_bytes((at / path).read_bytes())
        env = machine_environment()
        env["PYTHONDONTWRITEBYTECODE"] = "1"  # files change faster than their times tell
        env["PATH"] = f"{self._venv / 'bin'}:{env['PATH']}"
        done = subprocess.run(
            ["bash", "-c", self._project.expected.test],
            cwd=self._tree,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_SUITE_S,
        )
        return done.stdout

    def _call(self, *command: str, cwd: Path | None = None) -> None:
        subprocess.run(
            command,
            cwd=cwd or self._tree,
            env=machine_environment(),
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=_INSTALL_S,
        )


def count(runner: str, output: str) -> dict[str, int]:
    """Tests by state from a runner's closing words."""
    counted = {"pytest": _pytest, "unittest": _unittest, "mocha": _mocha}[runner](output)
    return {state: counted.get(state, 0) for state in STATES}


def _pytest(output: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    last = re.findall(r"^=*\s*(\d+ \w+(?:, \d+ \w+)*) in [\d.]+s", output, re.M)[-1]
    for number, word in re.findall(r"(\d+) (\w+)", last):
        state = _PYTEST_WORDS.get(word)
        if state:
            counts[state] = counts.get(state, 0) + int(number)
    return counts


def _unittest(output: str) -> dict[str, int]:
    """Verbose output. A test with several red subtests is one test; a module or class that is skipped as a whole is
    not among those that were run."""
    ran = int(re.findall(r"^Ran (\d+) tests? in", output, re.M)[-1])
    failed = len(set(re.findall(r"^FAIL: \S+ \(([\w.]+)\)", output, re.M)))
    errors = len(set(re.findall(r"^ERROR: \S+ \(([\w.]+)\)", output, re.M)))
    skipped = sum(map(int, re.findall(r"skipped=(\d+)", output)))
    whole = len(re.findall(r"^setUp(?:Module|Class) \(.*\.\.\. skipped", output, re.M))
    passed = ran - failed - errors - (skipped - whole)
    return {"passed": passed, "failed": failed, "errors": errors, "skipped": skipped}


def _mocha(output: str) -> dict[str, int]:
    words = {"passing": "passed", "failing": "failed", "pending": "skipped"}
    return {words[w]: int(n) for n, w in re.findall(r"^\s+(\d+) (passing|failing|pending)\b", output, re.M)}
