"""GET /healthz and /readyz: alive, and able to keep what it accepts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from jobs.connection import durability

_LONGEST_S = 1.5


async def healthz(_: Request) -> Response:
    """200 while the process answers at all."""
    return JSONResponse({"alive": True})


def readyz(redis: Redis) -> Callable[[Request], Awaitable[Response]]:
    """The handler of /readyz: 200 `{ready: true}`, or 503 with one sentence for each thing that is wrong."""

    async def answer(_: Request) -> Response:
        reasons = await _reasons(redis)
        return JSONResponse({"ready": not reasons, "reasons": reasons}, 503 if reasons else 200)

    return answer


async def _reasons(redis: Redis) -> list[str]:
    try:
        async with asyncio.timeout(_LONGEST_S):
            return list(durability(await redis.info("persistence"), await redis.info("memory")))
    except ResponseError as refused:
        return [f"Redis refuses to say how durable it is: {refused}"]
    except (RedisError, TimeoutError, OSError) as away:
        return [f"Redis can't be reached: {type(away).__name__}."]
