"""Old texts that leave lines out with `...`: exact pieces in order, each standing once, the gaps kept. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from jobs.agent.tools.lines import Lines
from jobs.agent.tools.place import Hit, Place, Wanted, places_of

_DOTS = "..."


def elided(lines: Lines, edit: Wanted) -> list[Place]:
    """The one place where all pieces stand, if old and new leave out as many times. A gap is at least one line and
    does not leave the block that its ends stand in; a file with `...` lines of its own has no such place."""
    old, new = _split(edit.given), _split(edit.wanted)
    if len(old) < 2 or len(old) != len(new) or not all(any(r.strip() for r in piece) for piece in old):
        return []
    if any(row.strip() == _DOTS for row in lines.rows):
        return []
    hits = []
    for given, wanted in zip(old, new, strict=True):
        found = places_of(lines, given)
        if len(found) != 1:
            return []
        hits.append(Hit(found[0], given, wanted, wanted))
    gaps = [(a.stop, b.first) for a, b in pairwise(hits)]
    return [tuple(hits)] if all(_inside(lines, *gap) for gap in gaps) else []


def _split(rows: Sequence[str]) -> list[tuple[str, ...]]:
    out: list[tuple[str, ...]] = [()]
    for row in rows:
        if row.strip() == _DOTS:
            out.append(())
        else:
            out[-1] = (*out[-1], row)
    return out


def _inside(lines: Lines, first: int, stop: int) -> bool:
    """True if rows `first` to `stop` (not included) lie in one block with the rows around them."""
    if first >= stop:
        return False
    above, below = _depth(lines.rows[first - 1]), _depth(lines.rows[stop])
    floor = above + 1 if below > above else below
    return all(_depth(row) >= floor for row in lines.rows[first:stop] if row.strip())


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
