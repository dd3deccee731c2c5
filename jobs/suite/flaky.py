"""Runs red once more before it counts."""

from __future__ import annotations

from collections.abc import Iterable

from jobs.suite.report import Report
from jobs.suite.suite import SuiteRunner

MAX_RERUN = 50  # that many red tests at once are no flake


def chance(run: SuiteRunner, tree: str, red: Iterable[str], whole: Report) -> frozenset[str]:
    """Those of `red`, red in `whole` (the suite on `tree`), that are not red again.

    A test that is green when run alone may still depend on what ran before it, so the suite as a whole is asked
    once more before its red counts as chance.
    """
    wanted = tuple(sorted(red))[:MAX_RERUN]
    if not wanted:
        return frozenset()
    unsteady = run(tree, wanted).ids("passed").intersection(wanted)
    if unsteady:  # naming every test asks for the suite as a whole, and for a new run of it
        unsteady &= run(tree, tuple(sorted(whole.tests or ()))).ids("passed")
    return unsteady


def flaky(run: SuiteRunner, base: str, tree: str, red: frozenset[str], whole: Report) -> frozenset[str]:
    """Those of `red` (green on `base`, red in `whole`, the suite on `tree`) that are red by chance: green when
    repeated, or as red on the unchanged base."""
    if not red or len(red) > MAX_RERUN:
        return frozenset()
    unsteady = chance(run, tree, red, whole)
    rest = tuple(sorted(red - unsteady))
    return unsteady | (run(base, rest).red.intersection(rest) if rest else frozenset())
