"""Every sentence that people see: small functions of what they are about. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from jobs.outcome import Level, Outcome

FORK = (
    "This pull request comes from a fork. Patchwright runs only code that lies in this repository, so it did not "
    "start. A maintainer can push the branch here and ask again."
)
COMMENT_CHANGED = "The comment was edited or deleted after it was sent. Please write the command in a new comment."
EDITED_HINT = "Commands in edited comments are not run. Please write it in a new comment."
BOT = "Bots may not ask."
NOT_ASKED = "This job has nobody who asked for it, and the repository's file does not switch it on."
UNSURE = "Your permission could not be checked just now, so nothing was started. Please ask again in a few minutes."
MAY_LIE = (
    "A hostile change can lie from inside the test process. Nothing here replaces reading the change before it is "
    "merged."
)

_OUTCOMES = {
    Outcome.FIXED: "Fixed, and proven by the repository's own tests",
    Outcome.ANSWERED: "Answered",
    Outcome.NO_CHANGE_NEEDED: "No change is needed",
    Outcome.NOT_REPRODUCED: "Nothing failed before the change, so it is not proven",
    Outcome.FLAKY: "The failure went away when the same commit was run again",
    Outcome.NOT_FIXED: "Not fixed",
    Outcome.OUT_OF_BUDGET: "Stopped at a limit",
    Outcome.BLOCKED: "Not allowed",
    Outcome.STALE: "The branch moved meanwhile and the change no longer fits",
    Outcome.CANCELLED: "Stopped on request",
    Outcome.ENVIRONMENT: "It could not be done here",
    Outcome.ERROR: "Patchwright failed: this is a bug in it",
}
_LEVELS = {
    Level.A: "the failure was reproduced and is gone; the base's tests are unmodified and were judged one by one",
    Level.B: "the base's tests are unmodified and were judged one by one; no failure was reproduced before",
    Level.C: "only the exit code of the test command is known",
    Level.D: "it could not be run here; the repository's own checks must judge this commit",
}
_STAGES = {
    "queued": "waiting for a worker",
    "workspace": "getting the code",
    "setup": "preparing the environment",
    "baseline": "running the test suite on the base",
    "attempt": "working on the change",
    "verify": "running the full test suite on the result",
    "score": "measuring how small the change is",
    "publish": "publishing",
}
_CONCLUSIONS = {
    Outcome.FIXED: "success",
    Outcome.ANSWERED: "success",
    Outcome.NO_CHANGE_NEEDED: "success",
    Outcome.CANCELLED: "cancelled",
    Outcome.BLOCKED: "action_required",
    Outcome.ERROR: "failure",
}


def marker(run: str) -> str:
    """The hidden line by which a run finds its own comment and pull request again."""
    return f"<!-- patchwright:run={run} -->"


def outcome(ended: Outcome) -> str:
    """An outcome as a headline, without a full stop."""
    return _OUTCOMES[ended]


def level(proof: Level) -> str:
    """What a proof level means."""
    return f"Level {proof}: {_LEVELS[proof]}."


def stage(name: str) -> str:
    """What a run is doing now."""
    return _STAGES.get(name, name)


def conclusion(ended: Outcome) -> str:
    """The conclusion of a check run for an outcome."""
    return _CONCLUSIONS.get(ended, "neutral")


def may_not_ask(login: str, role: str, roles: Iterable[str]) -> str:
    """Somebody without the right asked."""
    return f"{login} may not ask Patchwright here: that needs one of {', '.join(roles)}, not {role or 'no role'}."


def command_off(kind: str) -> str:
    """A kind of job that must be switched on first."""
    return f"`{kind}` is not switched on for this repository: see `triggers` in .github/patchwright.yml."


def option_unknown(name: str, known: Iterable[str]) -> str:
    """An option that does not exist."""
    return f"There is no option {name}=: the options are {', '.join(f'{k}=' for k in known)}."


def option_bad(name: str, value: str, wanted: str) -> str:
    """An option whose value can't be read."""
    return f"{name}={value} can't be read: {wanted}."


def over_limit(name: str, value: str, most: str) -> str:
    """An option above what the repository or the operator allows."""
    return f"{name}={value} is more than is allowed here: at most {most}."


def model_not_allowed(model: str, allowed: Iterable[str]) -> str:
    """A model that may not be used."""
    return f"model={model} is not allowed here: {', '.join(allowed)}."


def bug(run: str) -> str:
    """What people are told of a bug."""
    return f"Something went wrong inside Patchwright. The operator finds the details under run {run}."


def accepted(kind: str, where: str | None) -> str:
    """A job was taken."""
    return f"Patchwright took `{kind}`." + (f" Progress: {where}" if where else "")


def usage(prefix: str = "/agent") -> str:
    """The answer to `help`: the commands, one a line, as Markdown."""
    commands = (
        ("fix [words]", "fix this issue or pull request and prove it with the tests"),
        ("plan", "say how it would be done, change nothing"),
        ("ask …", "answer a question about the code"),
        ("ci", "fix what the failed checks show"),
        ("bump [name]", "update dependencies"),
        ("verify", "judge this pull request's change"),
        ("retry · stop · undo · status · help", "the last run here"),
    )
    rows = (f"- `{prefix} {command}`: {meaning}" for command, meaning in commands)
    return "\n".join(("Write one of these as the first line of a new comment:", "", *rows))


def not_yet(kind: str) -> str:
    """A command that this version does not know how to do."""
    return f"`{kind}` is not there yet in this version."


def status(runs: Iterable[tuple[str, str]]) -> str:
    """The answer to `status`: (run id, what it does or came to), newest first."""
    rows = [f"- `{run}`: {what}" for run, what in runs]
    return "\n".join(rows) if rows else "No run is known for this thread."


def stopping(run: str) -> str:
    """The answer to `stop` where a run is under way."""
    return f"Run `{run}` is being stopped."


def nothing_to_stop() -> str:
    """The answer to `stop` where there is none."""
    return "No run is under way here."


def followups(number: int | None, prefix: str = "/agent") -> str:
    """How a person goes on from a pull request of ours, as Markdown."""
    where = f" on #{number}" if number is not None else ""
    commands = f"`{prefix} retry` or `{prefix} fix <what to change>`"
    return f"To follow up, write {commands} as the first line of a new comment{where}: the same branch is updated."
