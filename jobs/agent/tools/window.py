"""Where behind a line that stands once an edit may begin. Pure."""

from __future__ import annotations

from jobs.agent.tools.lines import Lines, fold
from jobs.agent.tools.place import places_of


def window(lines: Lines, context: str) -> tuple[int, int] | int:
    """The piece numbers where a hit may begin: from the context line to the end of the block that it opens (or, if
    it opens none, of the block it stands in); the number of places where `context` stands if that is not one."""
    wanted = fold(context).strip("\n").split("\n")
    found = places_of(lines, wanted) or places_of(lines, [w.strip() for w in wanted], str.strip)
    if len(found) != 1:
        return len(found)
    anchor = found[0] + len(wanted) - 1
    depth = _depth(lines.rows[anchor])
    body = [(n, _depth(row)) for n, row in enumerate(lines.rows) if n > anchor and row.strip()]
    opens = bool(body) and body[0][1] > depth
    stop = next((n for n, d in body if (d <= depth if opens else d < depth)), len(lines.pieces))
    return found[0], stop


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
