"""A job from GitHub: asks once more who may, brings the code, carries the order out and tells how it ended."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jobs import gate, messages
from jobs.agent.budget import Budget
from jobs.errors import EnvironmentFault, Retry, Stopped
from jobs.github.auth import AppKey, Tokens, read_key
from jobs.github.client import GitHub
from jobs.github.issues import Reaction
from jobs.job import Job
from jobs.model.anthropic import ENDPOINT, AnthropicModel
from jobs.model.base import Model
from jobs.model.metered import Metered
from jobs.model.usage import Usage
from jobs.order import Means, Order
from jobs.outcome import Outcome
from jobs.pipeline import fix
from jobs.policy import PATH, Policy, default, parse
from jobs.publish.clean import Cleaner
from jobs.publish.github import GitHubPublisher
from jobs.publish.receipt import Receipt
from jobs.publish.status import Ending, Progress, StatusComment
from jobs.redact import Redactor
from jobs.repo.git import Remote
from jobs.repo.mirror import Mirror
from jobs.repo.workspace import Author
from jobs.runs import Finished
from jobs.sandbox.cell import Cells
from jobs.settings import WorkerSettings
from jobs.spend import Spend
from jobs.tasks.issue import from_issue
from jobs.tasks.task import Task
from jobs.trace.events import Trace
from jobs.trace.listen import Told
from jobs.untrusted import receive

logger = logging.getLogger(__name__)

# Reads, comments and checks; a push borrows `contents: write` for itself.
PERMISSIONS = {"contents": "read", "issues": "write", "pull_requests": "write", "metadata": "read"}
_SLOT_WAIT_S = 3600.0  # an ordinary user has one slot, which another queue's worker may hold
_HAPPY = (Outcome.FIXED, Outcome.ANSWERED, Outcome.NO_CHANGE_NEEDED)


@dataclass(frozen=True)
class _Desk:
    """What one job needs of GitHub and of its worker."""

    job: Job
    github: GitHub
    settings: WorkerSettings
    redactor: Redactor
    guard: Callable[[], None]
    spend: Spend

    @property
    def cleaner(self) -> Cleaner:
        return Cleaner(self.redactor, self.settings.server_url)


def run_job(
    job: Job, *, trace: Trace, guard: Callable[[], None], spend: Spend, settings: WorkerSettings, data: Path
) -> Finished:
    """The runner of workers. Raises what the worker's boundary knows: Retry, Fenced, Stopped, EnvironmentFault."""
    key = AppKey(settings.app_id, read_key(settings.private_key))
    tokens = Tokens(key, settings.api_url)
    github = GitHub(tokens, settings.api_url, job.repository_id, job.repository, job.installation_id, PERMISSIONS)
    desk = _Desk(job, github.fenced(guard), settings, Redactor(settings.secrets()), guard, spend)
    if job.kind != "fix" or job.issue is None or job.is_pull:
        return Finished(Outcome.BLOCKED, messages.not_yet(job.kind), told=False)
    policy = _policy(github)
    decision = gate.decide(job, github, policy, _ceilings(settings))
    if isinstance(decision, gate.Refused):
        return Finished(Outcome.BLOCKED, decision.sentence, told=not decision.tell)
    status = StatusComment(desk.github, job.issue, job.run, cleaner=desk.cleaner)
    told = Told(trace, _Shown(status, spend))
    receipt = _carry_out(desk, policy, decision.limits, told, data)
    return Finished(receipt.outcome, receipt.reason, receipt.to_dict(), told=_tell(desk, status, receipt))


def _carry_out(desk: _Desk, policy: Policy, limits: gate.Limits, trace: Trace, data: Path) -> Receipt:
    job = desk.job
    mirror = Mirror(data / "mirrors", job.repository_id)
    mirror.fetch(Remote(_address(desk), desk.github.token().value), job.base_sha)
    usd = min(limits.usd - desk.spend.usd, _left_today(desk, policy))
    caps = policy.budget.model_copy(update={"verify_minutes": limits.verify_minutes})
    order = Order(
        run=job.run,
        task=_task(desk),
        key=str(job.repository_id),
        objects=mirror.git_dir / "objects",
        base_sha=job.base_sha,
        base_branch=job.base_ref,
        policy=policy.model_copy(update={"budget": caps}),
        budget=Budget(rounds=limits.rounds, usd=max(0.0, usd), minutes=limits.minutes),
        author=_author(desk),
        requester=job.requester,
    )
    with Cells.open(data, wait_s=_SLOT_WAIT_S) as cells:
        publisher = GitHubPublisher(desk.github, desk.settings.server_url, guard=desk.guard, redact=desk.redactor)
        means = Means(
            data=data,
            cells=cells,
            trace=trace,
            guard=desk.guard,
            leaks=desk.redactor.knows,
        )
        model = Metered(_model(desk, limits.model), _charge(desk, policy))
        return _with_all_costs(fix(order, means, model, publisher), desk, limits)


def _task(desk: _Desk) -> Task:
    job = desk.job
    assert job.issue is not None, "checked on arrival"
    issue = desk.github.issue(job.issue)
    title, body, words = (receive(text).text for text in (issue.title, issue.body, job.text))
    return from_issue(job.issue, title, body, words)


def _model(desk: _Desk, name: str) -> Model:
    key = desk.settings.anthropic_api_key
    if key is None:
        raise EnvironmentFault("ANTHROPIC_API_KEY is not set on the worker: the model cannot be asked without it.")
    address = desk.settings.anthropic_base_url or ENDPOINT
    return AnthropicModel(name, api_key=key.get_secret_value(), base_url=address)


def _left_today(desk: _Desk, policy: Policy) -> float:
    """Dollars that may still be spent today. Raises Stopped(out_of_budget), naming the cap, where there are none."""
    spend = desk.spend
    caps = {
        "for this repository": (policy.budget.usd_per_day, spend.repository_usd),
        "for all repositories together": (desk.settings.max_usd_per_day, spend.day_usd),
    }
    for whose, (cap, spent) in caps.items():
        if spent >= cap:
            raise Stopped(Outcome.OUT_OF_BUDGET, f"Today's ${cap:g} {whose} are spent; ask again tomorrow (UTC).")
    return min(cap - spent for cap, spent in caps.values())


def _charge(desk: _Desk, policy: Policy) -> Callable[[float | None, Usage], None]:
    def charge(usd: float | None, usage: Usage) -> None:
        desk.spend.add(usd, usage)
        _left_today(desk, policy)

    return charge


def _with_all_costs(receipt: Receipt, desk: _Desk, limits: gate.Limits) -> Receipt:
    """What earlier attempts of this run spent is part of its price."""
    if receipt.cost is None:
        return receipt
    total, usage = desk.spend.usd, desk.spend.usage
    cost = replace(
        receipt.cost,
        usd=None if receipt.cost.usd is None else round(total, 6),
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write,
        budget_usd=limits.usd,
    )
    return replace(receipt, cost=cost)


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


def _tell(desk: _Desk, status: StatusComment, receipt: Receipt) -> bool:
    """Says how it ended; False if GitHub did not take it, so that somebody says it later."""
    try:
        status.end(Ending(receipt))
        content: Reaction = "hooray" if receipt.outcome in _HAPPY else "confused"
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
