"""Our RQ worker: its work horse dies with it, and a horse that died frees its run at once."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
from types import FrameType
from typing import Any

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue, Worker
from rq.job import Job as RQJob

from jobs.lease import give_up
from jobs.parent import die_with
from jobs.queue import RunJob, open_queue

logger = logging.getLogger(__name__)

# RQ's own recovery is slow whatever these say (a minute at best); ours is the lease. They keep its lists tidy.
_NICE = 5
_TTL_S, _MONITOR_S, _MAINTENANCE_S = 20, 5, 60


class RunWorker(Worker):
    """Serves exactly one queue: only then RQ moves a job to a safe place while it is popped.

    SIGTERM lets the running job finish; SIGINT, or a second SIGTERM, leaves at once and frees the run for another
    worker without counting it as a death.
    """

    job_class = RunJob
    log_result_lifespan = False
    max_connection_wait_time = 2.0

    def __init__(self, redis: Redis, queue: str) -> None:
        super().__init__(
            [open_queue(redis, queue)],
            connection=redis,
            serializer="json",
            worker_ttl=_TTL_S,
            job_monitoring_interval=_MONITOR_S,
            maintenance_interval=_MAINTENANCE_S,
            log_job_description=False,
        )
        self._working_on: str | None = None

    def execute_job(self, job: RQJob, queue: Queue) -> None:
        """Runs the job in a horse, remembering which attempt to free should it die."""
        self._working_on = job.id
        super().execute_job(job, queue)
        self._working_on = None

    def main_work_horse(self, job: RQJob, queue: Queue) -> None:
        """The horse's life: never longer than ours, and behind whoever answers people on the same machine."""
        die_with(self.pid or 0)
        os.nice(_NICE)
        super().main_work_horse(job, queue)

    def handle_work_horse_killed(self, job: RQJob, retpid: int | None, ret_val: int | None, rusage: Any) -> None:
        """Frees the run: waiting for its lease to lapse would cost ten seconds."""
        logger.warning("work horse died", extra={"rq_job": job.id, "status": ret_val})
        if retpid:  # what it started and left behind
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(retpid, signal.SIGKILL)
        self._free(job.id, died=True)

    def request_force_stop(self, signum: int, frame: FrameType | None) -> None:
        """Leaves at once."""
        self._leave(signum, frame)

    def _install_signal_handlers(self) -> None:
        super()._install_signal_handlers()  # type: ignore[no-untyped-call] # rq is untyped here
        signal.signal(signal.SIGINT, self._leave)

    def _leave(self, signum: int, frame: FrameType | None) -> None:
        logger.warning("worker leaves at once", extra={"signal": signum})
        if self.horse_pid:
            self.kill_horse()
        if self._working_on is not None:
            with contextlib.suppress(RedisError):
                self._free(self._working_on, died=False)
        raise SystemExit(0)

    def _free(self, rq_job: str, *, died: bool) -> None:
        run, _, attempt = rq_job.rpartition("-a")
        if attempt.isdecimal():
            give_up(self.connection, run, int(attempt), died=died)
