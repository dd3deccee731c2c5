"""The honest message of a session that was stopped: what was done, what remains, where it got stuck. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jobs.agent.attempt import AttemptEnd
from jobs.agent.record import Call

WHY = {
    "rounds": "the cap of rounds was reached",
    "dollars": "the cap of dollars was reached",
    "tokens": "the cap of tokens was reached",
    "minutes": "the cap of minutes was reached",
    "stuck": "the session got stuck",
}
_FILES, _ERROR = 20, 300


def message(ended: AttemptEnd, words: str, calls: Sequence[Call], touched: Mapping[str, str | None]) -> str:
    """The model's last `words`, with what the record of its calls says beside them."""
    if ended == "done":
        return words
    changed = sorted(touched)
    more = f" and {len(changed) - _FILES} more" if len(changed) > _FILES else ""
    done = f"Changed so far: {', '.join(changed[:_FILES])}{more}." if changed else "Nothing was changed."
    return "\n".join(filter(None, (words, f"Stopped: {WHY[ended]}. {done}", _checks(calls), _last(calls))))


def _checks(calls: Sequence[Call]) -> str:
    checked = [call.checks for call in calls if call.checks is not None]
    if not checked:
        return "No test ran on the change."
    state = "green" if checked[-1]["green"] else "not green"
    return f"The tests that ran last on it were {state}."


def _last(calls: Sequence[Call]) -> str:
    failed = [call for call in calls[-3:] if not call.ok]
    if not failed:
        return ""
    return f"The last calls that failed: {', '.join(sorted({call.tool for call in failed}))}."
