"""Where an old text stands in a file, and the file with the new text in its place. Pure.

The ladder: exact; ignoring trailing white space; ignoring how many blank lines stand in a row; ignoring indentation
(one proven shift for all lines); ignoring spacing inside lines; ignoring the typographic form of punctuation; copied
line numbers taken off; exact pieces around `...` lines, the gap between them kept. Each rung needs exactly one place;
the first rung with several ends the search. Nothing is ever written on likeness. Exact text between words goes before
the same text inside longer ones.

Bytes of lines that nobody edited never change: a line that old and new text have alike keeps the file's own spacing,
punctuation and ending, however the writer rendered it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from jobs.agent.tools.blanks import blanks, imports_marker, marks
from jobs.agent.tools.edges import inside, undecided, whole
from jobs.agent.tools.elided import elided
from jobs.agent.tools.faults import Ambiguous as Ambiguous
from jobs.agent.tools.faults import Missed as Missed
from jobs.agent.tools.likeness import squeeze, straight
from jobs.agent.tools.lines import Lines, fold
from jobs.agent.tools.numbers import carries, copied, numbered
from jobs.agent.tools.place import Find, Hit, Place, Wanted, by, exact, merged
from jobs.agent.tools.window import window

LARGE_BYTES, LARGE_LINES = 2 << 20, 50_000  # above these only the exact rung is tried
RUNGS = ("exact", "trailing", "blanks", "indent", "spacing", "punctuation", "numbered", "elided")

_LEAVE = "leave this edit out, or send the text that is to be replaced as old_string"
_ESCAPED = " (it has \\n as two characters: if line feeds are meant, send real ones)"


@dataclass(frozen=True)
class Applied:
    """The new bytes, the rung that found the place, and the changed lines in the new file (first, last; from 1;
    last < first where lines were only removed)."""

    data: bytes
    rung: str
    lines: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Found:
    """The rung that found the places, and what changes there: each hit is trimmed to the lines that change (and one
    beside a mere insertion), in the order of the file, none sharing a line with another."""

    rung: str
    hits: tuple[Hit, ...]
    inside: tuple[str, ...] = ()  # longer words, each with its line, in which an exact text begins or ends

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line that change, in the file as it was, from 1."""
        return self.hits[0].first + 1, self.hits[-1].stop


def apply(data: bytes, old: str, new: str, *, change_context: str | None = None, replace_all: bool = False) -> Applied:
    """`data` with `new` in place of `old`.

    `change_context` is one line that stands once in the file: the first place behind it, inside its block, is
    taken. `replace_all` takes every place of the first rung that has any. Raises Missed (no place, or nothing to
    change), Ambiguous (several places), or NotText.
    """
    lines = Lines.decode(data)
    found = find(lines, old, new, change_context=change_context, replace_all=replace_all)
    return Applied(write(lines, found.hits).encode(), found.rung, _grown(found.hits))


def find(lines: Lines, old: str, new: str, *, change_context: str | None = None, replace_all: bool = False) -> Found:
    """Where and how `lines` would change; arguments and errors as of `apply`."""
    edit = Wanted(fold(old), fold(new))
    _sensible(edit)
    start, stop = _window(lines, change_context)
    for rung, search in _rungs(lines, edit):
        places = [place for place in search(lines, edit) if start <= place[0].first < stop]
        if rung == "exact" and not replace_all:
            places = whole(lines, places)
        if len(places) > 1 and not replace_all and not change_context:
            raise Ambiguous(rung, tuple(place[0].first + 1 for place in places))
        if places:
            found = _found(lines, edit, rung, places, (start, stop), every=replace_all)
            if row := copied(lines, [row for hit in found.hits for row in hit.new if row not in hit.given]):
                raise carries(row)
            return found
    if marker := imports_marker(edit.given):
        raise Missed(f"old_string holds {marker!r}, which stands for lines that were not shown: send the real lines")
    place = " in the block behind change_context" if change_context else ""
    escaped = "\\n" in edit.old and "\n" not in edit.old
    raise Missed(f"old_string was not found{place}{_ESCAPED if escaped else ''}")


