"""Compares two reports test by test: what broke, what is missing, what turned green. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from jobs.suite.report import Report

_MARKS = ("::", " > ", ".")


@dataclass(frozen=True)
class Change:
    """From `before` to `after`, by test id; `finished` is False where `after` left no report although `before` did."""

    fixed: frozenset[str]
    broken: frozenset[str]
    missing: frozenset[str]
    newly_skipped: frozenset[str]
    still_red: frozenset[str]
    new_red: frozenset[str]  # red ids that `before` did not know
    finished: bool = True


def change(before: Report, after: Report) -> Change:
    """What became of each test of `before`."""
    if after.tests is None:
        known = frozenset(before.tests or ())
        none: frozenset[str] = frozenset()
        return Change(none, none, none, none, none & known, none, finished=before.tests is None)
    green, now = before.ids("passed"), after.ids("passed")
    covered = frozenset(t for t in green - after.tests.keys() if not _reparametrised(t, before, after))
    return Change(
        fixed=frozenset(t for t in before.red if t in now or _opened(t, after)),
        broken=green & after.red,
        missing=covered,
        newly_skipped=green & after.ids("skipped"),
        still_red=before.red & after.red,
        new_red=after.red - frozenset(before.tests or ()),
    )


def holds(outer: str, test: str) -> bool:
    """True if id `outer` is the file, module or class that holds `test`."""
    return any(test.startswith(outer + mark) for mark in _MARKS)


def _opened(test: str, after: Report) -> bool:
    """True if `test` stood for a file that could not be loaded, and what it holds is green now."""
    inside = [t for t in after.tests or () if holds(test, t)]
    return bool(inside) and test not in (after.tests or {}) and not after.red.intersection(inside)


def passes(test: str, report: Report) -> bool:
    """True if `test` is green in `report`; a file that stands for its tests is if all it holds are."""
    return (report.tests or {}).get(test) == "passed" or _opened(test, report)


def _reparametrised(test: str, before: Report, after: Report) -> bool:
    """True if only the names of a test's parameters changed (an address, a time), none was lost or is red."""
    stem, bracket, _ = test.partition("[")
    if not bracket:
        return False
    olds, news = family(stem, before.tests or ()), family(stem, after.tests or ())
    return len(news) >= len(olds) and not after.red.intersection(news)


def family(stem: str, tests: Iterable[str]) -> list[str]:
    """The ids of one test function with all its parameters."""
    return [t for t in tests if t == stem or t.startswith(stem + "[")]


def in_file(test: str, path: str) -> bool:
    """True if id `test` stands in the file `path`, whatever way its runner writes ids."""
    return inside(test, path) is not None


def inside(test: str, path: str) -> str | None:
    """What id `test` says behind the file `path`; None if it does not stand in there."""
    if test == path or test.startswith((path + "::", path + " > ")):
        return test[len(path) :]
    module = re.sub(r"\.py$", "", path).replace("/", ".")
    if not path.endswith(".py") or "::" in test or " > " in test:
        return None
    # unittest names modules as seen from its start folder, which may be any parent of the file
    parts = module.split(".")
    stems = (".".join(parts[i:]) for i in range(len(parts)))
    return next((test[len(stem) :] for stem in stems if test == stem or test.startswith(stem + ".")), None)
