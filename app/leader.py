"""Which control process leads: one at a time, by a lock that the leader renews and the dead let lapse."""

from __future__ import annotations

import logging
import secrets
import threading
import time

from redis import Redis
from redis.exceptions import RedisError

from jobs.errors import Fenced
from jobs.lease import lead

LIFE_S = 8.0
_RENEW_S, _TRY_S = 2.0, 1.0

logger = logging.getLogger(__name__)


class Leader:
    """Competes for leadership in a thread of its own, so that a slow request never costs it."""

    def __init__(self, redis: Redis, *, life_s: float = LIFE_S) -> None:
        self._who = secrets.token_hex(8)
        self._life_s = life_s
        self._redis = redis
        self._until = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._compete, name="leader", daemon=True)

    def start(self) -> None:
        """Begins to compete."""
        self._thread.start()

    def stop(self) -> None:
        """Stops and lets another lead at once."""
        self._over.set()
        self._thread.join(timeout=5)
        if self.leads():
            lead(self._redis, self._who, 0)

    def leads(self) -> bool:
        """True while no other can lead."""
        return time.monotonic() < self._until

    def check(self) -> None:
        """The guard of everything a leader writes. Raises Fenced if another may lead by now."""
        if not self.leads():
            raise Fenced("Another control process may lead now.")

    def _compete(self) -> None:
        led = False
        while not self._over.is_set():
            asked = time.monotonic()
            try:
                leads = lead(self._redis, self._who, self._life_s)
            except RedisError as away:
                logger.warning("leadership unknown", extra={"cause": type(away).__name__})
                leads = False
            # Counted from before the question: the lock may have been set any time after.
            self._until = asked + self._life_s * 0.75 if leads else 0.0
            if leads != led:
                logger.info("leads" if leads else "follows")
            led = leads
            self._over.wait(_RENEW_S if leads else _TRY_S)
