"""Texts that were copied with their line numbers, and what of the numbers a new text still carries. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from jobs.agent.tools.faults import Missed
from jobs.agent.tools.lines import Lines
from jobs.agent.tools.place import Find, Place, Wanted

_GAP = re.compile(r"\s*\[… (\d+) blank lines …\]\s*")
_NUMBER = re.compile(r"^\s*(\d+)(\t|: ?| ?\| ?)")
_SHOWN = re.compile(r"^\s*(\d+)\t")  # as readfile shows a line


@dataclass(frozen=True)
class _Bare:
    """Rows without the numbers that they had; `numbers` has None for a mark of blank lines, which has none."""

    numbers: tuple[int | None, ...]
    rows: tuple[str, ...]
    sign: str  # what stood behind the first number, without spaces

    @property
    def first(self) -> int | None:
        return self.numbers[0]


def numbered(find: Find) -> Find:
    """Text that was copied with its line numbers, as `find` sees it without them: they must be the place's own.

    Raises Missed where the text has its place, but numbers would be written into the file.
    """

    def at_number(lines: Lines, edit: Wanted) -> list[Place]:
        given = _bare(edit.given)
        if given is None:
            return []
        wanted, left = _wanted(edit.wanted, edit.given, given)
        bare = Wanted("\n".join(given.rows), "\n".join(wanted))
        if not edit.new and edit.old.endswith("\n"):
            bare = Wanted("\n".join(given.rows) + "\n", "")
        found = [place for place in find(lines, bare) if place[0].first + 1 == given.first]
        if found and (row := _carried(wanted, left, given, lines)) is not None:
            raise carries(row)
        return found

    return at_number


def carries(row: str) -> Missed:
    """What the writer of a new text with line numbers is told; `row` is the first such line."""
    return Missed(f"new_string carries line numbers ({row!r})", "send both texts without line numbers")


def copied(lines: Lines, rows: Sequence[str]) -> str | None:
    """The first of `rows` that is a line of the file behind its own number, as readfile shows it."""
    shown = ((row, found) for row in rows if (found := _SHOWN.match(row)))
    return next((row for row, found in shown if _stands(lines, int(found[1]), row[found.end() :])), None)


def _stands(lines: Lines, number: int, text: str) -> bool:
    return 1 <= number <= len(lines.rows) and bool(text.strip()) and lines.rows[number - 1].rstrip() == text.rstrip()


def _bare(rows: Sequence[str]) -> _Bare | None:
    """`rows` without their numbers if every one begins with consecutive line numbers; a mark of blank lines that were
    not shown has none and counts as those it stands for."""
    numbers: list[int | None] = []
    out: list[str] = []
    at, sign = 0, ""
    for row in rows:
        if out and (gap := _GAP.fullmatch(row)):
            numbers.append(None)
            out.append(row)
            at += int(gap[1])
            continue
        found = _NUMBER.match(row)
        if found is None or (out and int(found[1]) != at):
            return None
        sign = sign or found[2].strip(" ")
        numbers.append(int(found[1]))
        at = int(found[1]) + 1
        out.append(row[found.end() :])
    return _Bare(tuple(numbers), tuple(out), sign) if out else None


def _wanted(rows: Sequence[str], old: Sequence[str], given: _Bare) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The new rows without numbers: all of them if they are numbered on from where the old ones begin; else only
    those that are one of the old ones, number and text. Then the rows that stay as they were sent."""
    every = _bare(rows)
    if every is not None and (every.first, every.sign) == (given.first, given.sign):
        return every.rows, ()
    same = {row.rstrip(): bare for row, bare in zip(old, given.rows, strict=True)}
    return tuple(same.get(row.rstrip(), row) for row in rows), tuple(r for r in rows if r.rstrip() not in same)


def _carried(wanted: Sequence[str], left: Sequence[str], given: _Bare, lines: Lines) -> str | None:
    """The first new row that may carry a line number, or may have lost what was no line number where all the replaced
    lines begin like numbered ones."""
    if all(map(_SHOWN.match, given.rows)):
        lost = next((row for row in wanted if row.strip() and not _SHOWN.match(row)), None)
        return lost if lost is not None else next((row for row in left if _twice(row, given)), None)
    own = any(map(_SHOWN.match, lines.rows))
    return next((row for row in left if (not own and _SHOWN.match(row)) or _like(row, given)), None)


def _like(row: str, given: _Bare) -> bool:
    """Whether a row begins with one of the given ones' numbers, written as they have it."""
    found = _NUMBER.match(row)
    return found is not None and found[2].strip(" ") == given.sign and int(found[1]) in given.numbers


def _twice(row: str, given: _Bare) -> bool:
    """Whether behind such a number another one stands."""
    found = _NUMBER.match(row)
    return found is not None and _like(row, given) and _SHOWN.match(row[found.end() :]) is not None
