"""The queue: whole dispatches, and nothing but our entry point is ever called."""

from __future__ import annotations

from pathlib import Path

import pytest
from redis import Redis
from rq import SimpleWorker
from rq.job import JobStatus
from service_jobs import KEEP_S, job

from jobs import keys
from jobs.outcome import Outcome
from jobs.queue import Refused, RunJob, dispatch, give_up, open_queue, queued, redispatch, rq_id
from jobs.runs import Runs


def test_dispatch_writes_record_and_queue_together(redis: Redis) -> None:
    one = job(queue="ci", text="über \ud800")
    assert dispatch(redis, one)
    run = Runs(redis, keep_s=KEEP_S).get(one.run)
    assert run is not None
    assert (run.state, run.attempt, run.job.repository, run.job.text) == ("queued", 1, "octo/app", "über ?")
    assert open_queue(redis, "ci").job_ids == [rq_id(one.run, 1)]
    assert [r.id for r in Runs(redis, keep_s=KEEP_S).open()] == [one.run]
    assert [r.id for r in Runs(redis, keep_s=KEEP_S).of_thread(7, 1)] == [one.run]


def test_dispatch_twice_enqueues_once(redis: Redis) -> None:
    one = job()
    assert [dispatch(redis, one), dispatch(redis, one)] == [True, False]
    assert open_queue(redis, "now").job_ids == [rq_id(one.run, 1)]


def test_busy_thread_is_left_alone(redis: Redis) -> None:
    one = job()
    assert not dispatch(redis, one, busy=lambda: True)
    assert Runs(redis, keep_s=KEEP_S).get(one.run) is None


def test_thread_that_changes_while_dispatching_is_looked_at_again(redis: Redis, redis_url: str) -> None:
    one, other = job(), job()

    def busy() -> bool:
        assert dispatch(redis, other), "somebody else is quicker"
        return False

    assert not dispatch(redis, one, busy=busy)
    assert [r.id for r in Runs(redis, keep_s=KEEP_S).of_thread(7, 1)] == [other.run]


def test_redispatch_replaces_the_attempt(redis: Redis) -> None:
    one = job()
    dispatch(redis, one)
    runs = Runs(redis, keep_s=KEEP_S)
    first = runs.get(one.run)
    assert first is not None
    assert queued(redis, first)
    assert redispatch(redis, first, death=False)
    assert not redispatch(redis, first, death=False), "the look was older than the change"
    second = runs.get(one.run)
    assert second is not None
    assert (second.attempt, second.deaths) == (2, 0)
    assert open_queue(redis, "now").job_ids == [rq_id(one.run, 2)]


def test_given_up_run_is_ended_untold_and_out_of_the_queue(redis: Redis) -> None:
    one = job()
    dispatch(redis, one)
    runs = Runs(redis, keep_s=KEEP_S)
    run = runs.get(one.run)
    assert run is not None
    assert give_up(redis, run, Outcome.CANCELLED, "stopped", keep_s=KEEP_S)
    assert open_queue(redis, "now").job_ids == []
    assert runs.open() == ()
    assert [(r.outcome, r.told) for r in runs.untold()] == [(Outcome.CANCELLED, False)]
    runs.tell(one.run)
    assert runs.untold() == ()


@pytest.mark.parametrize(
    ("function", "args"),
    [
        ("os.system", ("touch {mark}",)),
        ("jobs.worker.main", ()),
        ("jobs.worker.perform", ("run",)),
        ("jobs.worker.perform", ("run", "1")),
        ("builtins.exec", ("open('{mark}', 'w')",)),
    ],
)
def test_queued_job_that_is_not_ours_is_not_executed(
    redis: Redis, tmp_path: Path, function: str, args: tuple[str, ...]
) -> None:
    mark = tmp_path / "mark"
    queue = open_queue(redis, "now")
    evil = queue.create_job(function, args=tuple(a.format(mark=mark) for a in args))
    evil.save()
    redis.rpush(queue.key, evil.id)
    with pytest.raises(Refused):
        RunJob.fetch(evil.id, connection=redis, serializer="json").perform()
    SimpleWorker([queue], connection=redis, job_class=RunJob, serializer="json").work(burst=True)
    assert not mark.exists()
    assert evil.get_status() == JobStatus.FAILED


def test_callbacks_webhooks_and_repeats_of_a_queued_job_are_dropped(redis: Redis, tmp_path: Path) -> None:
    queue = open_queue(redis, "now")
    evil = queue.create_job("os.getpid")
    evil.save()
    redis.hset(
        evil.key,
        mapping={
            "success_callback_name": "os.system",
            "failure_callback_name": "os.abort",
            "stopped_callback_name": "os.abort",
            "webhooks": '[{"url": "http://127.0.0.1:9/", "events": ["failed"]}]',
            "repeats_left": 5,
            "retries_left": 5,
        },
    )
    read = RunJob.fetch(evil.id, connection=redis, serializer="json")
    assert (read.success_callback, read.failure_callback, read.stopped_callback) == (None, None, None)
    assert (read.webhooks, read.repeats_left, read.retries_left) == ([], None, None)
    redis.rpush(queue.key, evil.id)
    SimpleWorker([queue], connection=redis, job_class=RunJob, serializer="json").work(burst=True)
    assert evil.get_status() == JobStatus.FAILED


def test_pickled_job_fails_without_being_loaded(redis: Redis, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    queue = open_queue(redis, "now")
    evil = queue.create_job("os.getpid")
    evil.save()
    pickled = b"cos\nsystem\n(S'touch " + str(mark).encode() + b"'\ntR."
    redis.hset(evil.key, "data", pickled)
    redis.rpush(queue.key, evil.id)
    SimpleWorker([queue], connection=redis, job_class=RunJob, serializer="json").work(burst=True)
    assert not mark.exists()
    assert redis.hget(evil.key, "status") == b"failed"


def test_ended_entry_leaves_the_todo_list_with_the_dispatch(redis: Redis) -> None:
    one = job()
    redis.zadd(keys.TODO, {one.run: 1})
    dispatch(redis, one)
    assert redis.zcard(keys.TODO) == 0
    assert redis.hget(keys.entry(one.run), "ending") == b"run"
