"""What every report parser returns, and how repeated ids add up. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from jobs.suite.report import State

MAX_BYTES = 32 << 20  # of one report file; more is not read
MAX_MESSAGE = 6000  # characters kept of one failure: its beginning and its end
_WORSE: dict[State, int] = {"passed": 0, "skipped": 1, "failed": 2, "error": 3}


_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Unreadable(ValueError):
    """A report file that is no report: too big, cut, not the format, or hostile."""


@dataclass(frozen=True)
class Parsed:
    """Per test id its state, and for the red ones their message."""

    tests: dict[str, State] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def gather(rows: Iterable[tuple[str, State, str]]) -> Parsed:
    """`rows` of (id, state, message) as one report; of an id that comes twice the worse state counts."""
    parsed = Parsed()
    for test, state, message in rows:
        seen = parsed.tests.get(test)
        if seen is None or _WORSE[state] > _WORSE[seen]:
            parsed.tests[test] = state
        if state in ("failed", "error"):
            known = parsed.failures.get(test, "")
            parsed.failures[test] = shorten(f"{known}\n{message}" if known else message)
    return parsed


def shorten(text: str, limit: int = MAX_MESSAGE) -> str:
    """`text` within `limit` characters, its middle left out."""
    if len(text) <= limit:
        return text
    half = (limit - 40) // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"


def short_lines(text: str, limit: int = 1000) -> Iterator[str]:
    """The lines of `text`, none longer than `limit`: no line of a table of tests is, and tests print what they like."""
    return (line[:limit] for line in text.splitlines())


def plain(text: str) -> str:
    """`text` without colours, and with what was drawn over in a line left out."""
    return _ESCAPES.sub("", text).replace("\r\n", "\n")
