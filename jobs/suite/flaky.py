"""Runs tests again before their red or their green counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from jobs.suite.compare import holds, passes
from jobs.suite.report import Report
from jobs.suite.suite import SuiteRunner

MAX_RERUN = 50  # that many red tests at once are no flake
REPEATS = 2  # of each side, on top of the run that was seen first


@dataclass(frozen=True)
class Steady:
    """What repeats say of tests that were red on the old tree and green on the new one.

    `firm` were so each time, `unsteady` were not. `relapsed` maps those of the unsteady that stayed red on the old
    tree, but were red on the new one too, to their failure, verbatim.
    """

    firm: frozenset[str]
    unsteady: frozenset[str] = frozenset()
    relapsed: Mapping[str, str] = field(default_factory=dict)


def steady(run: SuiteRunner, old: str, new: str, targets: Iterable[str]) -> Steady:
    """Repeats `targets`, red on the tree `old` and green on the tree `new`, by themselves on both.

    A test that is red only behind other tests is unsteady as well: its red can't be told from chance. Of more than
    MAX_RERUN targets a sample speaks for all. Runs nothing without targets; raises TimeUp.
    """
    wanted = frozenset(targets)
    sample = _sample(wanted)
    red, _ = _each_time(run, old, sample, _is_red)
    green, relapsed = _each_time(run, new, red, passes)
    unsteady = sample - green
    if unsteady:  # nothing is known of the rest, then
        unsteady |= wanted - sample
    return Steady(wanted - unsteady, unsteady, relapsed)


def _each_time(
    run: SuiteRunner, tree: str, tests: frozenset[str], holds_in: Callable[[str, Report], bool]
) -> tuple[frozenset[str], dict[str, str]]:
    """Those of `tests` of which `holds_in` is true in each repeat on `tree`, and the failures of the others."""
    kept, failures = tests, dict[str, str]()
    for _ in range(REPEATS):
        if not kept:
            break
        report = run.again(tree, tuple(sorted(kept)))
        lost = frozenset(test for test in kept if not holds_in(test, report))
        failures |= {test: report.failures.get(test, "") for test in lost}
        kept -= lost
    return kept, failures


def chance(run: SuiteRunner, tree: str, red: Iterable[str]) -> frozenset[str]:
    """Those of `red`, red in the suite on `tree`, that are not red again.

    A test that is green when run alone may still depend on what ran before it, so the suite as a whole is asked
    once more before its red counts as chance.
    """
    wanted = tuple(sorted(red))[:MAX_RERUN]
    if not wanted:
        return frozenset()
    unsteady = run.again(tree, wanted).ids("passed").intersection(wanted)
    return unsteady & run.again(tree).ids("passed") if unsteady else unsteady


def flaky(run: SuiteRunner, base: str, tree: str, red: frozenset[str]) -> frozenset[str]:
    """Those of `red` (green on `base`, red in the suite on `tree`) that are red by chance: green when repeated, or
    red on the unchanged base too when repeated there."""
    if not red or len(red) > MAX_RERUN:
        return frozenset()
    unsteady = chance(run, tree, red)
    for _ in range(REPEATS):
        rest = red - unsteady
        if rest:
            unsteady |= run.again(base, tuple(sorted(rest))).red & rest
    return unsteady


def _sample(tests: frozenset[str]) -> frozenset[str]:
    """At most MAX_RERUN of `tests`, spread over all of them."""
    step = -(-len(tests) // MAX_RERUN) or 1
    return frozenset(sorted(tests)[::step])


def _is_red(test: str, report: Report) -> bool:
    return test in report.red or any(holds(outer, test) for outer in report.red)
