from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from suite_project import PYTEST, UNITTEST, Project, project

from jobs.outcome import Level, Outcome
from jobs.sandbox.cell import Cells
from jobs.sandbox.layer import Layer

BASE = {
    "calc.py": "def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return a * 2\n",
    "tests/__init__.py": "",
    "tests/test_calc.py": (
        "import unittest\n\nimport calc\n\n\nclass TestCalc(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n\n"
        "    def test_twice(self):\n        self.assertEqual(calc.twice(2), 4)\n"
    ),
}
GREEN = BASE | {"tests/test_calc.py": BASE["tests/test_calc.py"].replace("add(2, 3), 5", "add(2, 0), 2")}
FIXED = "def add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return a * 2\n"
MORE = "import unittest\n\n\nclass TestMore(unittest.TestCase):\n    def test_more(self):\n        self.assertTrue(1)\n"
NAMES = {
    "unittest": ("tests.test_calc.TestCalc.test_add", "tests.test_calc.TestCalc.test_twice"),
    "pytest": ("tests/test_calc.py::TestCalc::test_add", "tests/test_calc.py::TestCalc::test_twice"),
}


@pytest.fixture(params=["unittest", "pytest"])
def runner(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def buggy(tmp_path: Path, cells: Cells, layer: Layer, runner: str) -> Iterator[Project]:
    suite, with_layer = (UNITTEST, None) if runner == "unittest" else (PYTEST, layer)
    with project(tmp_path, cells, BASE, suite, with_layer) as made:
        yield made


@pytest.fixture
def untested(tmp_path: Path, cells: Cells, layer: Layer, runner: str) -> Iterator[Project]:
    suite, with_layer = (UNITTEST, None) if runner == "unittest" else (PYTEST, layer)
    with project(tmp_path, cells, GREEN, suite, with_layer) as made:
        yield made


def test_right_fix_is_fixed_at_level_a(buggy: Project, runner: str) -> None:
    verdict = buggy.verdict({"calc.py": FIXED})
    assert (verdict.outcome, verdict.level, verdict.fixed) == (Outcome.FIXED, Level.A, NAMES[runner][:1])
    assert verdict.matrix.old_tests_old_code.counts == {"passed": 1, "failed": 1, "errors": 0, "skipped": 0}
    assert verdict.matrix.new_tests_new_code is None


def test_wrong_fix_is_not_fixed_and_shows_failure(buggy: Project, runner: str) -> None:
    verdict = buggy.verdict({"calc.py": FIXED.replace("a + b", "a * b")})
    assert verdict.outcome is Outcome.NOT_FIXED
    assert NAMES[runner][0] in verdict.reason
    assert "6 != 5" in verdict.reason


def test_fix_that_breaks_another_test_is_not_fixed(buggy: Project, runner: str) -> None:
    verdict = buggy.verdict({"calc.py": FIXED.replace("a * 2", "a * 3")})
    assert (verdict.outcome, verdict.broken) == (Outcome.NOT_FIXED, NAMES[runner][1:])
    assert "6 != 4" in verdict.reason


def test_new_test_red_on_old_code_proves(untested: Project, runner: str) -> None:
    verdict = untested.verdict({"calc.py": FIXED, "tests/test_calc.py": BASE["tests/test_calc.py"]})
    assert (verdict.outcome, verdict.level, verdict.proven) == (Outcome.FIXED, Level.A, NAMES[runner][:1])
    assert verdict.matrix.new_tests_old_code is not None


HALF = (
    "import unittest\n\nfrom calc import half\n\n\nclass TestHalf(unittest.TestCase):\n"
    "    def test_half(self):\n        self.assertEqual(half(4), 2)\n"
)


def test_new_file_of_tests_for_new_name_proves(untested: Project, runner: str) -> None:
    code = FIXED + "\n\ndef half(a):\n    return a // 2\n"
    verdict = untested.verdict({"calc.py": code, "tests/test_half.py": HALF})
    assert verdict.outcome is Outcome.FIXED
    assert [name.replace("::", ".").rsplit(".", 1)[-1] for name in verdict.proven] == ["test_half"]


def test_green_without_red_before_is_not_reproduced(untested: Project, runner: str) -> None:
    verdict = untested.verdict({"calc.py": FIXED})
    assert (verdict.outcome, verdict.level) == (Outcome.NOT_REPRODUCED, Level.B)


def test_deleting_failing_test_is_not_fixed(buggy: Project, runner: str) -> None:
    kept = BASE["tests/test_calc.py"].replace(
        "    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n\n", ""
    )
    verdict = buggy.verdict({"tests/test_calc.py": kept})
    assert verdict.outcome is Outcome.NOT_FIXED
    assert [finding.kind for finding in verdict.tamper] == ["test_removed"]


def test_deleting_tests_beside_right_fix_is_blocked(buggy: Project, runner: str) -> None:
    verdict = buggy.verdict({"calc.py": FIXED, "tests/test_calc.py": None, "tests/test_more.py": MORE})
    assert verdict.outcome is Outcome.BLOCKED
    assert verdict.tamper[0].kind == "test_deleted"


@pytest.mark.parametrize("weakened", [False, True])
def test_tests_that_moved_with_their_file_are_shown_not_missing(
    tmp_path: Path, cells: Cells, layer: Layer, weakened: bool
) -> None:
    """In a file whose name does not tell that it holds tests, so that the base's own is not put back."""
    checks = "import calc\n\n\ndef test_twice():\n    assert calc.twice(2) == 4\n"
    moved = checks.replace("calc.twice(2) == 4", "True") if weakened else checks
    suite = replace(PYTEST, command="python -m pytest -o python_files='test_*.py *_checks.py'")
    with project(tmp_path, cells, {**BASE, "pkg/a_checks.py": checks}, suite, layer) as made:
        verdict = made.verdict({"calc.py": FIXED, "pkg/a_checks.py": None, "pkg/b_checks.py": moved})
    shown = ("pkg/a_checks.py::test_twice",)
    assert (verdict.missing, verdict.moved) == ((shown, ()) if weakened else ((), shown))
    assert verdict.outcome is (Outcome.NOT_FIXED if weakened else Outcome.FIXED)
    assert weakened or "Moved with their file, and green there: pkg/a_checks.py::test_twice." in verdict.reason
