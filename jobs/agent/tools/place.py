"""Where an old text may stand: whole lines, or a piece of exact text, and what stands there afterwards. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from jobs.agent.tools.indent import shift
from jobs.agent.tools.lines import Lines

COMMON = 60  # a line or word that stands more often says little about the place
_TRIED = 6
_WORD = re.compile(r"[A-Za-z0-9_]{2,}")


@dataclass(frozen=True)
class Hit:
    """The pieces from `first` and those that replace them, both as the writer gave them; `moved` are the latter at
    the file's indentation (None: no one shift explains every line). `chars` is the exact text's place in the view."""

    first: int
    given: tuple[str, ...]
    new: tuple[str, ...]
    moved: tuple[str, ...] | None
    chars: tuple[int, int] | None = None

    @property
    def stop(self) -> int:
        """The piece behind the last one."""
        return self.first + len(self.given)

    def trimmed(self) -> Hit | None:
        """Without the lines at both ends that stay as they are, but for one beside a mere insertion; None if nothing
        changes."""
        if self.given == self.new:
            return None
        size = min(len(self.given), len(self.new))
        head = next((n for n in range(size) if self.given[n] != self.new[n]), size)
        most = size - head
        tail = next((n for n in range(most) if self.given[-1 - n] != self.new[-1 - n]), most)
        if head + tail == len(self.given):
            head, tail = (head - 1, tail) if head else (head, tail - 1)
        kept = slice(head, len(self.new) - tail)
        moved = None if self.moved is None else self.moved[kept]
        given = self.given[head : len(self.given) - tail]
        return replace(self, first=self.first + head, given=given, new=self.new[kept], moved=moved)


Place = tuple[Hit, ...]  # the parts of one place of an old text, in order


@dataclass(frozen=True)
class Wanted:
    """An old text and the new one, line ends folded."""

    old: str
    new: str

    @property
    def given(self) -> tuple[str, ...]:
        """The old text's lines."""
        return tuple(self.old.removesuffix("\n").split("\n"))

    @property
    def wanted(self) -> tuple[str, ...]:
        """The new text's lines."""
        if not self.old.endswith("\n"):
            return tuple(self.new.split("\n"))
        return tuple(self.new.removesuffix("\n").split("\n")) if self.new else ()

    @cached_property
    def solid(self) -> bool:
        """Enough text that a loose rung can't hit by chance."""
        rows = [row for row in self.given if row.strip()]
        return len(rows) >= 2 or sum(len("".join(row.split())) for row in rows) >= 20


Find = Callable[[Lines, Wanted], list[Place]]


def exact(lines: Lines, edit: Wanted) -> list[Place]:
    """The old text character by character, wherever in a line it begins."""
    hits: list[Place] = []
    view, at, row, behind = lines.view, -1, 0, 0
    while (at := view.find(edit.old, at + 1)) >= 0:
        row, behind = row + view.count("\n", behind, at), at
        end = at + len(edit.old)
        stop = row + edit.old.count("\n") + 1
        tail = view.find("\n", end)
        text = view[view.rfind("\n", 0, at) + 1 : at] + edit.new + view[end : tail if tail >= 0 else len(view)]
        new = tuple(text.split("\n"))
        hits.append((Hit(row, lines.pieces[row:stop], new, new, (at, end)),))
    return hits


def merged(lines: Lines, edit: Wanted, places: Sequence[Place]) -> list[Place]:
    """Exact places that share a line, as one in which every occurrence is replaced."""
    groups: list[tuple[int, int]] = []
    for hit in (hit for place in places for hit in place):
        first, stop = hit.first, hit.stop
        if groups and first < groups[-1][1]:
            first, stop = groups[-1][0], max(stop, groups.pop()[1])
        groups.append((first, stop))
    out: list[Place] = []
    for first, stop in groups:
        given = lines.pieces[first:stop]
        new = tuple("\n".join(given).replace(edit.old, edit.new).split("\n"))
        out.append((Hit(first, given, new, new),))
    return out


def by(normal: Callable[[str], str]) -> Find:
    """Whole lines that are equal after `normal`, with the new text moved to the place's indentation."""

    def find(lines: Lines, edit: Wanted) -> list[Place]:
        given, wanted = edit.given, edit.wanted
        out: list[Place] = []
        for first in places_of(lines, [normal(row) for row in given], normal):
            there = lines.pieces[first : first + len(given)]
            out.append((Hit(first, given, wanted, shift(there, given, wanted)),))
        return out

    return find


def places_of(lines: Lines, wanted: Sequence[str], normal: Callable[[str], str] = str) -> list[int]:
    """The rows where `wanted` stands, each row as `normal` makes it; `normal` must leave words as they are."""
    size, rows = len(wanted), lines.rows
    starts = (at for at in _starts(lines, wanted) if 0 <= at <= len(rows) - size)
    return [at for at in starts if all(normal(rows[at + n]) == row for n, row in enumerate(wanted))]


def _starts(lines: Lines, wanted: Sequence[str]) -> Iterable[int]:
    """Where `wanted` may begin: its rarest long word says."""
    rare = rarest(lines, wanted)
    if rare is None:
        return range(len(lines.rows))
    word, offset = rare
    return [row - offset for row in lines.with_word(word, len(lines.pieces))]


def rarest(lines: Lines, wanted: Sequence[str]) -> tuple[str, int] | None:
    """Of the longest words in `wanted` the one that the file has least, and its row in `wanted`."""
    words = {word: offset for offset, row in enumerate(wanted) for word in _WORD.findall(row)}
    best: tuple[int, str] | None = None
    for word in sorted(words, key=len, reverse=True)[:_TRIED]:
        count = len(lines.with_word(word, COMMON + 1))
        if best is None or count < best[0]:
            best = count, word
        if count <= 1:
            break
    return None if best is None else (best[1], words[best[1]])
