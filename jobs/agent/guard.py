"""Read before edit: what may be changed, judged from the record of calls alone. Pure."""

from __future__ import annotations

import re

from jobs.agent.record import CallRecord, Knowledge
from jobs.agent.tools import page
from jobs.agent.tools.inside import FileView
from jobs.agent.tools.lines import Lines

_SHOWN = 120  # lines of an unread file that its refusal shows
_OMISSION = re.compile(
    r"^\s*(?:#|//|/\*|--|<!--|;)?\s*(?:\.\.\.|…)\s*"
    r"(?:\(?(?:the )?(?:existing|rest|remaining|other|previous|unchanged|same)\b.*)"
    r"|\b(?:rest of (?:the |this )?(?:file|code|function|class|method)|existing code)\b"
    r".*\b(?:unchanged|same|here|as before)\b",
    re.IGNORECASE | re.MULTILINE,
)


def knowledge(record: CallRecord | None, view: FileView) -> Knowledge:
    """What the model knows of the file; everything where no record is kept."""
    return "same" if record is None else record.knowledge(view.path, view.sha256)


def unread(view: FileView, lines: Lines, near: int = 1) -> str:
    """The refusal for a file that was never shown; it shows the rows around `near`, so that the next try can land."""
    rows = lines.rows
    start = max(1, min(near - _SHOWN // 2, len(rows) - _SHOWN))
    span = (start, min(len(rows), start + _SHOWN - 1))
    shown = page.numbered(rows, span)
    return (
        f"{view.path} was not read before. Nothing was written. Here are its lines {span[0]}-{span[1]} of {len(rows)}; "
        f"check your change against them and send it again:\n{shown}"
    )


def omits(new: str, old: str) -> str | None:
    """The marker by which `new` leaves text out that should stand there, if `old` does not have it too."""
    found = _OMISSION.search(new)
    return found[0].strip() if found and found[0].strip() not in old else None
