"""Where an old text stands in a file, and the file with the new text in its place. Pure.

The ladder: exact; ignoring trailing white space; ignoring indentation (one proven shift for all lines); ignoring
spacing inside lines; ignoring the typographic form of punctuation; copied line numbers taken off. Each rung needs
exactly one place; the first rung with several ends the search. Nothing is ever written on likeness.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate

from jobs.agent.tools.indent import shift
from jobs.agent.tools.likeness import squeeze, straight, unnumbered
from jobs.agent.tools.lines import Lines, fold
from jobs.errors import PatchwrightError

LARGE_BYTES, LARGE_LINES = 2 << 20, 50_000  # above these only the exact rung is tried


class Missed(PatchwrightError):
    """The old text has no place in the file; the text says why in one clause."""


class Ambiguous(PatchwrightError):
    """The old text has several places: they begin at `lines` (from 1), as `rung` sees them."""

    def __init__(self, rung: str, lines: tuple[int, ...]) -> None:
        super().__init__(f"old_string stands in {len(lines)} places ({rung})")
        self.rung = rung
        self.lines = lines


@dataclass(frozen=True)
class Applied:
    """The new bytes, the rung that found the place, and the changed lines in the new file (first, last; from 1;
    last < first where lines were only removed)."""

    data: bytes
    rung: str
    lines: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _Hit:
    """The pieces from `first` and those that replace them, both as the writer gave them; `moved` are the latter at
    the file's indentation."""

    first: int
    given: tuple[str, ...]
    new: tuple[str, ...]
    moved: tuple[str, ...]


@dataclass(frozen=True)
class _Edit:
    old: str
    new: str

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(self.old.removesuffix("\n").split("\n"))

    @property
    def wanted(self) -> tuple[str, ...]:
        if not self.old.endswith("\n"):
            return tuple(self.new.split("\n"))
        return tuple(self.new.removesuffix("\n").split("\n")) if self.new else ()

    @property
    def solid(self) -> bool:
        """Enough text that a loose rung can't hit by chance."""
        rows = [row for row in self.given if row.strip()]
        return len(rows) >= 2 or sum(len("".join(row.split())) for row in rows) >= 20


def apply(data: bytes, old: str, new: str, *, change_context: str | None = None, replace_all: bool = False) -> Applied:
    """`data` with `new` in place of `old`.

    `change_context` is one line that stands once in the file: the first place behind it, inside its block, is
    taken. `replace_all` takes every place of the first rung that has any. Raises Missed (no place, or nothing to
    change), Ambiguous (several places), or NotText.
    """
    edit = _Edit(fold(old), fold(new))
    if edit.old == edit.new:
        raise Missed("old_string and new_string are the same: there is nothing to change")
    if not edit.old:
        raise Missed("old_string is empty: to make a file use write_file, to insert give the neighbouring lines")
    lines = Lines.decode(data)
    start, stop = _window(lines, change_context)
    for rung, find in _rungs(lines, edit, len(data)):
        hits = [hit for hit in find(lines, edit) if start <= hit.first < stop]
        if len(hits) > 1 and not replace_all and not change_context:
            raise Ambiguous(rung, tuple(hit.first + 1 for hit in hits))
        if hits:
            every = _merged(lines, edit, hits) if rung == "exact" and replace_all else hits
            return _write(lines, rung, every if replace_all else hits[:1])
    place = " in the block behind change_context" if change_context else ""
    raise Missed(f"old_string was not found{place}")


_Find = Callable[[Lines, _Edit], list[_Hit]]


def _rungs(lines: Lines, edit: _Edit, size: int) -> list[tuple[str, _Find]]:
    large = size > LARGE_BYTES or len(lines.pieces) > LARGE_LINES
    rungs: list[tuple[str, _Find]] = [("exact", _exact)]
    if not large and edit.old.strip():
        rungs.append(("trailing", _by(str.rstrip)))
        if edit.solid:
            rungs += [("indent", _by(str.strip)), ("spacing", _by(squeeze)), ("punctuation", _by(straight))]
        rungs.append(("numbered", _numbered))
    return rungs


