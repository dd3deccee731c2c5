"""Works on runs: takes the lease, hands the job over, records exactly one ending. The one error boundary."""

from __future__ import annotations

import contextvars
import gc
import importlib
import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from redis import Redis
from redis.exceptions import RedisError
from rq.timeouts import JobTimeoutException

from jobs import logs
from jobs.connection import connect
from jobs.errors import Broken, EnvironmentFault, Fenced, Retry, Stopped, UserError
from jobs.horse import RunWorker
from jobs.job import Job
from jobs.lease import Hold, Lease
from jobs.outcome import Outcome
from jobs.queue import QUEUES
from jobs.redact import Redactor
from jobs.runs import Finished, Run, Runs
from jobs.sandbox.ready import require_walls
from jobs.settings import WorkerSettings, take
from jobs.spend import Spend
from jobs.trace.events import Trace
from jobs.trace.store import StreamTrace

logger = logging.getLogger(__name__)

MAX_WAITS = 6  # temporary refusals before a run ends as `environment`
_PRELOAD = ("anthropic", "githubkit")  # two to four seconds of imports that no horse should pay


class Runner(Protocol):
    """The work itself. Returns how it ended; may raise any error of `jobs.errors`."""

    def __call__(
        self,
        job: Job,
        *,
        trace: Trace,
        guard: Hold,
        spend: Spend,
        settings: WorkerSettings,
        data: Path,
    ) -> Finished: ...


@dataclass(frozen=True)
class Service:
    """What a worker process works with."""

    redis: Redis
    settings: WorkerSettings
    redactor: Redactor
    runner: Runner


_service: contextvars.ContextVar[Service] = contextvars.ContextVar("service")


def main(queue: str | None = None) -> None:
    """Entry point: a worker process, its settings taken from the environment; `queue` goes before PATCHWRIGHT_QUEUE.

    Raises UserError for bad settings, an unknown queue, or a runner that can't be found; EnvironmentFault where
    a wall of the cells is missing.
    """
    settings = take(WorkerSettings)
    if queue is not None:
        if queue not in QUEUES:
            raise UserError(f"There is no queue {queue}: choose one of {', '.join(QUEUES)}.")
        settings = settings.model_copy(update={"queue": queue})
    for name in _PRELOAD:
        importlib.import_module(name)
    require_walls(settings.data)
    serve(settings)


def serve(settings: WorkerSettings) -> None:
    """Works on `settings.queue` until told to leave.

    Raises UserError for a runner that can't be found, EnvironmentFault where Redis stays away from the start.
    """
    redactor = Redactor(settings.secrets())
    logs.set_up(redactor)
    redis = connect(settings.redis_url.get_secret_value())
    _service.set(Service(redis, settings, redactor, resolve(settings.runner)))
    try:
        worker = RunWorker(redis, settings.queue)
    except RedisError as away:
        raise EnvironmentFault(f"Redis can't be reached: {away}") from away
    gc.collect()
    gc.freeze()  # horses then share these pages instead of copying them at their first collection
    logger.info("worker started", extra={"queue": settings.queue})
    worker.work()


def perform(run: str, attempt: int) -> None:
    """Called by RQ in the work horse: one attempt of one run, from lease to recorded ending."""
    service = _service.get()
    with logs.about(run=run):
        try:
            with Lease(service.redis, run, attempt) as lease:
                _attend(service, lease)
        except Fenced as lost:
            logger.warning("attempt ended without a word: %s", lost, extra={"attempt": attempt})


def resolve(name: str) -> Runner:
    """The function called `module:name`. Raises UserError if there is none."""
    module, _, function = name.partition(":")
    try:
        found: Runner = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as missing:
        raise UserError(f"PATCHWRIGHT_RUNNER names {name}, which can't be imported: {missing}.") from missing
    return found


def _attend(service: Service, lease: Lease) -> None:
    runs = Runs(service.redis, keep_s=service.settings.keep_s)
    run = runs.get(lease.run)
    if run is None:
        raise Fenced(f"{lease.run} has no record any more.")
    spend = Spend(lease, run, keep_s=service.settings.keep_s)
    trace = StreamTrace(lease, service.redactor, keep_s=service.settings.keep_s)
    trace.emit("run.started", kind=run.job.kind, repository=run.job.repository, deaths=run.deaths, usd=spend.usd)
    logger.info("run taken up", extra={"attempt": lease.attempt, "kind": run.job.kind})
    try:
        finished = _bounded(service, run, lease, spend, trace)
    except Retry as later:
        finished_or_none = _wait(run, lease, later, service.redactor)
        if finished_or_none is None:
            return
        finished = finished_or_none
    _record(runs, lease, spend, trace, _redacted(finished, service.redactor))


def _bounded(service: Service, run: Run, lease: Lease, spend: Spend, trace: Trace) -> Finished:
    """The work with every error but a lost lease, a wait and a lost Redis turned into an ending."""
    settings = service.settings
    hold = Hold(lease, run.kept)
    try:
        return service.runner(run.job, trace=trace, guard=hold, spend=spend, settings=settings, data=settings.data)
    except (Fenced, Retry, RedisError):
        raise  # not an ending: somebody else owns the run, it continues later, or nothing can be recorded
    except Stopped as stopped:
        return Finished(stopped.outcome, stopped.reason, told=False)
    except (UserError, EnvironmentFault) as fault:  # wrong configuration is no question of permission
        return Finished(Outcome.ENVIRONMENT, str(fault), told=False)
    except JobTimeoutException:
        return Finished(Outcome.ENVIRONMENT, "The run took longer than any run may.", told=False)
    except Broken as broken:
        logger.exception("run failed by a bug")
        return Finished(Outcome.ERROR, str(broken), broken.result, told=False)
    except Exception:
        logger.exception("run failed by a bug")
        return Finished(Outcome.ERROR, f"A bug in Patchwright ended this run; its id is {run.id}.", told=False)


def _wait(run: Run, lease: Lease, later: Retry, redactor: Redactor) -> Finished | None:
    """Puts the run off, or ends it when it was put off too often already."""
    if run.waits >= MAX_WAITS:
        return Finished(Outcome.ENVIRONMENT, f"Given up after {run.waits + 1} tries: {later}", told=False)
    logger.warning("run put off", extra={"seconds": later.after_s, "reason": str(later)})
    lease.postpone(later.after_s, redactor(str(later)))
    return None


def _redacted(finished: Finished, redactor: Redactor) -> Finished:
    """The ending as it may be stored and shown."""
    return replace(finished, reason=redactor(finished.reason), result=redactor.value(finished.result))


def _record(runs: Runs, lease: Lease, spend: Spend, trace: Trace, finished: Finished) -> None:
    trace.emit("run.finished", outcome=finished.outcome, reason=finished.reason, usd=spend.usd)
    if not runs.finish(lease.run, lease.holder, finished):
        raise Fenced(f"{lease.run} was taken over before its ending was recorded.")
    logger.info("run finished", extra={"outcome": finished.outcome, "usd": round(spend.usd, 4)})
