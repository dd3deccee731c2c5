"""What is red or green by chance proves nothing."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import pytest
from suite_project import UNITTEST, project

from jobs.outcome import Level, Outcome
from jobs.sandbox.cell import Cells
from jobs.suite.flaky import MAX_RERUN, steady
from jobs.suite.matrix import Verdict, verify
from jobs.suite.report import Report, State
from jobs.suite.suite import Suite

COIN = (
    "import os, unittest\n\n\nclass T(unittest.TestCase):\n"
    "    def test_coin(self):\n        self.assertLess(os.urandom(1)[0], 128)\n"
)
HONEST = "\n\n    def test_add(self):\n        import calc\n        self.assertEqual(calc.add(2, 3), 5)\n"
CALC = "def add(a, b):\n    return a - b\n"
COMMENT = {"calc.py": "# nothing\n" + CALC}
RIGHT = {"calc.py": CALC.replace("a - b", "a + b")}


def report(**states: State) -> Report:
    red = [test for test, state in states.items() if state == "failed"]
    return Report("t", 1 if red else 0, "exit", 0.1, "", states, {test: f"{test} failed" for test in red})


RED, GREEN = report(t="failed"), report(t="passed")


class Played:
    """A SuiteRunner whose runs of a tree say what was written down for it, one after the other."""

    def __init__(self, **by_tree: list[Report]) -> None:
        self.left = {tree: deque(reports) for tree, reports in by_tree.items()}
        self.asked: list[str] = []

    def __call__(self, tree: str, tests: tuple[str, ...] | None = None) -> Report:
        return self.again(tree, tests)

    def again(self, tree: str, tests: tuple[str, ...] | None = None) -> Report:
        self.asked.append(tree)
        return self.left[tree].popleft()


@pytest.mark.parametrize(
    ("old", "new", "firm", "relapsed"),
    [
        ([RED, RED], [GREEN, GREEN], True, False),
        ([GREEN], [], False, False),
        ([RED, GREEN], [], False, False),
        ([RED, RED], [RED], False, True),
        ([RED, RED], [GREEN, RED], False, True),
        ([report()], [], False, False),
    ],
)
def test_target_counts_only_if_each_repeat_says_the_same(
    old: list[Report], new: list[Report], firm: bool, relapsed: bool
) -> None:
    run = Played(old=old, new=new)
    found = steady(run, "old", "new", ["t"])
    assert (found.firm, found.unsteady) == ((frozenset("t"), frozenset()) if firm else (frozenset(), frozenset("t")))
    assert found.relapsed == ({"t": "t failed"} if relapsed else {})
    assert run.asked == ["old"] * len(old) + ["new"] * len(new)


def test_without_targets_nothing_runs() -> None:
    run = Played()
    assert (steady(run, "old", "new", ()).firm, run.asked) == (frozenset(), [])


def test_of_very_many_targets_a_sample_speaks() -> None:
    names = [f"t{number:03}" for number in range(3 * MAX_RERUN)]
    red, green = (report(**dict.fromkeys(names, state)) for state in ("failed", "passed"))
    assert steady(Played(old=[red, red], new=[green, green]), "old", "new", names).firm == frozenset(names)
    assert steady(Played(old=[green]), "old", "new", names).unsteady == frozenset(names)


def judged(folder: Path, cells: Cells, files: dict[str, str], **then: list[Report]) -> Verdict:
    """The verdict on `files`, where the runs of the base and of the new tree say what is in `then`."""
    with project(folder, cells, {"calc.py": CALC, "test_a.py": COIN}, UNITTEST) as made:
        tree = made.changed(files)
        run = Played(**{made.base: then["base"], tree: then["new"]})
        return verify(made.trees, made.base, tree, run, RED)


def test_comment_beside_a_coin_is_no_fix(tmp_path: Path, cells: Cells) -> None:
    """Green alone and red behind others on the base: what a coin shows as often as a real bug."""
    verdict = judged(tmp_path, cells, COMMENT, base=[GREEN, RED], new=[GREEN])
    assert (verdict.outcome, verdict.level) == (Outcome.NOT_REPRODUCED, Level.B)
    assert (verdict.fixed, verdict.flaky) == ((), ("t",))
    assert "Not the same in every run, not counted: t." in verdict.reason


def test_red_again_on_the_new_code_is_not_fixed_and_shown(tmp_path: Path, cells: Cells) -> None:
    verdict = judged(tmp_path, cells, COMMENT, base=[RED, RED], new=[GREEN, GREEN, RED])
    assert (verdict.outcome, verdict.fixed, verdict.flaky) == (Outcome.NOT_FIXED, (), ("t",))
    assert "still red now and then: t." in verdict.reason
    assert "t failed" in verdict.reason


def test_true_fix_beside_a_coin_is_fixed_by_its_own_test(tmp_path: Path, cells: Cells) -> None:
    """In real cells: the coin alone passes for a fix one time in 64."""
    proofs = []
    for number in range(6):
        files = {"calc.py": CALC, "test_a.py": COIN + HONEST}
        with project(tmp_path / str(number), cells, files, UNITTEST) as made:
            proofs.append(made.verdict(RIGHT))
    assert sum("test_a.T.test_coin" in verdict.fixed for verdict in proofs) <= 1
    assert all("test_a.T.test_add" in verdict.fixed for verdict in proofs)


def test_new_test_that_is_a_coin_proves_nothing(tmp_path: Path, cells: Cells) -> None:
    base = {"calc.py": CALC, "test_a.py": COIN.replace("test_coin", "test_fine").replace("128", "256")}
    with project(tmp_path, cells, base, UNITTEST) as made:
        verdicts = [made.verdict({"calc.py": f"# {n}\n{CALC}", "test_b.py": f"# {n}\n{COIN}"}) for n in range(6)]
    assert sum(verdict.outcome is Outcome.FIXED for verdict in verdicts) <= 1


def test_repeats_are_real(tmp_path: Path, cells: Cells) -> None:
    with project(tmp_path, cells, {"test_a.py": COIN}, UNITTEST) as made:
        assert {made.runs.again(made.base, ("test_a.T.test_coin",)).green for _ in range(20)} == {True, False}
        assert made.runs.runs == 20


def test_command_without_ids_that_is_a_coin_is_repeated(tmp_path: Path, cells: Cells) -> None:
    red, green = (Report("make", code, "exit", 0.1, "said", None, {}) for code in (1, 0))
    with project(tmp_path, cells, {"calc.py": CALC}, Suite("make", "other", "test")) as made:
        tree = made.changed(COMMENT)
        chance = verify(made.trees, made.base, tree, Played(**{tree: [green], made.base: [green]}), red)
        again = verify(made.trees, made.base, tree, Played(**{tree: [green, red], made.base: [red]}), red)
        firm = verify(made.trees, made.base, tree, Played(**{tree: [green, green], made.base: [red]}), red)
    assert (chance.outcome, chance.flaky) == (Outcome.NOT_REPRODUCED, ("make",))
    assert (again.outcome, again.flaky, "said" in again.reason) == (Outcome.NOT_FIXED, ("make",), True)
    assert (firm.outcome, firm.level) == (Outcome.FIXED, Level.C)
