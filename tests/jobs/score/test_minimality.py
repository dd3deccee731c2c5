from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from suite_project import UNITTEST, Files, Project, project

from jobs.outcome import Outcome
from jobs.sandbox.cell import Cells
from jobs.score.minimality import Minimality, score
from jobs.suite.flaky import REPEATS
from jobs.suite.run import Limits
from jobs.suite.suite import Suite

CALC = (
    "def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return a * 2\n\n\n"
    "def clamp(a):\n    # keeps it small\n    return min(a, 10)\n"
)
TEST = (
    "import unittest\n\nimport calc\n\n\nclass TestCalc(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n"
)
BASE = {"calc.py": CALC, "test_calc.py": TEST, "README.md": "Calc.\n"}
FIXED = CALC.replace("a - b", "a + b")


@pytest.fixture
def buggy(tmp_path: Path, cells: Cells) -> Iterator[Project]:
    with project(tmp_path, cells, BASE, UNITTEST) as made:
        yield made


def scored(made: Project, files: Files, seconds: float = 60) -> Minimality:
    verdict, tree = made.verdict(files), made.changed(files)
    patch = made.trees.patch(made.base, tree)
    return score(made.trees, made.base, tree, patch, verdict, made.runs, time.monotonic() + seconds)


def states(result: Minimality) -> list[tuple[str, str]]:
    return [(hunk.file, hunk.state) for hunk in result.hunks]


def test_single_needed_hunk_scores_100(buggy: Project) -> None:
    result = scored(buggy, {"calc.py": FIXED})
    assert (result.score, result.changed_lines, result.needed_lines) == (100, 2, 2)
    (hunk,) = result.hunks
    assert (hunk.header, hunk.lines) == ("@@ -2,1 +2,1 @@", ("-    return a - b", "+    return a + b"))
    assert (hunk.state, hunk.proof) == ("needed", "test_calc.TestCalc.test_add")


def test_noise_is_told_apart(buggy: Project) -> None:
    noisy = FIXED.replace("a * 2", "a + a").replace("# keeps it small", "# keeps it really small")
    files = {"calc.py": noisy, "README.md": "Calc!\n", "stray.py": "X = 1\n", "test_calc.py": TEST + "\n\nMORE = 1\n"}
    result = scored(buggy, files)
    assert states(result) == [
        ("README.md", "evidence"),
        ("calc.py", "needed"),
        ("calc.py", "unproven"),
        ("calc.py", "waste"),
        ("stray.py", "unproven"),
        ("test_calc.py", "evidence"),
    ]
    assert (result.needed_lines, result.unproven_lines, result.waste_lines, result.score) == (2, 3, 2, 29)


def test_hunks_that_need_each_other_are_both_needed(buggy: Project) -> None:
    files = {"calc.py": FIXED.replace("return a + b", "return plus(a, b)") + "\n\ndef plus(a, b):\n    return a + b\n"}
    assert [hunk.state for hunk in scored(buggy, files).hunks] == ["needed", "needed"]


def test_new_file_of_product_is_needed(buggy: Project) -> None:
    files = {
        "calc.py": FIXED.replace("return a + b", "import plus\n\n    return plus.plus(a, b)"),
        "plus.py": "def plus(a, b):\n    return a + b\n",
    }
    assert [(h.file, h.state) for h in scored(buggy, files).hunks] == [("calc.py", "needed"), ("plus.py", "needed")]


def test_after_deadline_nothing_is_tried(buggy: Project) -> None:
    result = scored(buggy, {"calc.py": FIXED}, seconds=0)
    assert [(hunk.state, hunk.proof) for hunk in result.hunks] == [("unproven", "not tried: time")]


def test_hunks_for_which_no_run_is_left_are_unproven(tmp_path: Path, cells: Cells) -> None:
    files = {"calc.py": FIXED.replace("a * 2", "a + a")}
    with project(tmp_path, cells, BASE, UNITTEST, limits=Limits(30, 30)) as made:
        verdict, tree = made.verdict(files), made.changed(files)
        made.runs.seconds = 30.0
        result = score(
            made.trees, made.base, tree, made.trees.patch(made.base, tree), verdict, made.runs, time.monotonic() + 60
        )
    assert [(hunk.state, hunk.proof) for hunk in result.hunks] == [("unproven", "not tried: time")] * 2


def test_only_product_hunk_costs_no_run_of_its_own(buggy: Project) -> None:
    verdict = buggy.verdict({"calc.py": FIXED})
    before = buggy.runs.runs
    assert verdict.outcome is Outcome.FIXED
    assert scored(buggy, {"calc.py": FIXED}).score == 100
    assert buggy.runs.runs - before == REPEATS * 2  # of the verdict that `scored` makes anew


def test_without_proof_there_is_no_score(buggy: Project) -> None:
    result = scored(buggy, {"calc.py": CALC.replace("a * 2", "a + a")})
    assert (result.score, result.reason != "") == (None, True)


def test_command_without_ids_judges_by_exit_code(tmp_path: Path, cells: Cells) -> None:
    check = "grep -q fixed state.txt && echo ok"
    with project(tmp_path, cells, {"state.txt": "a\nbroken\nb\nc\nd\n"}, Suite(check, "other", "test")) as made:
        result = scored(made, {"state.txt": "a\nfixed\nb\nc\nchanged\n"})
    assert (result.hunks[0].state, result.hunks[0].proof) == ("needed", check)
    assert (result.score, result.hunks[1].state) == (50, "unproven")
