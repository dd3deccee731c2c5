"""What earlier attempts of a run have used is gone for the later ones, and is part of the price."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from redis import Redis
from service_jobs import KEEP_S, job

from jobs.account import left, with_costs
from jobs.errors import Stopped
from jobs.gate import Limits
from jobs.lease import Lease
from jobs.model.usage import Usage
from jobs.outcome import Outcome
from jobs.publish.receipt import Ended, receipt
from jobs.queue import dispatch
from jobs.runs import Runs
from jobs.spend import Spend

LIMITS = Limits(usd=2.0, minutes=45.0, verify_minutes=60.0, rounds=60, model="m")


@pytest.fixture
def spend(redis: Redis) -> Iterator[Spend]:
    """What the first attempt of a run spends."""
    one = job()
    dispatch(redis, one)
    run = Runs(redis, keep_s=KEEP_S).get(one.run)
    assert run is not None
    with Lease(redis, one.run, 1) as lease:
        yield Spend(lease, run, keep_s=KEEP_S)


def test_a_later_attempt_gets_what_is_left(spend: Spend) -> None:
    whole = left(LIMITS, spend, 20.0)
    assert (whole.usd, whole.rounds, whole.minutes) == (2.0, 60, 45.0)
    spend.add(0.5, Usage(input=9), rounds=20, seconds=600.0)
    rest = left(LIMITS, spend, 20.0)
    assert (rest.usd, rest.rounds, rest.minutes) == (1.5, 40, 35.0)
    assert left(LIMITS, spend, 0.25).usd == 0.25


@pytest.mark.parametrize(
    ("usd", "rounds", "seconds", "cap"),
    [(2.0, 9, 9.0, "$2.00"), (0.1, 60, 9.0, "60 rounds"), (0.1, 9, 2690.0, "45 minutes")],
)
def test_nothing_left_is_out_of_budget(spend: Spend, usd: float, rounds: int, seconds: float, cap: str) -> None:
    spend.add(usd, Usage(input=9), rounds=rounds, seconds=seconds)
    with pytest.raises(Stopped) as stopped:
        left(LIMITS, spend, 20.0)
    assert stopped.value.outcome is Outcome.OUT_OF_BUDGET
    assert f"the cap of {cap}:" in stopped.value.reason


def test_money_is_told_where_no_session_came_to_its_end(spend: Spend) -> None:
    cancelled = receipt(Ended("r-1", Outcome.CANCELLED, "Stopped by @ann."))
    assert with_costs(cancelled, spend, 2.0) == cancelled
    spend.add(0.5, Usage(input=100, output=10, cache_read=300), rounds=3, seconds=9.0)
    told = with_costs(cancelled, spend, 2.0)
    assert told.cost is not None
    assert (told.cost.usd, told.cost.input_tokens, told.cost.cache_hit_rate, told.rounds) == (0.5, 100, 0.75, 3)
