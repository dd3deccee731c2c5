"""Keeps results inside their size: head and tail, cut on line ends, what is missing said. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


@dataclass(frozen=True)
class Capped:
    """Text within its limit; `cut` says whether anything is missing."""

    text: str
    cut: bool


def middle(text: str, *, head: int = 8_000, tail: int = 16_000, rest: str = "") -> Capped:
    """`text` with its middle left out if it is longer than `head` + `tail` characters. `rest` says how to get what
    is missing; `{start}` in it becomes the number of the first missing line."""
    if len(text) <= head + tail:
        return Capped(text, cut=False)
    first = text[:head]
    first = first[: first.rfind("\n") + 1] or first
    last = text[-tail:] if tail else ""
    last = last[last.find("\n") + 1 :] or last
    gone = text[len(first) : len(text) - len(last)]
    how = f"; for the rest: {rest.replace('{start}', str(first.count(chr(10)) + 1))}" if rest else ""
    note = (
        f"[… {gone.count(chr(10)):,} of {text.count(chr(10)) + 1:,} lines ({len(gone):,} characters) cut here{how} …]\n"
    )
    return Capped(first + note + last, cut=True)


def plain(text: str) -> str:
    """`text` without terminal colours, and with progress bars' last state only."""
    rows = _ANSI.sub("", text).replace("\r\n", "\n").split("\n")
    return "\n".join(row.rstrip("\r").rpartition("\r")[2] for row in rows)
