"""What a failed edit is told: the nearest text that really stands in the file. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches

from jobs.agent.tools.lines import fold

_COMMON = 200  # a line that stands more often says nothing about the place
_LIKE = 0.5
_SHOWN = 40  # lines of one candidate


@dataclass(frozen=True)
class Candidate:
    """Rows `first` to `last` (from 0, last included) and how like the wanted text they are (0 to 1)."""

    first: int
    last: int
    ratio: float


def nearest(rows: Sequence[str], old: str, *, most: int = 3) -> tuple[Candidate, ...]:
    """The places most like `old`, best first, none overlapping."""
    wanted = fold(old).strip("\n").split("\n")
    starts = _votes(rows, wanted) or _by_longest(rows, wanted)
    found: list[Candidate] = []
    for candidate in sorted((_rated(rows, s, wanted) for s in starts), key=lambda c: -c.ratio):
        apart = all(candidate.last < f.first or candidate.first > f.last for f in found)
        if candidate.ratio >= _LIKE and apart and len(found) < most:
            found.append(candidate)
    return tuple(found)


def _votes(rows: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Starts that the wanted text's own lines point to, most pointed to first."""
    places: dict[str, list[int]] = {row.strip(): [] for row in wanted if row.strip()}
    for number, row in enumerate(rows):
        if (same := places.get(row.strip())) is not None and len(same) <= _COMMON:
            same.append(number)
    votes = Counter(
        max(0, at - offset)
        for offset, row in enumerate(wanted)
        for at in places.get(row.strip(), ())
        if len(places[row.strip()]) <= _COMMON
    )
    return [start for start, _ in votes.most_common(10)]


def _by_longest(rows: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Starts where a line like the wanted text's longest one stands."""
    offset = max(range(len(wanted)), key=lambda n: len(wanted[n].strip()))
    distinct: dict[str, int] = {}
    for number, row in enumerate(rows):
        distinct.setdefault(row.strip(), number)
    close = get_close_matches(wanted[offset].strip(), distinct.keys(), n=5, cutoff=_LIKE)
    return [max(0, distinct[row] - offset) for row in close]


def _rated(rows: Sequence[str], start: int, wanted: Sequence[str]) -> Candidate:
    last = min(len(rows), start + len(wanted)) - 1
    there = "\n".join(row.strip() for row in rows[start : last + 1])
    ratio = SequenceMatcher(None, there, "\n".join(row.strip() for row in wanted), autojunk=False).ratio()
    return Candidate(start, last, ratio)


def told(rows: Sequence[str], old: str) -> str:
    """The candidates with numbered lines, and where the best one first differs; empty if nothing is alike."""
    found = nearest(rows, old)
    if not found:
        return ""
    best = found[0]
    parts = [f"Nearest: lines {best.first + 1}-{best.last + 1} ({best.ratio:.0%} alike){_difference(rows, best, old)}"]
    parts += [_window(rows, best)]
    parts += [f"Also alike: lines {c.first + 1}-{c.last + 1} ({c.ratio:.0%})" for c in found[1:]]
    return "\n".join(parts)


def _difference(rows: Sequence[str], best: Candidate, old: str) -> str:
    wanted = fold(old).strip("\n").split("\n")
    there = rows[best.first : best.last + 1]
    for offset, (is_, was) in enumerate(zip(there, wanted, strict=False)):
        if is_.strip() != was.strip():
            at = best.first + offset + 1
            return f"; first difference at line {at}:\n  file:  {is_}\n  yours: {was}\nThe file's lines"
    return "; they differ in white space only. The file's lines"


def _window(rows: Sequence[str], best: Candidate) -> str:
    first, stop = max(0, best.first - 2), min(len(rows), best.last + 3, best.first + _SHOWN)
    return "\n".join(f"{n + 1}\t{rows[n]}" for n in range(first, stop))


def enclosing(rows: Sequence[str], line: int) -> str:
    """The nearest line above `line` (from 1) that is indented less: what a reader would name as its place."""
    depth = len(rows[line - 1]) - len(rows[line - 1].lstrip())
    for row in reversed(rows[: line - 1]):
        if row.strip() and len(row) - len(row.lstrip()) < depth:
            return row.strip()
    return ""
