"""Every sentence that people see: small functions of what they are about. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from jobs.outcome import Level, Outcome

FORK = (
    "This pull request comes from a fork. Patchwright runs only code that lies in this repository, so it did not "
    "start. A maintainer can push the branch here and ask again."
)
COMMENT_CHANGED = "The comment was edited or deleted after it was sent. Please write the command in a new comment."
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
    "fixers": "trying the repository's own fixers",
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


def option_unknown(name: str, known: Iterable[str]) -> str:
    """An option that does not exist."""
    return f"There is no option {name}=: the options are {', '.join(f'{k}=' for k in known)}."


def option_future(name: str) -> str:
    """An option that is planned and does nothing yet."""
    return f"The option {name}= does not exist yet."


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


def not_yet(kind: str) -> str:
    """A command that this version does not know how to do."""
    return f"`{kind}` is not there yet in this version."


def followups(number: int | None, prefix: str = "/agent") -> str:
    """How a person goes on from a pull request of ours, as Markdown."""
    where = f" on #{number}" if number is not None else ""
    commands = f"`{prefix} retry` or `{prefix} fix <what to change>`"
    return f"To follow up, write {commands} as the first line of a new comment{where}: the same branch is updated."
