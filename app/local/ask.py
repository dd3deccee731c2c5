"""`patchwright ask` and `patchwright plan`: words about a person's own repository, which is left as it is."""

from __future__ import annotations

from pathlib import Path

from app.local.fix import Wishes, model_within, order_of
from app.local.here import Output, at, deliver, nothing, telling
from jobs.order import Means
from jobs.pipeline import answer
from jobs.sandbox.cell import Cells


def ask_here(repo: Path, kind: str, request: str, wishes: Wishes, output: Output) -> int:
    """Answers `request` (`kind` ask), or plans what it asks for (`plan`); returns the exit code."""
    here = at(repo, wishes.base, wishes.config, output)
    model = model_within(here, wishes)
    with Cells.open(here.settings.data) as cells, here.trace() as trace:
        means = Means(here.settings.data, cells, trace, nothing, here.redactor.knows, here.where, here.registries)
        trace.emit("run.started", kind=kind, repository=str(here.repository.top), base=here.base_sha)
        with telling(trace, output):
            receipt = answer(order_of(here, kind, request, wishes), means, model)
        trace.emit("run.finished", outcome=receipt.outcome, reason=receipt.reason, cost=receipt.to_dict()["cost"])
    return deliver(receipt, output)
