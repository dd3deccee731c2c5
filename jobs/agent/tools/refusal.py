"""The message of one edit that has no place: why, what stands there, and the next step. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.agent.record import CallRecord
from jobs.agent.tools import ask
from jobs.agent.tools.arguments import OneEdit
from jobs.agent.tools.faults import Ambiguous, Missed
from jobs.agent.tools.lines import Lines, NotText
from jobs.agent.tools.miss import choosable, places, span, standing, told
from jobs.agent.tools.paths import tidy

REWRITE_LINES = 300  # up to here a file that was read whole is soon written anew


@dataclass(frozen=True)
class History:
    """What the session's record says of one file: how many edit calls named it and left it as it was, and whether all
    of its present text is known."""

    failed: int = 0
    whole: bool = False

    @classmethod
    def of(cls, record: CallRecord | None, path: str, asked: Sequence[str], *, whole: bool) -> History:
        """The history of the file at `path`, which edits may also have named as one of `asked`."""
        if record is None:
            return cls()
        names = {path, *asked}
        calls = (call for call in record.calls if call.tool == "edit" and not call.ok and names & _named(call.args))
        return cls(sum(1 for call in calls if path not in call.changed_files), whole)


def _named(args: Mapping[str, Any]) -> set[str]:
    """The files that an edit call named; its arguments are as the model sent them."""
    edits = args.get("edits")
    rows = edits if isinstance(edits, Sequence) else ()
    paths = [row.get("path") for row in rows if isinstance(row, Mapping)]
    return {tidy(path) for path in paths if isinstance(path, str)}


def refusal(path: str, lines: Lines, one: OneEdit, no: Missed | Ambiguous | NotText, history: History) -> str:
    """What the writer of `one` is told; at most about 4,000 characters."""
    if isinstance(no, NotText):
        return f"{no}. Next: change it with shell."
    if isinstance(no, Ambiguous):
        context = " send a line named above as change_context," if choosable(lines.rows, no.lines) else ""
        return (
            f"{no}: {places(lines.rows, no.lines)}. Next: add neighbouring lines to old_string until it stands once,"
            f"{context} or send replace_all to change every place."
        )
    if no.step:
        return f"{no}. Next: {no.step}."
    if one.new_string and (at := standing(lines, one.new_string)) and one.old_string.strip() not in one.new_string:
        return (
            f"{no}. new_string already stands in the file at lines {at[0]}-{at[1]}: this change may be done. "
            "Next: go on if it is; otherwise readfile those lines and send what is still to change."
        )
    return _missed(path, lines, one, no, history)


def _missed(path: str, lines: Lines, one: OneEdit, no: Missed, history: History) -> str:
    near = told(lines, one.old_string)
    return f"{no}.\n{near}\n{_next(path, lines, one, history)}" if near else _far(no, path, lines, history)


def _next(path: str, lines: Lines, one: OneEdit, history: History) -> str:
    if history.failed:
        return _again(path, lines, one, history)
    return "Next: copy the lines exactly as the file has them and send this edit again."


def _far(no: Missed, path: str, lines: Lines, history: History) -> str:
    if history.failed and history.whole and len(lines.rows) <= REWRITE_LINES:
        return f"{no}; nothing in the file is like it. Next: write the whole file with write_file."
    return f"{no}; nothing in the file is like it. Next: search for the text you mean, or readfile {path}."


def _again(path: str, lines: Lines, one: OneEdit, history: History) -> str:
    """The next step where an edit of this file failed before."""
    if history.whole and len(lines.rows) <= REWRITE_LINES:
        return (
            f"An edit of {path} failed before too. Next: copy the lines exactly, or write the whole file anew with "
            f"write_file (you have read all its {len(lines.rows)} lines)."
        )
    first, last = span(lines, one.old_string) or (1, len(lines.rows))
    place = ask.ranges(path, [(max(1, first - 5), min(len(lines.rows), last + 5))])
    return (
        f"An edit of {path} failed before too. Next: readfile {place}, then copy those lines and send this edit again."
    )
