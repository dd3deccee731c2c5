"""A job from GitHub: asks once more who may, brings the code, carries the order out and tells how it ended."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jobs import account, gate, messages, takeover
from jobs.agent.budget import Budget
from jobs.connection import connect
from jobs.errors import EnvironmentFault, Retry, Stopped, UserError
from jobs.github.auth import AppKey, Tokens, read_key
from jobs.github.client import GitHub
from jobs.github.issues import Reaction
from jobs.job import Job
from jobs.lease import Hold
from jobs.model.base import Model
from jobs.model.choose import model_of
from jobs.model.metered import Charge, Metered
from jobs.model.shared import RedisLimiter
from jobs.model.usage import Usage
from jobs.order import Means, Order
from jobs.outcome import Outcome
from jobs.pipeline import fix
from jobs.policy import PATH, Policy, default, parse
from jobs.publish.clean import Cleaner
from jobs.publish.github import GitHubPublisher
from jobs.publish.publisher import Keeping, Patient, Publisher
from jobs.publish.receipt import Ended, Receipt
from jobs.publish.receipt import receipt as receipt_of
from jobs.publish.status import Ending, Progress, StatusComment
from jobs.redact import Redactor
from jobs.repo.git import Remote
from jobs.repo.mirror import Mirror, Mirrors
from jobs.repo.workspace import Author
from jobs.runs import Finished
from jobs.sandbox.cell import Cells
from jobs.settings import WorkerSettings
from jobs.spend import Spend
from jobs.story import Story
from jobs.tasks.issue import from_issue
from jobs.tasks.task import Task
from jobs.trace.events import Trace
from jobs.trace.listen import Told
from jobs.untrusted import receive

logger = logging.getLogger(__name__)

# Reads, comments and checks; a push borrows `contents: write` for itself.
PERMISSIONS = {"contents": "read", "issues": "write", "pull_requests": "write", "metadata": "read"}
_SLOT_WAIT_S = 3600.0  # an ordinary user has one slot, which another queue's worker may hold
_PATCH_LIMIT = 1_000_000  # characters of an unproven change that are stored
_HAPPY = (Outcome.FIXED, Outcome.ANSWERED, Outcome.NO_CHANGE_NEEDED)


@dataclass(frozen=True)
class _Desk:
    """What one job needs of GitHub and of its worker."""

    job: Job
    github: GitHub
    settings: WorkerSettings
    redactor: Redactor
    hold: Hold
    spend: Spend

    @property
    def cleaner(self) -> Cleaner:
        return Cleaner(self.redactor, self.settings.server_url)


def run_job(job: Job, *, trace: Trace, guard: Hold, spend: Spend, settings: WorkerSettings, data: Path) -> Finished:
    """The runner of workers. Raises what the worker's boundary knows: Retry, Fenced, Stopped, EnvironmentFault."""
    key = AppKey(settings.app_id, read_key(settings.private_key))
    tokens = Tokens(key, settings.api_url)
    github = GitHub(tokens, settings.api_url, job.repository_id, job.repository, job.installation_id, PERMISSIONS)
    # A stop is heard between the steps: what is being published or told is past stopping.
    desk = _Desk(job, github.fenced(guard.fence), settings, Redactor(settings.secrets()), guard, spend)
    if job.kind != "fix" or job.issue is None or job.is_pull:
        return Finished(Outcome.BLOCKED, messages.not_yet(job.kind), told=False)
    status = StatusComment(desk.github, job.issue, job.run, cleaner=desk.cleaner)
    if (standing := takeover.published(github, job, guard.kept)) is not None:
        return _finished(desk, status, standing)
    policy = _policy(github)
    decision = gate.decide(job, github, policy, _ceilings(settings))
    if isinstance(decision, gate.Refused):
        return Finished(Outcome.BLOCKED, decision.sentence, told=not decision.tell)
    told = Told(trace, _Shown(status, spend))
    receipt = _honest(desk, lambda: _carry_out(desk, policy, decision.limits, told, data))
    return _finished(desk, status, account.with_costs(receipt, spend, decision.limits.usd))


def _honest(desk: _Desk, work: Callable[[], Receipt]) -> Receipt:
    """The receipt of `work`, also where it could not begin."""
    try:
        return work()
    except Stopped as stopped:
        outcome, reason = stopped.outcome, stopped.reason
    except (UserError, EnvironmentFault) as fault:
        outcome, reason = Outcome.ENVIRONMENT, str(fault)
    return receipt_of(Ended(run=desk.job.run, outcome=outcome, reason=reason, base=desk.job.base_sha))


def _finished(desk: _Desk, status: StatusComment, receipt: Receipt) -> Finished:
    """Tells the ending; an unproven change is stored beside the documented keys, as `patch`."""
    patch = desk.redactor(receipt.patch)[:_PATCH_LIMIT]
    result = {**receipt.to_dict(), **({"patch": patch} if patch else {})}
    told = _tell(desk, status, Ending(receipt, patch=patch))
    return Finished(receipt.outcome, receipt.reason, result, told=told)


