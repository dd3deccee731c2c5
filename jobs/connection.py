"""Opens Redis: patiently for work that outlives a restart, impatiently for a webhook that must be answered."""

from __future__ import annotations

from typing import Any

from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry

from jobs.errors import UserError

# Forty tries of at most one second: a restarted server that loads its file is waited for, a dead one is not.
_TRIES, _LONGEST_WAIT_S = 40, 1.0


def connect(url: str) -> Redis:
    """A client that waits up to about 40 s for Redis to come back before it raises RedisError.

    A command whose answer was lost is sent again, so every script of ours may run twice.
    """
    retry = Retry(ExponentialBackoff(cap=_LONGEST_WAIT_S, base=0.05), _TRIES)
    return Redis.from_url(
        checked(url), retry=retry, socket_connect_timeout=2.0, socket_timeout=15.0, health_check_interval=0
    )


def connect_quick(url: str) -> Redis:
    """A client that says within about a second whether Redis is there."""
    return Redis.from_url(checked(url), retry=Retry(NoBackoff(), 0), socket_connect_timeout=0.5, socket_timeout=1.0)


def connect_async(url: str) -> AsyncRedis:
    """The same for the event loop; one lost connection is opened again at once."""
    return AsyncRedis.from_url(
        checked(url), retry=AsyncRetry(NoBackoff(), 1), socket_connect_timeout=0.5, socket_timeout=0.8
    )


def text(value: bytes | str | None) -> str:
    """What Redis answered, as text; '' for nothing."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value or ""


def checked(url: str) -> str:
    """`url` if Redis clients can read it. Raises UserError otherwise."""
    if not url.startswith(("redis://", "rediss://", "unix://")):
        raise UserError("REDIS_URL must begin with redis://, rediss:// or unix://.")
    return url


def durability(info: dict[str, Any], memory: dict[str, Any]) -> tuple[str, ...]:
    """Why accepted work could be lost, one sentence each; empty if it can't.

    `info` is INFO persistence, `memory` INFO memory.
    """
    reasons = []
    if not int(info.get("aof_enabled", 0)):
        reasons.append("Redis has no append-only file: set `appendonly yes`, or accepted work is lost at a restart.")
    elif info.get("aof_last_write_status") != "ok":
        reasons.append("Redis can't write its append-only file: look at its disk.")
    if memory.get("maxmemory_policy") != "noeviction":
        reasons.append("Redis may evict keys: set `maxmemory-policy noeviction`, or accepted work can vanish.")
    return tuple(reasons)


def durable(redis: Redis) -> tuple[str, ...]:
    """`durability` of a live server, or one sentence that it can't be reached."""
    try:
        return durability(redis.info("persistence"), redis.info("memory"))
    except ResponseError as refused:
        return (f"Redis refuses to say how durable it is: {refused}",)
    except RedisError as away:
        return (f"Redis can't be reached: {type(away).__name__}.",)
