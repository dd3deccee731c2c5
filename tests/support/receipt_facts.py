"""A run's results as values, for bodies and receipts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jobs.agent.attempt import Attempt
from jobs.model.usage import Usage
from jobs.outcome import Level, Outcome
from jobs.publish.receipt import Ended
from jobs.repo.patch import FileChange, Patch
from jobs.score.minimality import HunkScore, Minimality
from jobs.suite.finding import Finding
from jobs.suite.report import Report, State
from jobs.suite.verdict import Matrix, Verdict
from jobs.tasks.task import Task

TASK = Task("fix", "Dates before 1970 are wrong", "They are.", 12)
BASE, COMMIT, TREE = "b" * 40, "c" * 40, "d" * 40


def report(seconds: float = 2.0, **tests: State) -> Report:
    """A report of some tests; red ones fail with a message."""
    failures = {t: f"{t}: 1 != 2" for t, s in tests.items() if s in ("failed", "error")}
    return Report("pytest -q", 1 if failures else 0, "exit", seconds, "output", tests, failures)


def bare(exit_code: int) -> Report:
    """A report without ids."""
    return Report("make check", exit_code, "exit", 1.0, "output", None, {})


def verdict(**changes: Any) -> Verdict:
    """Fixed at level A: one test red before and green after, one new test that proves it."""
    matrix = Matrix(
        report(1.0, a="passed", b="failed", s="skipped"),
        report(2.0, a="passed", b="passed", s="skipped"),
        report(1.5, n="failed"),
        report(2.5, a="passed", b="passed", s="skipped", n="passed"),
    )
    made = Verdict(Outcome.FIXED, Level.A, "b was red and is green.", matrix, fixed=("b",), proven=("n",))
    return replace(made, **changes)


PATCH = Patch("e" * 40, TREE, (FileChange("src/dates.py", "M", "100644", "100644", "1" * 40, "2" * 40, 2, 1),), b"diff")
HUNK = HunkScore("src/dates.py", "@@ -3,1 +3,2 @@", ("-x", "+y", "+z"), "needed", "tests/test_dates.py::b | fails")
MINIMALITY = Minimality(100, 3, 3, 0, 0, (HUNK,))
ATTEMPT = Attempt("done", "I changed the sign.", 7, 15, Usage(1000, 200, 3000, 500, 0), 0.0421, 12.5, 3.25)
TAMPER = Finding("skip_added", "tests/test_dates.py", 9, "`@skip` was added for @all", blocks=False)


def ended(**changes: Any) -> Ended:
    """A proven fix with everything known."""
    made = Ended(
        run="r-01",
        outcome=Outcome.FIXED,
        reason="b was red and is green.",
        base=BASE,
        branch="agent/fix-12-dates",
        commit=COMMIT,
        verdict=verdict(),
        minimality=MINIMALITY,
        attempt=ATTEMPT,
        patch=PATCH,
        seconds={"total": 75.0, "setup": 3.0, "baseline": 2.0, "verify": 9.0, "score": 4.0},
        budget_usd=2.0,
        layer="f" * 32,
        tools={"python": "3.11.7"},
    )
    return replace(made, **changes)