def _carry_out(desk: _Desk, policy: Policy, limits: gate.Limits, trace: Trace, data: Path) -> Receipt:
    budget = account.left(limits, desk.spend, _left_today(desk, policy))
    with ExitStack() as stack:
        with Story(trace).stage("workspace"):
            mirrors = Mirrors(data / "mirrors")
            mirror = stack.enter_context(mirrors.of(desk.job.repository_id).held())
            mirrors.prune()
            order = _order(desk, policy, limits, budget, mirror)
            cells = stack.enter_context(Cells.open(data, wait_s=_SLOT_WAIT_S))
        registries = desk.settings.private_registries.of(desk.job.installation_id)
        leaks = desk.redactor.knows
        means = Means(data=data, cells=cells, trace=trace, guard=desk.hold, leaks=leaks, registries=registries)
        model = Metered(_model(desk, limits.model), _charge(desk, policy))
        return fix(order, means, model, _publisher(desk, limits))


def _order(desk: _Desk, policy: Policy, limits: gate.Limits, budget: Budget, mirror: Mirror) -> Order:
    """The order, its commit fetched."""
    job = desk.job
    mirror.fetch(Remote(_address(desk), desk.github.token().value), job.base_sha)
    caps = policy.budget.model_copy(update={"verify_minutes": limits.verify_minutes})
    return Order(
        run=job.run,
        task=_task(desk),
        key=str(job.repository_id),
        objects=mirror.git_dir / "objects",
        base_sha=job.base_sha,
        base_branch=job.base_ref,
        policy=policy.model_copy(update={"budget": caps}),
        budget=budget,
        author=_author(desk),
        requester=job.requester,
    )


def _task(desk: _Desk) -> Task:
    job = desk.job
    assert job.issue is not None, "checked on arrival"
    issue = desk.github.issue(job.issue)
    title, body, words = (receive(text).text for text in (issue.title, issue.body, job.text))
    return from_issue(job.issue, title, body, words)


def _model(desk: _Desk, name: str) -> Model:
    redis = connect(desk.settings.redis_url.get_secret_value())
    return model_of(
        name, desk.settings, limiter=lambda key: RedisLimiter(redis, key), alive=desk.hold, whose=" on the worker"
    )


def _left_today(desk: _Desk, policy: Policy) -> float:
    return account.left_today(desk.spend, policy.budget.usd_per_day, desk.settings.max_usd_per_day)


def _charge(desk: _Desk, policy: Policy) -> Charge:
    def charge(usd: float | None, usage: Usage, *, rounds: int, seconds: float) -> None:
        desk.spend.add(usd, usage, rounds=rounds, seconds=seconds)
        _left_today(desk, policy)

    return charge


def _publisher(desk: _Desk, limits: gate.Limits) -> Publisher:
    """GitHub, patiently; what is published is kept first for an attempt that may find it."""
    hold = desk.hold

    def keep(receipt: Receipt) -> Receipt:
        complete = account.with_costs(receipt, desk.spend, limits.usd)
        hold.keep(desk.redactor.value(complete.to_dict()))
        return complete

    github = GitHubPublisher(desk.github, desk.settings.server_url, guard=hold.fence, redact=desk.redactor)
    return Keeping(Patient(github, hold.fence), keep)


class _Shown:
    """Keeps the status comment current while the run goes on; a comment that can't be written never ends a run."""

    def __init__(self, status: StatusComment, spend: Spend) -> None:
        self._status, self._spend = status, spend
        self._stage, self._rounds = "queued", 0

    def __call__(self, type: str, fields: dict[str, Any]) -> None:
        if type == "stage.started":
            self._stage = str(fields["stage"])
        elif type == "round":
            self._rounds = int(fields["n"])
        else:
            return
        try:
            self._status.show(Progress(self._stage, self._rounds, self._spend.usd))
        except (Retry, EnvironmentFault) as later:
            logger.warning("status comment not written", extra={"cause": str(later)})


def _tell(desk: _Desk, status: StatusComment, ending: Ending) -> bool:
    """Says how it ended; False if GitHub did not take it, so that somebody says it later."""
    try:
        status.end(ending)
        content: Reaction = "hooray" if ending.receipt.outcome in _HAPPY else "confused"
        desk.github.react(content, comment_id=desk.job.comment_id, issue=desk.job.issue)
    except (Retry, EnvironmentFault) as later:
        logger.warning("ending not told", extra={"cause": str(later)})
        return False
    return True


def _policy(github: GitHub) -> Policy:
    found = github.file(PATH)
    return default() if found is None else parse(found)


def _ceilings(settings: WorkerSettings) -> gate.Ceilings:
    return gate.Ceilings(settings.max_usd_per_run, settings.max_minutes, settings.models, settings.model)


def _author(desk: _Desk) -> Author:
    bot = desk.github.bot()
    host = desk.settings.server_url.split("://", 1)[-1].split(":")[0].rstrip("/")
    return Author(bot.login, f"{bot.id}+{bot.login}@users.noreply.{host}")


def _address(desk: _Desk) -> str:
    return f"{desk.settings.server_url.rstrip('/')}/{desk.github.full_name}.git"
