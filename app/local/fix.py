"""`patchwright fix`: a fix in a person's own repository, without GitHub and Redis."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.local.here import Here, Output, at, deliver, nothing, telling
from jobs.agent.budget import Budget
from jobs.errors import UserError
from jobs.model.base import Model, Request
from jobs.order import Means, Order
from jobs.pipeline import fix
from jobs.publish.local import LocalPublisher
from jobs.repo.workspace import Author
from jobs.sandbox.cell import Cells
from jobs.tasks.issue import from_text

AUTHOR = Author("Patchwright", "patchwright@localhost")


@dataclass(frozen=True)
class Wishes:
    """The options of a working command; None leaves it to the repository's file or the defaults."""

    base: str
    model: str | None
    budget_usd: float | None
    max_rounds: int | None
    minutes: int | None
    config: Path | None


def fix_here(repo: Path, request: str, wishes: Wishes, output: Output) -> int:
    """Runs the fix and returns the exit code; the result lands on a new branch of `repo`."""
    here = at(repo, wishes.base, wishes.config, output)
    model = model_within(here, wishes)
    here.repository.require_writable()
    with Cells.open(here.settings.data) as cells, here.trace() as trace:
        means = Means(here.settings.data, cells, trace, nothing, here.redactor.knows, here.where, here.registries)
        trace.emit("run.started", kind="fix", repository=str(here.repository.top), base=here.base_sha)
        with telling(trace, output):
            receipt = fix(order_of(here, "fix", request, wishes), means, model, LocalPublisher(here.repository.common))
        trace.emit("run.finished", outcome=receipt.outcome, reason=receipt.reason, cost=receipt.to_dict()["cost"])
    return deliver(receipt, output)


def model_within(here: Here, wishes: Wishes) -> Model:
    """The model that is wished for. Raises UserError where its price is not known but must be kept below a cap."""
    model = here.model(wishes.model or here.policy.model or here.settings.model)
    if wishes.budget_usd is not None and model.ceiling(Request((), (), (), 1)).usd is None:
        raise UserError(f"No price is known for '{model.name}', so --budget-usd can't be kept: use --max-rounds.")
    return model


def order_of(here: Here, kind: str, request: str, wishes: Wishes) -> Order:
    """The work that a request on this machine asks for."""
    caps = here.policy.budget
    return Order(
        run=here.run,
        task=from_text(request, kind),
        key=here.key,
        objects=here.repository.objects,
        base_sha=here.base_sha,
        base_branch=here.repository.branch or wishes.base,
        policy=here.policy,
        budget=Budget(
            rounds=wishes.max_rounds or caps.rounds,
            usd=caps.usd_per_run if wishes.budget_usd is None else wishes.budget_usd,
            minutes=wishes.minutes or caps.minutes,
        ),
        author=AUTHOR,
    )