def _exact(lines: Lines, edit: _Edit) -> list[_Hit]:
    view, hits, at = lines.view, [], -1
    starts = _starts(lines)
    while (at := view.find(edit.old, at + 1)) >= 0:
        end = at + len(edit.old)
        first, last = bisect_right(starts, at) - 1, bisect_right(starts, end) - 1
        text = view[starts[first] : at] + edit.new + view[end : starts[last] + len(lines.pieces[last])]
        new = tuple(text.split("\n"))
        hits.append(_Hit(first, lines.pieces[first : last + 1], new, new))
    return hits


def _merged(lines: Lines, edit: _Edit, hits: Iterable[_Hit]) -> list[_Hit]:
    """Exact hits that share a line, as one hit in which every occurrence is replaced."""
    groups: list[tuple[int, int]] = []
    for first, last in ((h.first, h.first + len(h.given) - 1) for h in hits):
        if groups and first <= groups[-1][1]:
            first, last = groups[-1][0], max(last, groups.pop()[1])
        groups.append((first, last))
    out = []
    for first, last in groups:
        given = lines.pieces[first : last + 1]
        new = tuple("\n".join(given).replace(edit.old, edit.new).split("\n"))
        out.append(_Hit(first, given, new, new))
    return out


def _starts(lines: Lines) -> list[int]:
    return list(accumulate((len(p) + 1 for p in lines.pieces[:-1]), initial=0))


def _by(normal: Callable[[str], str]) -> _Find:
    """Whole lines that are equal after `normal`, with the new text moved to the place's indentation."""

    def find(lines: Lines, edit: _Edit) -> list[_Hit]:
        hits = []
        for first in _places([normal(row) for row in lines.rows], [normal(row) for row in edit.given]):
            there = lines.pieces[first : first + len(edit.given)]
            moved = shift(there, edit.given, edit.wanted)
            if moved is None:
                raise Missed(f"lines {first + 1}-{first + len(there)} differ from old_string by uneven indentation")
            hits.append(_Hit(first, edit.given, edit.wanted, moved))
        return hits

    return find


def _numbered(lines: Lines, edit: _Edit) -> list[_Hit]:
    """Text copied with its line numbers: they must be the place's own."""
    plain = unnumbered(edit.given)
    if plain is None:
        return []
    number, given = plain
    wanted = unnumbered(edit.wanted)
    bare = _Edit("\n".join(given), "\n".join(wanted[1] if wanted else edit.wanted))
    return [hit for hit in _by(str.rstrip)(lines, bare) if hit.first + 1 == number]


def _places(rows: list[str], wanted: list[str]) -> list[int]:
    size = len(wanted)
    return [n for n in range(len(rows) - size + 1) if rows[n] == wanted[0] and rows[n : n + size] == wanted]


def _write(lines: Lines, rung: str, hits: list[_Hit]) -> Applied:
    out = lines
    for hit in reversed(hits):  # from the end, so that earlier places stay where they are
        out = out.splice(hit.first, hit.given, hit.new, hit.moved)
    grown = accumulate((len(hit.new) - len(hit.given) for hit in hits), initial=0)
    ranges = tuple((h.first + 1 + g, h.first + g + len(h.new)) for h, g in zip(hits, grown, strict=False))
    return Applied(out.encode(), rung, ranges)


def _window(lines: Lines, context: str | None) -> tuple[int, int]:
    """The piece numbers where a hit may begin: from the context line to the end of the block that it opens
    (or, if it opens none, of the block it stands in)."""
    if not context:
        return 0, len(lines.pieces)
    wanted = fold(context).strip("\n").split("\n")
    found = _places(list(lines.rows), wanted) or _places([r.strip() for r in lines.rows], [w.strip() for w in wanted])
    if len(found) != 1:
        raise Missed(f"change_context stands in {len(found)} places, it must stand in exactly one")
    anchor = found[0] + len(wanted) - 1
    depth = _depth(lines.rows[anchor])
    body = [(n, _depth(row)) for n, row in enumerate(lines.rows) if n > anchor and row.strip()]
    opens = bool(body) and body[0][1] > depth
    stop = next((n for n, d in body if (d <= depth if opens else d < depth)), len(lines.pieces))
    return found[0], stop


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
