"""The change card: what a file's text was and is, as a unified diff. Pure."""

from __future__ import annotations

from difflib import unified_diff

from jobs.agent.tools.lines import Lines, NotText

CONTEXT = 3  # lines that stand around a change
_MOST = 200  # lines of one card
_CUT = "more lines of this change …]"


def card(path: str, before: bytes | None, after: bytes | None) -> str:
    """The change of one file (None: does not exist): its path with the number of added and removed lines, and the
    diff; at most 200 lines of it."""
    try:
        old, new = (Lines.decode(data).rows if data is not None else () for data in (before, after))
    except NotText:
        return f"{path}: binary content changed"
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
    rows = list(unified_diff(old, new, *names, lineterm="", n=CONTEXT))
    if not rows and before is None:
        return f"{path}: a new file, empty"
    if not rows and after is None:
        return f"{path}: gone, it was empty"
    if not rows:
        return f"{path}: only bytes that no line shows changed (line ends or the final line feed)"
    added, removed = (sum(row.startswith(sign) for row in rows[2:]) for sign in "+-")
    head = f"{path} (+{added} −{removed} lines)"
    more = [f"[… {len(rows) - _MOST} {_CUT}"] if len(rows) > _MOST else []
    return "\n".join([head, *rows[:_MOST], *more])


def is_whole(drawn: str) -> bool:
    """Whether a card shows all of its change."""
    return not drawn.endswith(_CUT)
