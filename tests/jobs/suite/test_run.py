from __future__ import annotations

import time
from pathlib import Path

import pytest
from suite_project import PYTEST, UNITTEST, Files, project

from jobs.outcome import Level, Outcome
from jobs.sandbox.cell import Cells
from jobs.sandbox.layer import Layer
from jobs.suite.report import Report
from jobs.suite.run import Limits
from jobs.suite.suite import Suite, TimeUp

ODD = """\
import sys
import unittest

from absent import nothing  # noqa
"""
MANY = """\
import unittest


class TestMany(unittest.TestCase):
    def test_sub(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 1)

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    @unittest.expectedFailure
    def test_surprise(self):
        pass

    @unittest.skip("later")
    def test_skipped(self):
        pass

    def test_error(self):
        raise ValueError("boom \\udcff ü")

    def test_fine(self):
        pass


class TestSetUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError("no set-up")

    def test_never(self):
        pass
"""


def ran(
    folder: Path, cells: Cells, files: dict[str, str], suite: Suite, layer: Layer | None = None, seconds: float = 60
) -> Report:
    with project(folder, cells, files, suite, layer, Limits(seconds)) as made:
        return made.runs(made.base)


def test_unittest_states(tmp_path: Path, cells: Cells) -> None:
    report = ran(tmp_path, cells, {"test_many.py": MANY, "test_odd.py": ODD}, UNITTEST)
    assert report.tests == {
        "test_many.TestMany.test_sub": "failed",
        "test_many.TestMany.test_expected": "skipped",
        "test_many.TestMany.test_surprise": "failed",
        "test_many.TestMany.test_skipped": "skipped",
        "test_many.TestMany.test_error": "error",
        "test_many.TestMany.test_fine": "passed",
        "setUpClass (test_many.TestSetUp)": "error",
        "test_odd": "error",
    }
    assert "(n=1)" in report.failures["test_many.TestMany.test_sub"]
    assert "boom" in report.failures["test_many.TestMany.test_error"]
    assert "No module named 'absent'" in report.failures["test_odd"]


def test_pytest_goes_on_behind_a_file_that_does_not_load(tmp_path: Path, cells: Cells, layer: Layer) -> None:
    files = {"test_a.py": "import absent\n", "test_b.py": "def test_b():\n    pass\n"}
    assert ran(tmp_path, cells, files, PYTEST, layer).tests == {"test_a.py": "error", "test_b.py::test_b": "passed"}


def test_a_command_around_a_runner_has_ids_too(tmp_path: Path, cells: Cells) -> None:
    files = {"Makefile": "check:\n\tpython -m unittest\n", "test_a.py": MANY[: MANY.index("    @unittest")]}
    report = ran(tmp_path, cells, files, Suite("make check", "other", "test"))
    assert report.tests == {"test_a.TestMany.test_sub": "failed"}


def test_a_suite_started_by_a_test_is_not_reported(tmp_path: Path, cells: Cells) -> None:
    inner = "import unittest\nclass T(unittest.TestCase):\n    def test_inner(self):\n        self.fail()\n"
    outer = (
        "import subprocess, sys, unittest\nclass T(unittest.TestCase):\n    def test_outer(self):\n"
        "        subprocess.run([sys.executable, '-m', 'unittest', 'inner'])\n"
    )
    assert ran(tmp_path, cells, {"inner.py": inner, "test_a.py": outer}, UNITTEST).tests == {
        "test_a.T.test_outer": "passed"
    }


def test_a_sitecustomize_that_is_hidden_still_runs(tmp_path: Path, cells: Cells) -> None:
    files = {
        "lib/sitecustomize.py": "import builtins\nbuiltins.customized = True\n",
        "test_a.py": (
            "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertTrue(customized)\n"
        ),
    }
    suite = Suite('PYTHONPATH="$PYTHONPATH:lib" python -m unittest', "unittest", "test")
    assert ran(tmp_path, cells, files, suite).tests == {"test_a.T.test_a": "passed"}


@pytest.mark.parametrize(
    ("line", "ended", "code"),
    [
        ("head -c 3000000 /dev/urandom; exit 3", "exit", 3),
        ("kill -9 $$", "exit", 137),
        ("echo '<testsuite' > /out/pytest.xml", "exit", 0),
        ("head -c 100000000 /dev/zero > /out/pytest.xml; true", "exit", 0),
        ("ln -s /etc/passwd /out/pytest.xml", "exit", 0),
        ("sleep 60", "timeout", None),
    ],
    ids=["garbage", "killed", "broken report", "huge report", "link", "endless"],
)
def test_without_a_readable_report_only_the_exit_code_speaks(
    tmp_path: Path, cells: Cells, line: str, ended: str, code: int | None
) -> None:
    report = ran(tmp_path, cells, {"a": ""}, Suite(line, "pytest", "test"), seconds=2 if ended == "timeout" else 30)
    assert (report.tests, report.ended, report.exit_code) == (None, ended, code)
    assert len(report.output) <= 70_000


