"""Keeps results inside their size: head and tail, cut on line ends, what is missing said. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Half a sequence too, as a cut leaves it: a terminal would take what follows for the rest.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]?|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])?")


@dataclass(frozen=True)
class Capped:
    """Text within its limit; `cut` says whether anything is missing."""

    text: str
    cut: bool


def middle(text: str, *, head: int = 8_000, tail: int = 16_000, rest: str = "") -> Capped:
    """`text` with its middle left out if it is longer than `head` + `tail` characters. `rest` says how to get what
    is missing; `{start}` in it becomes the number of the first missing line, and where the cut is within that line
    `, "character": …` behind it, from 1."""
    if len(text) <= head + tail:
        return Capped(text, cut=False)
    first = text[:head]
    first = first[: first.rfind("\n") + 1] or first
    last = text[-tail:] if tail else ""
    last = last[last.find("\n") + 1 :] or last
    gone = text[len(first) : len(text) - len(last)]
    line = first.count("\n") + 1
    within = f', "character": {len(first) + 1}' if first and not first.endswith("\n") else ""
    how = f"; for the rest: {rest.replace('{start}', f'{line}{within}')}" if rest else ""
    return Capped(f"{first}[… {_missing(gone, text, line)} cut here{how} …]\n{last}", cut=True)


def _missing(gone: str, text: str, line: int) -> str:
    if "\n" not in gone:
        return f"{len(gone):,} characters of line {line:,}"
    return f"{gone.count(chr(10)):,} of {text.count(chr(10)) + 1:,} lines ({len(gone):,} characters)"


def plain(text: str) -> str:
    """`text` without codes for terminals, and with progress bars' last state only."""
    rows = _ANSI.sub("", text).replace("\r\n", "\n").split("\n")
    return "\n".join(row.rstrip("\r").rpartition("\r")[2] for row in rows)
