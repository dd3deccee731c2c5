"""`patchwright verify`: verdict and minimality of a change in a person's repository, whoever wrote it. No model."""

from __future__ import annotations

from pathlib import Path

from app.local.fix import AUTHOR
from app.local.here import Output, at, deliver, nothing, telling
from jobs.agent.budget import Budget
from jobs.order import Means, Order
from jobs.pipeline import verify
from jobs.sandbox.cell import Cells
from jobs.tasks.task import Task


def verify_here(repo: Path, change: tuple[str, str], minutes: int | None, config: Path | None, output: Output) -> int:
    """Judges the change from `change[0]` to `change[1]` of `repo`; returns the exit code."""
    base, head = change
    here = at(repo, base, config, output)
    head_sha = here.repository.resolve(head, option="--head")
    policy = here.policy
    if minutes is not None:
        caps = policy.budget.model_copy(update={"verify_minutes": float(minutes)})
        policy = policy.model_copy(update={"budget": caps})
    order = Order(
        run=here.run,
        task=Task("verify", f"{base}..{head}", ""),
        key=here.key,
        objects=here.repository.objects,
        base_sha=here.base_sha,
        base_branch=base,
        policy=policy,
        budget=Budget(),
        author=AUTHOR,
    )
    with Cells.open(here.settings.data) as cells, here.trace() as trace:
        means = Means(here.settings.data, cells, trace, nothing, here.redactor.knows, here.where, here.registries)
        trace.emit("run.started", kind="verify", repository=str(here.repository.top), base=here.base_sha)
        with telling(trace, output):
            receipt = verify(order, means, head_sha)
        trace.emit("run.finished", outcome=receipt.outcome, reason=receipt.reason)
    return deliver(receipt, output)