FLAKY = (
    "import os, unittest\nimport calc\n\n\nclass T(unittest.TestCase):\n    def test_add(self):\n"
    "        self.assertEqual(calc.add(1, 1), 2)\n\n"
    "    def test_chance(self):\n        self.assertLess(os.urandom(1)[0], {})\n"
)


def test_red_by_chance_is_named_and_not_blamed(tmp_path: Path, cells: Cells) -> None:
    """A test that is red once in two runs turns up on either side; the true fix is fixed all the same."""
    outcomes = []
    for number in range(5):
        files = {"calc.py": "def add(a, b):\n    return a - b\n", "test_a.py": FLAKY.format(128)}
        with project(tmp_path / str(number), cells, files, UNITTEST) as made:
            verdict = made.verdict({"calc.py": "def add(a, b):\n    return a + b\n"})
        outcomes.append(verdict)
    honest = [v for v in outcomes if v.outcome is Outcome.FIXED and "test_a.T.test_add" in v.fixed]
    # Red again and again on the new code and green each time on the base, one time in ten, is blamed, and said.
    assert honest
    assert all("test_a.T.test_chance" in v.broken for v in outcomes if v.outcome is Outcome.NOT_FIXED)


def test_break_that_shows_only_in_order_is_no_flake(tmp_path: Path, cells: Cells) -> None:
    tests = (
        "import unittest\nimport calc\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        calc.put(1)\n\n"
        "    def test_b(self):\n        self.assertEqual(calc.seen(), [])\n"
    )
    base = {"calc.py": "def put(x):\n    pass\n\n\ndef seen():\n    return []\n", "test_a.py": tests}
    leaky = "LEFT = []\n\n\ndef put(x):\n    LEFT.append(x)\n\n\ndef seen():\n    return LEFT\n"
    with project(tmp_path, cells, base, UNITTEST) as made:
        verdict = made.verdict({"calc.py": leaky})
    assert (verdict.outcome, verdict.broken, verdict.flaky) == (Outcome.NOT_FIXED, ("test_a.T.test_b",), ())


def test_endless_loop_in_new_code_is_not_fixed_in_bounded_time(tmp_path: Path, cells: Cells) -> None:
    base = {"calc.py": "def add(a, b):\n    return a - b\n", "test_a.py": FLAKY.format(256)}
    began = time.monotonic()
    with project(tmp_path, cells, base, UNITTEST, limits=Limits(4)) as made:
        verdict = made.verdict({"calc.py": "def add(a, b):\n    while True:\n        pass\n"})
    assert verdict.outcome is Outcome.NOT_FIXED
    assert "did not end by itself" in verdict.reason
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("base", "new", "outcome"),
    [
        ("exit 1", "exit 0", Outcome.FIXED),
        ("exit 1", "exit 2", Outcome.NOT_FIXED),
        ("exit 0", "exit 1", Outcome.NOT_FIXED),
        ("exit 0", "exit 0 #", Outcome.NOT_REPRODUCED),
    ],
)
def test_by_exit_code_alone_the_level_is_c(tmp_path: Path, cells: Cells, base: str, new: str, outcome: Outcome) -> None:
    files: Files = {"run.sh": f"echo told; {new}\n"}
    with project(tmp_path, cells, {"run.sh": f"echo told; {base}\n"}, Suite("sh run.sh", "other", "test")) as made:
        verdict = made.verdict(files)
    assert (verdict.outcome, verdict.level) == (outcome, Level.C)
    assert ("told" in verdict.reason) == (outcome is Outcome.NOT_FIXED)


def test_each_run_is_told_and_made_once(tmp_path: Path, cells: Cells) -> None:
    with project(tmp_path, cells, {"test_many.py": MANY}, UNITTEST) as made:
        assert made.runs(made.base) is made.runs(made.base)
        assert made.runs.runs == 1
        named = made.runs(made.base, ("test_many.TestMany.test_fine",))
    assert (named.tests, named.exit_code) == ({"test_many.TestMany.test_fine": "passed"}, 0)


def test_time_is_one_for_all_runs(tmp_path: Path, cells: Cells) -> None:
    slow = "import time, unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        time.sleep(1)\n"
    with project(tmp_path, cells, {"test_a.py": slow}, UNITTEST, limits=Limits(30, 3)) as made:
        for _ in range(2):
            assert made.runs.again(made.base).green
        with pytest.raises(TimeUp, match=r"The 0.05 minutes for verification are used up") as over:
            made.runs.again(made.base)  # cut short: a timeout that says nothing of the tree
        with pytest.raises(TimeUp):
            made.runs.again(made.base)  # not started
        assert made.runs.runs == 3
        assert made.runs(made.base).green
        assert made.runs.seconds < 10
    assert over.value.outcome is Outcome.OUT_OF_BUDGET


def test_one_run_may_take_half_of_the_minutes() -> None:
    assert Limits.of_minutes(60) == Limits(1800, 3600)
