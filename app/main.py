"""Builds the receiver's ASGI app and serves it; importing it does nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI
from starlette.routing import Route

from app.health import healthz, readyz
from app.settings import ReceiverSettings
from app.webhook import Receiving, route
from jobs import logs
from jobs.connection import connect_async
from jobs.inbox import Door
from jobs.redact import Redactor
from jobs.settings import take

# More connections than GitHub opens; a flood of slow ones is refused instead of exhausting memory.
_CONNECTIONS = 1000


def build(settings: ReceiverSettings) -> FastAPI:
    """The app: the webhook, health and (in time) the pages. Raises UserError for a Redis address that is none."""
    redis = connect_async(settings.redis_url.get_secret_value())
    door = Door(redis, keep_s=settings.keep_s)
    receiving = Receiving(door, settings.webhook_secret.get_secret_value(), settings.prefix)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await redis.aclose()

    app = FastAPI(title="Patchwright", openapi_url=None, docs_url=None, redoc_url=None, lifespan=lifespan)
    # A plain route: the framework's parsing of bodies would come before the signature.
    app.router.routes += [
        Route("/webhook", route(receiving), methods=["POST"]),
        Route("/healthz", healthz),
        Route("/readyz", readyz(redis)),
    ]
    return app


def serve(*, host: str | None = None, port: int | None = None) -> None:
    """Entry point: the receiver process, its settings taken from the environment; `host` and `port` go first."""
    told = {"host": host, "port": port}
    settings = take(ReceiverSettings).model_copy(update={k: v for k, v in told.items() if v is not None})
    secrets = (settings.webhook_secret.get_secret_value(), settings.redis_url.get_secret_value())
    logs.set_up(Redactor(secrets))
    uvicorn.run(
        build(settings),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=5,
    )
