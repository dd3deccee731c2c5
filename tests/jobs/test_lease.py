"""Leases: one owner, fenced when another takes over, patient with a Redis that comes back."""

from __future__ import annotations

import time

import pytest
from redis import Redis
from service_jobs import KEEP_S, job

from app.local.valkey import Valkey
from jobs import keys
from jobs.connection import connect
from jobs.errors import Fenced, Stopped
from jobs.job import Job
from jobs.lease import Hold, Lease, give_up
from jobs.model.usage import Usage
from jobs.outcome import Outcome
from jobs.queue import dispatch, redispatch
from jobs.runs import Finished, Runs
from jobs.spend import Spend


@pytest.fixture
def running(redis: Redis) -> Job:
    one = job()
    assert dispatch(redis, one)
    return one


def test_one_execution_owns_an_attempt(redis: Redis, running: Job) -> None:
    with Lease(redis, running.run, 1) as lease:
        lease.check()
        with pytest.raises(Fenced), Lease(redis, running.run, 1):
            pass
        with pytest.raises(Fenced), Lease(redis, running.run, 2):
            pass
        lease.check()


def test_lease_is_renewed_beyond_its_life(redis: Redis, running: Job) -> None:
    with Lease(redis, running.run, 1, life_s=0.3) as lease:
        time.sleep(0.8)
        assert redis.exists(keys.lease(running.run))
        lease.check()


def test_takeover_fences_every_write_of_the_old_attempt(redis: Redis, running: Job) -> None:
    runs = Runs(redis, keep_s=KEEP_S)
    with Lease(redis, running.run, 1) as old:
        run = runs.get(running.run)
        assert run is not None
        spend = Spend(old, run, keep_s=KEEP_S)
        redis.delete(keys.lease(running.run))  # as if it had lapsed
        assert redispatch(redis, run, death=True)
        with pytest.raises(Fenced):
            old.check()
        with pytest.raises(Fenced):
            spend.add(0.5, Usage(input=3))
        assert not runs.finish(running.run, old.holder, Finished(Outcome.FIXED, "late"))
        assert not old.postpone(1, "late")
        with Lease(redis, running.run, 2) as new:
            new.check()
            assert runs.finish(running.run, new.holder, Finished(Outcome.NOT_FIXED, "mine"))
    ended = runs.get(running.run)
    assert ended is not None
    assert (ended.outcome, ended.reason, ended.attempt, ended.deaths) == (Outcome.NOT_FIXED, "mine", 2, 1)
    assert ended.usd == 0.5, "what was spent stays spent, whoever spent it"
    assert ended.usage == Usage(input=3)


def test_owned_run_is_not_taken_over(redis: Redis, running: Job) -> None:
    runs = Runs(redis, keep_s=KEEP_S)
    with Lease(redis, running.run, 1) as lease:
        run = runs.get(running.run)
        assert run is not None
        assert not redispatch(redis, run, death=True)
        lease.check()


def test_dead_owner_frees_the_run_at_once(redis: Redis, running: Job) -> None:
    runs = Runs(redis, keep_s=KEEP_S)
    lease = Lease(redis, running.run, 1)
    lease.__enter__()
    assert not give_up(redis, running.run, 2, died=True)
    assert give_up(redis, running.run, 1, died=True)
    run = runs.get(running.run)
    assert run is not None
    assert (run.lost, run.holder) == ("1", "")
    assert not runs.owned(running.run)
    with pytest.raises(Fenced):
        lease.check()
    lease.__exit__(None, None, None)


def test_stop_is_raised_once_so_that_the_ending_can_be_told(redis: Redis, running: Job) -> None:
    with Lease(redis, running.run, 1) as lease:
        assert Runs(redis, keep_s=KEEP_S).stop(running.run, "Stopped by @ann.")
        with pytest.raises(Stopped) as stopped:
            lease.check()
        assert (stopped.value.outcome, stopped.value.reason) == (Outcome.CANCELLED, "Stopped by @ann.")
        lease.check()


def test_what_is_past_stopping_is_only_fenced(redis: Redis, running: Job) -> None:
    with Lease(redis, running.run, 1) as lease:
        hold = Hold(lease, {})
        assert Runs(redis, keep_s=KEEP_S).stop(running.run, "Stopped by @ann.")
        hold.fence()
        with pytest.raises(Stopped):
            hold()
        assert give_up(redis, running.run, 1, died=True)
        with pytest.raises(Fenced):
            hold.fence()


def test_what_an_attempt_keeps_is_the_next_ones_until_the_run_ends(redis: Redis, running: Job) -> None:
    runs = Runs(redis, keep_s=KEEP_S)
    with Lease(redis, running.run, 1) as old:
        Hold(old, {}).keep({"reason": "odd \udce9", "usd": 0.5})
        assert give_up(redis, running.run, 1, died=True)
        with pytest.raises(Fenced):
            Hold(old, {}).keep({})
    run = runs.get(running.run)
    assert run is not None
    assert run.kept == {"reason": "odd \udce9", "usd": 0.5}
    assert redispatch(redis, run, death=True)
    with Lease(redis, running.run, 2) as new:
        assert runs.finish(running.run, new.holder, Finished(Outcome.FIXED, "found"))
    ended = runs.get(running.run)
    assert ended is not None
    assert ended.kept == {}


def test_ending_said_twice_changes_nothing(redis: Redis, running: Job) -> None:
    runs = Runs(redis, keep_s=KEEP_S)
    with Lease(redis, running.run, 1) as lease:
        assert runs.finish(running.run, lease.holder, Finished(Outcome.FIXED, "first"))
        assert runs.finish(running.run, lease.holder, Finished(Outcome.ERROR, "second"))
    ended = runs.get(running.run)
    assert ended is not None
    assert (ended.outcome, ended.reason) == (Outcome.FIXED, "first")
    assert not runs.stop(running.run, "too late")
    with pytest.raises(Fenced), Lease(redis, running.run, 1):
        pass


def test_spending_is_added_once_however_often_it_is_sent(redis: Redis, running: Job) -> None:
    runs = Runs(redis, keep_s=KEEP_S)
    with Lease(redis, running.run, 1) as lease:
        run = runs.get(running.run)
        assert run is not None
        spend = Spend(lease, run, keep_s=KEEP_S)
        spend.add(0.25, Usage(input=1, output=2), rounds=1, seconds=1.5)
        spend.add(None, Usage(output=1), seconds=2.0)
        twin = Spend(lease, run, keep_s=KEEP_S)  # sends the same ids again
        twin.add(0.25, Usage(input=1, output=2), rounds=1, seconds=1.5)
        assert (spend.rounds, spend.seconds) == (1, 3.5)
        assert (spend.usd, spend.usage) == (0.25, Usage(input=1, output=3))
        assert spend.day_usd == 0.25
    after = runs.get(running.run)
    assert after is not None
    assert (after.usd, after.usage) == (0.25, Usage(input=1, output=3))
    assert (after.rounds, after.agent_s) == (1, 3.5)


def test_lease_survives_a_restart_of_redis(redis: Redis, redis_url: str, valkey: Valkey, running: Job) -> None:
    patient = connect(redis_url)
    with Lease(patient, running.run, 1) as lease:
        valkey.kill()
        valkey.start()
        lease.check()
        assert patient.exists(keys.lease(running.run))
    patient.close()
