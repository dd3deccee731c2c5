"""The last word on a run that its worker could not tell: all that the worker knew, and 🎉 or 😕."""

from __future__ import annotations

from typing import Any

import pytest
from receipt_facts import ended
from redis import Redis
from service_control import KEEP_S
from service_processes import until
from service_stage import Stage

from jobs.lease import Lease
from jobs.model.usage import Usage
from jobs.outcome import Outcome
from jobs.publish.receipt import receipt
from jobs.runs import Finished, Runs
from jobs.spend import Spend

URL = "https://github.com/acme/calc/pull/3"


def _end(stage: Stage, outcome: Outcome, result: dict[str, Any], usd: float = 0.0) -> tuple[str, list[str]]:
    """Asks for a fix and ends it untold as a worker would; what is then said on the issue, and the reactions."""
    comment = stage.say("/agent fix")
    (run,) = stage.runs()
    runs = Runs(stage.redis, keep_s=KEEP_S)
    with Lease(stage.redis, run.id, 1) as lease:
        if usd:
            Spend(lease, run, keep_s=KEEP_S).add(usd, Usage(input=10, output=5), rounds=2, seconds=1.0)
        runs.finish(run.id, lease.holder, Finished(outcome, "Done.", result, told=False))
    until(lambda: stage.runs()[0].told)
    (said,) = stage.said()
    return said, sorted(stage.reactions(comment))


def test_fixed_is_told_with_its_pull_request_proof_and_price(stage: Stage, redis: Redis) -> None:
    known = receipt(ended(pr_url=URL))
    said, reactions = _end(stage, Outcome.FIXED, known.to_dict())
    assert URL in said
    assert "Level A" in said
    assert known.cost is not None
    assert f"${known.cost.usd:.4f} · rounds: {known.rounds} · " in said
    assert reactions == ["eyes", "hooray"]


@pytest.mark.parametrize("usd", [0.0, 0.25])
def test_run_without_a_result_is_told_with_what_its_record_says(stage: Stage, usd: float) -> None:
    said, reactions = _end(stage, Outcome.OUT_OF_BUDGET, {}, usd)
    assert ("$0.25 · " in said) == bool(usd)
    assert "– · run" not in said, "how long it took is known"
    assert reactions == ["confused", "eyes"]
