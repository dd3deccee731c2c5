"""Who may ask, and for how much: decided anew from GitHub right before anything starts; every doubt means no."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from jobs import messages
from jobs.errors import EnvironmentFault
from jobs.github.errors import NotFound
from jobs.github.values import Comment, Pull
from jobs.job import FUTURE_OPTIONS, OPTIONS, Job
from jobs.policy import Policy

logger = logging.getLogger(__name__)

_UNASKED = ("ci", "bump", "verify")


@dataclass(frozen=True)
class Ceilings:
    """What the operator allows at most; None or empty: no ceiling. `model` is what is asked where nobody says more."""

    usd_per_run: float | None = None
    minutes: float | None = None
    models: tuple[str, ...] = ()
    model: str = ""


@dataclass(frozen=True)
class Limits:
    """What one run may use."""

    usd: float
    minutes: float
    verify_minutes: float
    rounds: int
    model: str


@dataclass(frozen=True)
class Allowed:
    """The run may start, within `limits`."""

    limits: Limits


@dataclass(frozen=True)
class Refused:
    """It may not; `sentence` is for the person, posted only if `tell` (bots are never answered)."""

    sentence: str
    tell: bool = True


Decision = Allowed | Refused


class Asks(Protocol):
    """What is asked of GitHub here."""

    def get_comment(self, comment_id: int) -> Comment: ...

    def permission(self, login: str) -> str: ...

    def pull(self, number: int) -> Pull: ...


def decide(job: Job, github: Asks, policy: Policy, ceilings: Ceilings) -> Decision:
    """Whether `job` may start. Raises RateLimited and Unclear (Retry) only: then nothing starts, and it can be asked
    later; a definite error means no."""
    try:
        refused = _who(job, github, policy) or _where(job, github)
    except EnvironmentFault as doubt:
        logger.warning("permission unknown", extra={"run": job.run, "why": str(doubt)})
        refused = Refused(messages.UNSURE)
    return refused or limits(job.options, policy, ceilings)


def limits(options: Mapping[str, str], policy: Policy, ceilings: Ceilings) -> Decision:
    """The run's caps: the smallest of operator's, repository's and what the command asked for; more is refused."""
    allowed = within(policy, ceilings)
    odd = next((name for name in options if name not in OPTIONS), None)
    if odd is not None:
        future = odd in FUTURE_OPTIONS
        return Refused(messages.option_future(odd) if future else messages.option_unknown(odd, OPTIONS))
    asked = _dollars(options["budget"]) if "budget" in options else allowed.usd
    if asked is None:
        return Refused(messages.option_bad("budget", options["budget"], "write dollars, such as budget=1.50"))
    if asked > allowed.usd:
        return Refused(messages.over_limit("budget", options["budget"], f"{allowed.usd:g}"))
    model = options.get("model", allowed.model)
    models = ceilings.models or (allowed.model,)
    if "model" in options and model not in models:
        return Refused(messages.model_not_allowed(model, models))
    return Allowed(Limits(asked, allowed.minutes, allowed.verify_minutes, allowed.rounds, model))


def within(policy: Policy, ceilings: Ceilings) -> Limits:
    """The repository's caps, cut down to the operator's."""
    budget = policy.budget
    model = policy.model or ceilings.model
    if ceilings.models and model not in ceilings.models:
        model = ceilings.model if ceilings.model in ceilings.models else ceilings.models[0]
    return Limits(
        usd=_least(budget.usd_per_run, ceilings.usd_per_run),
        minutes=_least(budget.minutes, ceilings.minutes),
        verify_minutes=budget.verify_minutes,
        rounds=budget.rounds,
        model=model,
    )


def _who(job: Job, github: Asks, policy: Policy) -> Refused | None:
    if job.requester is None:
        return None if _unasked(job.kind, policy) else Refused(messages.NOT_ASKED, tell=False)
    bot = job.requester.endswith("[bot]")
    if job.comment_id is not None:
        try:
            comment = github.get_comment(job.comment_id)
        except NotFound:
            return Refused(messages.COMMENT_CHANGED)
        if comment.author.id in policy.who.bots:
            return None if _fresh(job, comment) else Refused(messages.BOT, tell=False)
        bot = bot or not comment.author.is_person
        if not bot and not _fresh(job, comment):
            return Refused(messages.COMMENT_CHANGED)
    return Refused(messages.BOT, tell=False) if bot else _role(job.requester, github, policy)


def _role(login: str, github: Asks, policy: Policy) -> Refused | None:
    role = github.permission(login)
    return None if role in policy.who.roles else Refused(messages.may_not_ask(login, role, policy.who.roles))


def _fresh(job: Job, comment: Comment) -> bool:
    """True if the comment is the one of the signed delivery, never edited since it was written. Its text need not be
    compared: an unedited comment can only say what was delivered, and a job tried again carries an earlier text."""
    same = comment.id == job.comment_id and comment.author.login.casefold() == (job.requester or "").casefold()
    return same and comment.updated_at == job.comment_updated_at == comment.created_at


def _where(job: Job, github: Asks) -> Refused | None:
    if not job.is_pull or job.issue is None:
        return None
    return Refused(messages.FORK) if github.pull(job.issue).from_fork else None


def _unasked(kind: str, policy: Policy) -> bool:
    triggers = policy.triggers
    on = {"ci": triggers.ci != "off", "bump": triggers.bump != "off", "verify": triggers.verify is not None}
    return kind in _UNASKED and on[kind]


def _dollars(text: str) -> float | None:
    try:
        value = float(text.removeprefix("$"))
    except ValueError:
        return None
    return value if 0 < value < float("inf") else None


def _least(mine: float, ceiling: float | None) -> float:
    return mine if ceiling is None else min(mine, ceiling)
