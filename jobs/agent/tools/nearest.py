"""The places of a file that are most like a text that does not stand there. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from jobs.agent.tools.lines import Lines, fold
from jobs.agent.tools.place import COMMON

_LIKE = 0.3
_TRIED = 16  # places that are rated
_WORDS = 16  # words of the text that are looked for
_WORD = re.compile(r"\w+|[^\w\s]")
_NAME = re.compile(r"\w{4,}")


@dataclass(frozen=True)
class Candidate:
    """Rows `first` to `last` (from 0, last included) and how like the wanted text they are (0 to 1)."""

    first: int
    last: int
    ratio: float


def nearest(lines: Lines, old: str, *, most: int = 3) -> tuple[Candidate, ...]:
    """The places most like `old`, best first, none overlapping."""
    wanted = rows_of(old)
    if not lines.rows or not any(row.strip() for row in wanted):
        return ()
    votes = _votes(lines, wanted)
    words = Counter(_WORD.findall("\n".join(wanted)))
    found: list[Candidate] = []
    rated = (_rated(lines.rows, start, len(wanted), words) for start in _likeliest(votes))
    for candidate in sorted(rated, key=lambda c: (-c.ratio, -votes.get(c.first, 0))):
        apart = all(candidate.last < f.first or candidate.first > f.last for f in found)
        if candidate.ratio >= _LIKE and apart and len(found) < most:
            found.append(candidate)
    return tuple(found)


def rows_of(old: str) -> list[str]:
    """The lines of a text; of one whose line feeds are written as two characters those that were meant."""
    text = fold(old).strip("\n")
    return text.split("\n" if "\n" in text else "\\n")


def _votes(lines: Lines, wanted: Sequence[str]) -> Counter[int]:
    """For each row, how strongly the wanted text's own lines and rare words say that it begins there."""
    votes: Counter[int] = Counter()
    for starts, weight in (*_line_starts(lines.rows, wanted), *_word_starts(lines, wanted)):
        for start in starts:
            votes[max(0, start)] += weight  # type: ignore[assignment]  # a Counter adds fractions as well
    return votes


def _line_starts(rows: Sequence[str], wanted: Sequence[str]) -> Iterator[tuple[list[int], float]]:
    places: dict[str, list[int]] = {row.strip(): [] for row in wanted if row.strip()}
    for number, row in enumerate(rows):
        if (same := places.get(row.strip())) is not None:
            same.append(number)
    for offset, row in enumerate(wanted):
        at = places.get(row.strip(), [])
        if 0 < len(at) <= COMMON:
            yield [n - offset for n in at], min(4, len(row.strip()) / 4) / len(at)


def _word_starts(lines: Lines, wanted: Sequence[str]) -> Iterator[tuple[list[int], float]]:
    offsets: dict[str, int] = {}
    for offset, row in enumerate(wanted):
        for word in sorted(_NAME.findall(row), key=len, reverse=True)[:3]:
            offsets.setdefault(word, offset)
    for word in sorted(offsets, key=len, reverse=True)[:_WORDS]:
        at = lines.with_word(word, COMMON + 1)
        if 0 < len(at) <= COMMON:
            yield [n - offsets[word] for n in at], 1 / len(at)


def _likeliest(votes: Counter[int]) -> Iterable[int]:
    """The starts with most votes, those of neighbouring starts included: a line more or less shifts them."""
    around = {start: sum(votes.get(start + by, 0) for by in range(-2, 3)) for start in votes}
    return sorted(around, key=lambda start: (-around[start], -votes[start]))[:_TRIED]


def _rated(rows: Sequence[str], start: int, size: int, words: Counter[str]) -> Candidate:
    start = min(start, len(rows) - 1)
    last = min(len(rows), start + size) - 1
    while start < last and not rows[start].strip():
        start += 1
    there = Counter(_WORD.findall("\n".join(rows[start : last + 1])))
    common = (there & words).total()
    return Candidate(start, last, 2 * common / max(1, there.total() + words.total()))