def _found(
    lines: Lines, edit: Wanted, rung: str, places: list[Place], window: tuple[int, int], *, every: bool
) -> Found:
    """What the first of `places`, or every one, comes to."""
    if rung != "exact":
        return Found(rung, _changes(_apart(places) if every else places[:1]))
    if every:
        return Found(rung, _changes(merged(lines, edit, places)), inside(lines, places))
    if not _large(lines):
        undecided(lines, edit, places[0], *window)
    return Found(rung, _changes(places[:1]), inside(lines, places[:1]))


def write(lines: Lines, hits: Sequence[Hit]) -> Lines:
    """`lines` with every hit carried out; they must not share a line. Raises NotText."""
    for hit in sorted(hits, key=lambda h: h.first, reverse=True):  # from the end: earlier places stay where they are
        lines = lines.splice(hit.first, hit.given, hit.new, hit.moved or hit.new)
    return lines


def _sensible(edit: Wanted) -> None:
    if edit.old == edit.new:
        raise Missed("old_string and new_string are the same: there is nothing to change", _LEAVE)
    if not edit.old:
        raise Missed("old_string is empty: to make a file use write_file, to insert give neighbouring lines", _LEAVE)
    if more := Counter(marks(edit.new.split("\n"))) - Counter(marks(edit.old.split("\n"))):
        raise Missed(
            f"new_string holds {next(iter(more))!r}, which stands for lines that were not shown",
            "readfile those lines and write them out, or leave them out of both texts",
        )


def _rungs(lines: Lines, edit: Wanted) -> list[tuple[str, Find]]:
    rungs: list[tuple[str, Find]] = [("exact", exact)]
    if _large(lines) or not edit.old.strip() or imports_marker(edit.given):
        return rungs
    rungs += [("trailing", by(str.rstrip)), ("blanks", blanks(loose=False))]
    if edit.solid:
        rungs += [("blanks", blanks(loose=True)), ("indent", by(str.strip)), ("spacing", by(squeeze))]
        rungs.append(("punctuation", by(straight)))
    numbers = numbered(blanks(loose=False) if marks(edit.given) else by(str.rstrip))
    return [*rungs, ("numbered", numbers), ("elided", elided)]


def _large(lines: Lines) -> bool:
    return len(lines.view) > LARGE_BYTES or len(lines.pieces) > LARGE_LINES


def _apart(places: Sequence[Place]) -> list[Place]:
    """The places that do not overlap one before them."""
    out: list[Place] = []
    for place in places:
        if not out or place[0].first >= out[-1][-1].stop:
            out.append(place)
    return out


def _changes(places: Sequence[Place]) -> tuple[Hit, ...]:
    hits = [hit for place in places for hit in place]
    for hit in hits:
        if hit.moved is None:
            raise Missed(f"lines {hit.first + 1}-{hit.stop} differ from old_string by uneven indentation")
    changed = tuple(small for hit in hits if (small := hit.trimmed()) is not None)
    if not changed:
        raise Missed("the text stands there, but new_string changes nothing of it", _LEAVE)
    return changed


def _grown(hits: Sequence[Hit]) -> tuple[tuple[int, int], ...]:
    grown = accumulate((len(hit.new) - len(hit.given) for hit in hits), initial=0)
    return tuple((h.first + 1 + g, h.first + g + len(h.new)) for h, g in zip(hits, grown, strict=False))


def _window(lines: Lines, context: str | None) -> tuple[int, int]:
    if not context:
        return 0, len(lines.pieces)
    found = window(lines, context)
    if isinstance(found, int):
        raise Missed(f"change_context stands in {found} places, it must stand in exactly one")
    return found
