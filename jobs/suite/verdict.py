"""The words for what the matrix says. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jobs.outcome import Level, Outcome
from jobs.suite.finding import Finding
from jobs.suite.report import Report


@dataclass(frozen=True)
class Matrix:
    """Reports by (tests, code). A cell that says nothing new is None: without a change of the test surface
    the `new_tests_*` runs equal the `old_tests_*` ones."""

    old_tests_old_code: Report
    old_tests_new_code: Report | None = None
    new_tests_old_code: Report | None = None
    new_tests_new_code: Report | None = None


@dataclass(frozen=True)
class Verdict:
    """What the matrix says. `outcome` is FIXED, NOT_REPRODUCED, NOT_FIXED or BLOCKED; `reason` is for people and,
    where red, holds the failing output verbatim (capped). Where a suite has no ids its command stands for the one
    test it is."""

    outcome: Outcome
    level: Level
    reason: str
    matrix: Matrix
    fixed: tuple[str, ...] = ()  # red on the base, green now
    proven: tuple[str, ...] = ()  # new or changed tests that are red on the old code and green on the new
    broken: tuple[str, ...] = ()  # green on the base (or unknown there), red now
    missing: tuple[str, ...] = ()  # reported on the base, not reported now
    moved: tuple[str, ...] = ()  # reported on the base; their file was moved as it was, and they are green there
    newly_skipped: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()  # not the same in every run, or red only behind other tests: never a proof
    relapsed: Mapping[str, str] = field(default_factory=dict)  # of `flaky`: red each time on the old code, and at
    # least once on the new; each with its failure there, verbatim
    tamper: tuple[Finding, ...] = field(default_factory=tuple)
