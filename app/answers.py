"""What control says by itself: help, status, stopped, busy, hints. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from jobs.job import FUTURE_OPTIONS, OPTIONS, Job
from jobs.runs import Run

_HELP = (
    ("fix [what to mind]", "fix this issue; a pull request follows, proven by the test suite"),
    ("retry", "the last command once more"),
    ("stop", "stop what runs here"),
    ("status", "what runs and ran here"),
    ("help", "this list"),
)

NOTHING_RAN = "Nothing ran here that could be tried again."
NO_UNDO = "`undo` can't be done yet: close the pull request and delete its branch by hand."

MOVED = "New commits came after you asked, so nothing was started. Look at them, then ask again."


def help_text(prefix: str, problem: str = "") -> str:
    """The commands, under the sentence that says what was wrong."""
    rows = [f"- `{prefix} {command}`: {what}" for command, what in _HELP]
    options = ", ".join(f"`{name}=`" for name in OPTIONS)
    foot = f"Write it as the first line of a new comment. Options: {options}."
    return "\n".join([*([problem, ""] if problem else []), *rows, "", foot])


def missing_text(draft: Job) -> str:
    """One sentence if `draft` asks for work that Patchwright can't do yet, '' if it can."""
    if draft.kind != "fix":
        return f"`{draft.kind}` does not exist yet."
    if draft.is_pull:
        return "`fix` works on issues so far, not on pull requests."
    future = next((name for name in draft.options if name in FUTURE_OPTIONS), "")
    return f"The option {future}= does not exist yet." if future else ""


def status_text(runs: Sequence[Run]) -> str:
    """One row a run, newest first."""
    if not runs:
        return "Nothing runs or ran here."
    return "\n".join(["| run | command | state | spent |", "| --- | --- | --- | --- |", *map(_row, runs)])


def _row(run: Run) -> str:
    state = f"{run.outcome}" if run.outcome else run.state
    return f"| `{run.id}` | {run.job.kind} | {state} | ${run.usd:.2f} |"


def stopped_text(count: int) -> str:
    """How many runs were asked to stop."""
    return "Nothing runs here." if count == 0 else f"Stopping {count} run{'s' if count > 1 else ''}."


def busy_text(run: str) -> str:
    """Somebody asked for more while a run is at work here."""
    return f"Run `{run}` is still at work here; ask again when it has ended, or stop it first."


def hint_text(prefix: str) -> str:
    """A command appeared in an edited comment."""
    return f"Edited comments start nothing. Write `{prefix} …` as a new comment."


def died_text(deaths: int) -> str:
    """A run that keeps killing its worker."""
    return f"The worker died {deaths} times on this run (out of memory, or killed from outside); it is not tried again."
