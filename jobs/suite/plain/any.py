"""Reads per-test ids out of the plain output of a command that may run any runner inside. Pure."""

from __future__ import annotations

from collections.abc import Callable

from jobs.suite.parsed import Parsed, Unreadable
from jobs.suite.plain import cargo, go, tables, tap

Reader = Callable[[str], Parsed | None]

# Those whose lines can't be mistaken for another's or for what a program prints.
_READERS: tuple[Reader, ...] = (cargo.parse, tables.ctest, tap.parse, go.parse, tables.minitest, tables.exunit)


def parse(text: str) -> Parsed | None:
    """The tests of every runner that is recognised in `text`; None where there is none, or one can't be read whole."""
    tests, failures = {}, {}
    for read in _READERS:
        try:
            found = read(text)
        except Unreadable:
            return None
        if found:
            tests.update(found.tests)
            failures.update(found.failures)
    return Parsed(tests, failures) if tests else None
