"""Takes turns at one key with every worker of this Redis."""

from __future__ import annotations

import logging
import secrets
from typing import cast

from redis import Redis
from redis.exceptions import RedisError
from redis.typing import EncodableT, FieldT

from jobs import keys
from jobs.lua import source
from jobs.model.limiter import LONGEST_TURN_S, MINUTE_S, key_hash
from jobs.model.limits import MARGIN, Limits

logger = logging.getLogger(__name__)

_KEPT_MINUTES = 10  # how long what was learned holds


class RedisLimiter:
    """A Limiter whose turns are in Redis, under a hash of the key. Redis being away never stops a request."""

    def __init__(self, redis: Redis, key: str, *, minute_s: float = MINUTE_S) -> None:
        self._redis = redis
        self._minute_ms = max(1, round(minute_s * 1000))
        self._keys = [keys.turns(key_hash(key)), keys.limits(key_hash(key))]
        self._turn = redis.register_script(source("turn"))
        self._until = redis.register_script(source("until"))

    def turn(self, tokens: int) -> float:
        """As the protocol says."""
        args: list[EncodableT] = [secrets.token_hex(8), tokens, self._minute_ms, MARGIN, round(LONGEST_TURN_S * 1000)]
        try:
            return int(cast(bytes, self._turn(keys=self._keys, args=args))) / 1000
        except RedisError as away:
            logger.warning("no turn taken", extra={"cause": str(away)})
            return 0.0

    def learn(self, limits: Limits) -> None:
        """As the protocol says."""
        self._keep({"requests": limits.requests or 0, "tokens": limits.tokens or 0})

    def refused(self, after_s: float) -> None:
        """As the protocol says."""
        try:
            self._until(keys=self._keys[1:], args=[round(after_s * 1000), self._minute_ms * _KEPT_MINUTES])
        except RedisError as away:
            logger.warning("refusal not told to others", extra={"cause": str(away)})

    def _keep(self, limits: dict[FieldT, EncodableT]) -> None:
        try:
            with self._redis.pipeline() as pipe:
                pipe.hset(self._keys[1], mapping=limits)
                pipe.pexpire(self._keys[1], self._minute_ms * _KEPT_MINUTES)
                pipe.execute()
        except RedisError as away:
            logger.warning("limits not told to others", extra={"cause": str(away)})
