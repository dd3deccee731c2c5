"""Ownership of a run: a lease of ten seconds, renewed while we live, whose holder fences every write."""

from __future__ import annotations

import json
import logging
import secrets
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from redis import Redis
from redis.exceptions import RedisError

from jobs import keys
from jobs.clock import now_ms
from jobs.errors import Fenced, Stopped
from jobs.lua import source
from jobs.outcome import Outcome

LIFE_S, RENEW_S = 10.0, 3.0

logger = logging.getLogger(__name__)


class Lease:
    """Holds one attempt of one run as a context manager; a thread renews it.

    Entering raises Fenced if the attempt is not the run's newest, is owned by another execution, or has ended.
    """

    def __init__(self, redis: Redis, run: str, attempt: int, *, life_s: float = LIFE_S) -> None:
        self.redis = redis
        self.run = run
        self.attempt = attempt
        # The nonce tells two executions of the same attempt apart.
        self.holder = f"{attempt}:{secrets.token_hex(8)}"
        self._life_ms = int(life_s * 1000)
        self._renew_s = min(RENEW_S, life_s / 3)
        self._renew = redis.register_script(source("renew"))
        self._keys = [keys.run(run), keys.lease(run)]
        self._over = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._keep, name=f"lease-{run}", daemon=True)

    def __enter__(self) -> Lease:
        acquire = self.redis.register_script(source("acquire"))
        if not acquire(keys=self._keys, args=[self.attempt, self.holder, self._life_ms, now_ms()]):
            raise Fenced(f"Attempt {self.attempt} of {self.run} belongs to somebody else or has ended.")
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._over.set()
        self._thread.join(timeout=self._renew_s)

    def check(self, *, stop: bool = True) -> None:
        """The guard: returns only while this execution owns the run. Call it right before every outside write.

        Raises Fenced if another attempt owns it; with `stop`, Stopped once if a person asked to stop (once, so that
        the ending can still be told).
        """
        mine, asked = self._renewed()
        if not mine:
            raise Fenced(f"Attempt {self.attempt} of {self.run} lost its lease.")
        if stop and asked and not self._stopped:
            self._stopped = True
            raise Stopped(Outcome.CANCELLED, asked)

    def postpone(self, after_s: float, reason: str) -> bool:
        """Gives the run back until `after_s` seconds from now; False if it was not ours any more."""
        script = self.redis.register_script(source("postpone"))
        return bool(script(keys=self._keys, args=[self.holder, now_ms() + int(after_s * 1000), reason]))

    def keep(self, values: Mapping[str, Any]) -> None:
        """Stores JSON values for a later attempt of the run, instead of those from before. Raises Fenced."""
        script = self.redis.register_script(source("keep"))
        if not script(keys=[keys.run(self.run)], args=[self.holder, json.dumps(values)]):
            raise Fenced(f"Attempt {self.attempt} of {self.run} may not write any more.")

    def _renewed(self) -> tuple[bool, str]:
        mine, stop = self._renew(keys=self._keys, args=[self.holder, self._life_ms])
        return bool(mine), stop.decode()

    def _keep(self) -> None:
        while not self._over.wait(self._renew_s):
            try:
                mine, _ = self._renewed()
            except RedisError as away:
                logger.warning("lease could not be renewed", extra={"cause": type(away).__name__})
                continue
            if not mine:
                return


class Hold:
    """A run in the hands of one attempt, as its work sees it: called, it is the guard of everything that a person may
    still stop. `kept` is what an earlier attempt kept (JSON values; empty if none did)."""

    def __init__(self, lease: Lease, kept: Mapping[str, Any]) -> None:
        self._lease = lease
        self.kept = kept

    def __call__(self) -> None:
        """Raises Fenced, or Stopped where a person asked to stop."""
        self._lease.check()

    def fence(self) -> None:
        """The guard of what is past stopping (publishing, telling): raises Fenced only."""
        self._lease.check(stop=False)

    def keep(self, values: Mapping[str, Any]) -> None:
        """Keeps JSON values for a later attempt, until the run has ended. Raises Fenced."""
        self._lease.keep(values)


def lead(redis: Redis, who: str, life_s: float) -> bool:
    """Takes or renews the leadership of control for `life_s` seconds (0 gives it up); False if another leads."""
    script = redis.register_script(source("lead"))
    return bool(script(keys=[keys.LEADER], args=[who, int(life_s * 1000)]))


def give_up(redis: Redis, run: str, attempt: int, *, died: bool) -> bool:
    """Frees a run whose owner is known to be gone, so that the next attempt need not wait for the lease to lapse.

    `died` is False where the owner left on purpose: it then does not count as one of the run's deaths.
    """
    script = redis.register_script(source("release"))
    return bool(script(keys=[keys.run(run), keys.lease(run)], args=[attempt, "1" if died else "0"]))
