"""Finds runs that nobody works on and gives them to somebody, or ends them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from redis import Redis

from app.answers import died_text
from app.control_desk import Desk
from jobs.errors import EnvironmentFault, Retry
from jobs.outcome import Outcome
from jobs.queue import give_up, queued, redispatch
from jobs.runs import Run, Runs

MAX_DEATHS = 3
_SETTLE_S = 5  # after Redis came back, owners get this long to renew their leases
_START_S = 5.0  # from being taken out of the queue to owning the run
_TELL_TRIES = 12  # then the ending stands in the record only
_TELL_FIRST_S, _TELL_LONGEST_S = 5.0, 3600.0

logger = logging.getLogger(__name__)


class Reconciler:
    """Looks at every open run once a turn. What it remembers between turns may be lost without harm."""

    def __init__(self, redis: Redis, runs: Runs, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._redis = redis
        self._runs = runs
        self._clock = clock
        self._missing: dict[tuple[str, int], float] = {}
        self._tellings: dict[str, tuple[int, float]] = {}

    def turn(self) -> None:
        """One look at all open runs."""
        if int(self._redis.info("server")["uptime_in_seconds"]) < _SETTLE_S:
            return
        open_runs = self._runs.open()
        for run in open_runs:
            self._look(run)
        attempts = {(run.id, run.attempt) for run in open_runs}
        self._missing = {k: v for k, v in self._missing.items() if k in attempts}

    def tell(self, desk: Desk) -> None:
        """Tells endings that no worker told, each less and less often while GitHub can't be reached."""
        for run in self._runs.untold():
            tries, due = self._tellings.get(run.id, (0, 0.0))
            if self._clock() < due:
                continue
            try:
                desk.tell(run)
            except (Retry, EnvironmentFault) as later:
                logger.warning("ending could not be told", extra={"run": run.id, "cause": str(later)})
                if tries + 1 < _TELL_TRIES:
                    wait = min(_TELL_FIRST_S * 2**tries, _TELL_LONGEST_S)
                    self._tellings[run.id] = (tries + 1, self._clock() + wait)
                    continue
            self._runs.tell(run.id)
            self._tellings.pop(run.id, None)

    def _look(self, run: Run) -> None:
        if self._runs.owned(run.id):
            self._missing.pop((run.id, run.attempt), None)
        elif run.stop:
            self._end(run, Outcome.CANCELLED, run.stop)
        elif run.state == "waiting":
            if run.due:
                self._again(run, death=False)
        elif run.state == "running" or run.lost:
            self._orphaned(run)
        elif not queued(self._redis, run) and self._overdue(run):
            self._again(run, death=False)

    def _orphaned(self, run: Run) -> None:
        """Its owner is gone: lease lapsed, or known to be dead ('1') or to have left ('0')."""
        death = run.lost != "0"
        if death and run.deaths + 1 >= MAX_DEATHS:
            self._end(run, Outcome.ENVIRONMENT, died_text(run.deaths + 1))
        else:
            self._again(run, death=death)

    def _overdue(self, run: Run) -> bool:
        """Out of the queue for longer than starting takes: whoever took it died before owning it."""
        since = self._missing.setdefault((run.id, run.attempt), self._clock())
        return self._clock() - since >= _START_S

    def _again(self, run: Run, *, death: bool) -> None:
        if redispatch(self._redis, run, death=death):
            logger.warning("run given to another worker", extra={"run": run.id, "attempt": run.attempt + 1})

    def _end(self, run: Run, outcome: Outcome, reason: str) -> None:
        if give_up(self._redis, run, outcome, reason, keep_s=self._runs.keep_s):
            logger.warning("run ended by control", extra={"run": run.id, "outcome": outcome})
