"""The only place that enqueues, and the job class that refuses to run anything but our own entry point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import WatchError
from redis.typing import EncodableT, FieldT
from rq import Queue
from rq.job import Job as RQJob

from jobs import keys
from jobs.clock import now_ms
from jobs.errors import PatchwrightError
from jobs.job import Job
from jobs.outcome import Outcome
from jobs.runs import Run, printable

QUEUES = ("now", "ci", "night")
PERFORM = "jobs.worker.perform"

# The last wall; a run's own caps are far below it.
_TIMEOUT_S = 6 * 3600
_KEEP_DONE_S = 3600


class Refused(PatchwrightError):
    """Something in the queue asks for code that is not ours to run."""


class RunJob(RQJob):
    """RQ's job, able to run `jobs.worker.perform(run, attempt)` and nothing else.

    Whoever can write to Redis chooses the function's name, callbacks, webhooks and follow-ups of a queued job: the
    name is checked where it would be called, the rest is dropped where it is read.
    """

    def restore(self, raw_data: Any) -> Any:
        """Reads the hash without anything that would be called or sent besides the function."""
        done = super().restore(raw_data)
        self._success_callback_name = self._failure_callback_name = self._stopped_callback_name = None
        self.webhooks = []
        self.repeats_left = self.retries_left = None
        return done

    def perform(self) -> Any:
        """Calls the entry point. Raises Refused for any other function or arguments of other types."""
        if self.func_name != PERFORM or self.instance is not None or self.kwargs:
            raise Refused(f"The queue holds a job that is not ours: {str(self.func_name)[:100]!r}.")
        if [type(value) for value in self.args] != [str, int]:
            raise Refused("The queue holds a run with arguments that are not a run and an attempt.")
        return super().perform()


def open_queue(redis: Redis, name: str) -> Queue:
    """The RQ queue of one class of work (`now`, `ci`, `night`)."""
    return Queue(name, connection=redis, job_class=RunJob, serializer="json")


def rq_id(run: str, attempt: int) -> str:
    """The RQ job that carries one attempt."""
    return f"{run}-a{attempt}"


def dispatch(redis: Redis, job: Job, *, busy: Callable[[], bool] = lambda: False) -> bool:
    """Writes the run's record and enqueues its first attempt, whole or not at all.

    Ends its inbox entry if there is one. False if the run exists already or `busy` says so just before the writing.
    """

    def first(pipe: Pipeline) -> bool:
        if pipe.exists(keys.run(job.run)) or busy():
            return False
        now = now_ms()
        pipe.multi()
        pipe.hset(keys.run(job.run), mapping=_record(job, now) | {"attempt": 1, "state": "queued"})
        pipe.sadd(keys.OPEN, job.run)
        pipe.zadd(keys.RUNS, {job.run: now})
        if job.issue is not None:
            pipe.zadd(keys.thread(job.repository_id, job.issue), {job.run: now})
        pipe.zrem(keys.TODO, job.run)
        pipe.hset(keys.entry(job.run), mapping={"ending": "run", "reason": ""})
        _push(redis, pipe, job.queue, job.run, 1)
        return True

    return _watched(redis, (keys.run(job.run), *_thread_keys(job)), first)


def redispatch(redis: Redis, run: Run, *, death: bool) -> bool:
    """Enqueues the next attempt; from then on every write of the earlier ones is refused. `death` counts one more
    owner lost. False if the run moved on meanwhile."""

    def again(pipe: Pipeline) -> bool:
        state, attempt = pipe.hmget(keys.run(run.id), ["state", "attempt"])
        if pipe.exists(keys.lease(run.id)) or (state, attempt) != (run.state.encode(), b"%d" % run.attempt):
            return False
        pipe.multi()
        changed: dict[FieldT, EncodableT] = {
            "state": "queued",
            "attempt": run.attempt + 1,
            "holder": "",
            "lost": "",
            "due_at": "",
        }
        pipe.hset(keys.run(run.id), mapping=changed)
        if death:
            pipe.hincrby(keys.run(run.id), "deaths", 1)
        _withdraw(redis, pipe, run)
        _push(redis, pipe, run.job.queue, run.id, run.attempt + 1)
        return True

    return _watched(redis, (keys.run(run.id), keys.lease(run.id)), again)


def give_up(redis: Redis, run: Run, outcome: Outcome, reason: str, *, keep_s: int) -> bool:
    """Ends a run that nobody owns, untold. False if it moved on meanwhile."""

    def end(pipe: Pipeline) -> bool:
        state, attempt = pipe.hmget(keys.run(run.id), ["state", "attempt"])
        if pipe.exists(keys.lease(run.id)) or (state, attempt) != (run.state.encode(), b"%d" % run.attempt):
            return False
        pipe.multi()
        ending: dict[FieldT, EncodableT] = {
            "state": "finished",
            "holder": "",  # fences whoever might still be alive
            "outcome": str(outcome),
            "reason": printable(reason),
            "finished_at": now_ms(),
            "told": "0",
        }
        pipe.hset(keys.run(run.id), mapping=ending)
        pipe.srem(keys.OPEN, run.id)
        pipe.sadd(keys.UNTOLD, run.id)
        pipe.expire(keys.run(run.id), keep_s)
        _withdraw(redis, pipe, run)
        return True

    return _watched(redis, (keys.run(run.id), keys.lease(run.id)), end)


def queued(redis: Redis, run: Run) -> bool:
    """True while the run's newest attempt waits in its queue."""
    name = open_queue(redis, run.job.queue).key
    return redis.lpos(name, rq_id(run.id, run.attempt)) is not None


def _record(job: Job, now: int) -> dict[FieldT, EncodableT]:
    return {"job": printable(job.to_json()), "created_at": now, "usd": 0, "holder": "", "lost": "", "stop": ""}


def _thread_keys(job: Job) -> tuple[str, ...]:
    return () if job.issue is None else (keys.thread(job.repository_id, job.issue),)


def _push(redis: Redis, pipe: Pipeline, queue: str, run: str, attempt: int) -> None:
    open_queue(redis, queue).enqueue_call(
        PERFORM,
        args=(run, attempt),
        timeout=_TIMEOUT_S,
        result_ttl=_KEEP_DONE_S,
        failure_ttl=_KEEP_DONE_S,
        job_id=rq_id(run, attempt),
        description=rq_id(run, attempt),
        pipeline=pipe,
    )


def _withdraw(redis: Redis, pipe: Pipeline, run: Run) -> None:
    """Takes the attempt that is given up out of RQ's lists."""
    queue, old = open_queue(redis, run.job.queue), rq_id(run.id, run.attempt)
    for name in (queue.key, queue.intermediate_queue_key):
        pipe.lrem(name, 0, old)


def _watched(redis: Redis, names: tuple[str, ...], change: Callable[[Pipeline], bool]) -> bool:
    """Runs `change` as an optimistic transaction over `names`; a lost race is a False, its caller looks again."""
    with redis.pipeline(transaction=True) as pipe:
        pipe.watch(*names)  # type: ignore[no-untyped-call] # redis is untyped here
        if not change(pipe):
            return False
        try:
            pipe.execute()
        except WatchError:
            return False
        return True
