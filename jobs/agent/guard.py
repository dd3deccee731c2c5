"""Read before edit: what may be changed, judged from the record of calls alone. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jobs.agent.record import CallRecord, Knowledge
from jobs.agent.seen import Seen, Span, Spans, covers, named, without
from jobs.agent.tools import ask, page
from jobs.agent.tools.inside import FileView
from jobs.agent.tools.lines import Lines

_SHOWN, _CHARS = 120, 20_000  # lines and characters of a file that its refusal shows
_LEAST = 10  # lines around each of several places
_NAMED = 8  # ranges that are named one by one
_STATE = {
    "never": "was not read before",
    "glimpsed": "is not in view: single lines of it were shown at most, or what was shown is gone or was cut",
    "changed": "is not now as it was when you saw it",
}


@dataclass(frozen=True)
class Known:
    """What the model knows of a file as it is now: `lines` are those that it sees, None for all."""

    state: Knowledge
    lines: Spans | None


@dataclass(frozen=True)
class Refusal:
    """What a refused change is told, and what of the file the model sees by it."""

    text: str
    seen: Seen


def known(record: CallRecord | None, view: FileView, lines: Lines) -> Known:
    """What the model knows of the file; everything where no record is kept, and of an empty file."""
    count = len(lines.rows)
    if record is None or not count:
        return Known("same", None)
    visible = record.visible(view.path, view.sha256)
    if covers(visible, [(1, count)]):
        return Known("same", None)
    return Known(record.knowledge(view.path, view.sha256), visible)


def around(view: FileView, lines: Lines, had: Known, why: str, near: Sequence[int], *, most: int) -> Refusal:
    """The refusal of edits that mean the rows `near`, which are shown in about `most` lines so that the next try can
    land; `why` goes on after what is known of the file."""
    each = max(most // max(len(near), 1), _LEAST)
    spans = [_window(row, each, len(lines.rows)) for row in near[: _SHOWN // _LEAST]]
    return _refusal(view, lines, had, why, spans)


def unread(view: FileView, lines: Lines, had: Known) -> Refusal:
    """The refusal of a whole new text for a file of which not every line is known; it shows the others, as far as
    there is room."""
    unseen = without([(1, len(lines.rows))], had.lines or ())
    why = "" if had.state == "never" else ", and write_file replaces all of it"
    return _refusal(view, lines, had, why, _first(unseen, _SHOWN), unseen)


def _refusal(
    view: FileView, lines: Lines, had: Known, why: str, spans: Sequence[Span], needed: Sequence[Span] = ()
) -> Refusal:
    rows = lines.rows
    shown = page.ranges(view.path, rows, spans, room=_CHARS, told=False)
    stand = shown.spans or ()
    seen = Seen.part(view.sha256, shown.known(len(rows)), len(rows))
    state = _STATE.get(had.state) or f"was read in part only ({_some(had.lines or ())} of {len(rows)})"
    text = (
        f"{view.path} {state}{why}. Nothing was written. Here are its lines {named(stand)} of {len(rows)}:\n"
        f"{shown.text}\n{_next(view.path, without(needed, shown.known(len(rows)) or ()), without(needed, stand))}"
    )
    return Refusal(text, seen)


def _next(path: str, unseen: Spans, unshown: Spans) -> str:
    """The next step, where the lines `unseen` must be known still, of which `unshown` were not even shown in part."""
    if unshown:
        rest = ask.ranges(path, unshown[:_NAMED])
        return f"Next: readfile {rest} for the rest and send it again, or change single places with edit."
    if unseen:
        return f"Next: change single places with edit, for {_some(unseen)} can't be shown whole."
    return "Next: check your change against these lines and send it again."


def _window(near: int, size: int, count: int) -> Span:
    start = max(1, min(near - size // 2, count - size + 1))
    return start, min(count, start + size - 1)


def _first(spans: Spans, most: int) -> Spans:
    """The first `most` lines of `spans`."""
    out: list[Span] = []
    for start, end in spans:
        if most <= 0:
            break
        out.append((start, min(end, start + most - 1)))
        most -= end - start + 1
    return tuple(out)


def _some(spans: Spans) -> str:
    more = f" and {len(spans) - _NAMED} more ranges" if len(spans) > _NAMED else ""
    one = len(spans) == 1 and spans[0][0] == spans[0][1]
    return f"line{'' if one else 's'} {named(spans[:_NAMED])}{more}"
