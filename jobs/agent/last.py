"""The honest message of a session that was stopped: what was done, what remains, where it got stuck. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jobs.agent.attempt import AttemptEnd
from jobs.agent.record import Call

WHY = {
    "rounds": "the cap of rounds was reached",
    "dollars": "the next request could pass the cap of dollars",
    "tokens": "the cap of tokens was reached",
    "minutes": "the cap of minutes was reached",
    "stuck": "the session got stuck",
    "stopped": "the session was ended from outside",
}
_FILES, _ERROR = 20, 300


def message(ended: AttemptEnd, words: str, calls: Sequence[Call], changed: Sequence[str], reading: bool = False) -> str:
    """The model's last `words`, with what the record of its calls says beside them; `changed` are the paths that are
    not as they were, `reading` says that none could be."""
    if ended == "done":
        return words
    if reading:
        return "\n".join(filter(None, (words, f"Stopped: {WHY[ended]}.")))
    more = f" and {len(changed) - _FILES} more" if len(changed) > _FILES else ""
    done = f"Changed so far: {', '.join(changed[:_FILES])}{more}." if changed else "Nothing was changed."
    tests = _checks(calls) if changed else ""
    return "\n".join(filter(None, (words, f"Stopped: {WHY[ended]}. {done}", tests, _last(calls))))


def _checks(calls: Sequence[Call]) -> str:
    """What is known of the change as it is now: what ran before its last part says nothing of it."""
    changed = max((n for n, call in enumerate(calls) if call.changed_files), default=0)
    told = [(n, facts) for n, call in enumerate(calls) if (facts := call.tests or call.checks) is not None]
    since = [facts for n, facts in told if n >= changed]
    if since:
        return _state(since)
    shell = any(call.tool == "shell" for call in calls[changed:])
    unless = ", unless a shell command ran some" if shell else ""
    if told:
        before = "green" if told[-1][1]["green"] else "not green"
        return f"The tests that ran last were {before}, but not on the last change: none ran on that{unless}."
    return f"No test ran on the change{unless}."


def _state(runs: Sequence[Mapping[str, Any]]) -> str:
    """Of several runs on the same state that differ, neither is believed."""
    green = {bool(facts["green"]) for facts in runs}
    if len(green) > 1:
        return "Some of the tests that ran last on it were green and some were not."
    # Where no test was counted it may have been the syntax alone that was looked at.
    what = "tests" if any(facts["ran"] for facts in runs) else "checks"
    return f"The {what} that ran last on it were {'green' if green == {True} else 'not green'}."


def _last(calls: Sequence[Call]) -> str:
    failed = [call for call in calls[-3:] if not call.ok]
    if not failed:
        return ""
    return f"The last calls that failed: {', '.join(sorted({call.tool for call in failed}))}."
