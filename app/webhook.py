"""POST /webhook: raw bytes, signature, event, trigger, inbox, status code."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from redis.exceptions import RedisError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from app.events import Ignored, parse_event
from app.signature import valid
from app.trigger import Trigger, decide
from jobs import keys, logs
from jobs.inbox import Accepted, Arrival, Door

logger = logging.getLogger(__name__)

LARGEST = 25 * 1024 * 1024  # bytes; GitHub sends no larger ones
_BODY_S = 10.0  # GitHub gives up then
_INBOX_S = 1.5  # an answer must come within two seconds even where Redis hangs
_GUID = re.compile(r"[A-Za-z0-9-]{8,64}")


class _Answer(Exception):
    """Ends the handling with a status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


@dataclass(frozen=True)
class Receiving:
    """What the route works with. `secret` signs deliveries, `prefix` begins commands."""

    door: Door
    secret: str
    prefix: str


def route(receiving: Receiving) -> Callable[[Request], Awaitable[Response]]:
    """The handler of POST /webhook.

    401 signature · 408 slow · 413 large · 415 no JSON · 400 broken · 503 inbox away · 202 accepted, known or ignored;
    an asked-for delivery gets its 202 only once it is in the inbox.
    """

    async def webhook(request: Request) -> Response:
        guid = request.headers.get("x-github-delivery", "")
        with logs.about(delivery=guid if _GUID.fullmatch(guid) else ""):
            try:
                return await _receive(receiving, request, guid)
            except _Answer as answer:
                logger.warning("delivery refused", extra={"status": answer.status, "reason": answer.sentence})
                # Whatever is left of the body is not read.
                close = {"connection": "close"} if answer.status in (408, 413) else None
                return JSONResponse({"error": answer.sentence}, answer.status, close)
            except ClientDisconnect:
                return Response(status_code=400)

    return webhook


async def _receive(receiving: Receiving, request: Request, guid: str) -> Response:
    body = await _body(request)
    signature = dict(request.scope["headers"]).get(b"x-hub-signature-256")
    if not valid(receiving.secret, body, signature):
        raise _Answer(401, "The signature (X-Hub-Signature-256) is missing or wrong.")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise _Answer(415, "Only application/json is accepted: choose it as the webhook's content type.")
    if not _GUID.fullmatch(guid):
        raise _Answer(400, "The delivery id (X-GitHub-Delivery) is missing or malformed.")
    name = request.headers.get("x-github-event", "")
    event = parse_event(name, _decoded(body))
    trigger = event if isinstance(event, Ignored) else decide(event, prefix=receiving.prefix)
    if isinstance(trigger, Ignored):
        logger.info("delivery ignored", extra={"event": name[:40], "reason": trigger.reason})
        return JSONResponse({"ignored": trigger.reason}, 202)
    accepted = await _store(receiving, guid, name, trigger)
    logger.info("delivery accepted", extra={"event": name, "entry": accepted.entry, "new": accepted.new})
    return JSONResponse({"accepted": accepted.entry, "new": accepted.new}, 202)


async def _body(request: Request) -> bytes:
    """The raw bytes, counted as they come: a chunked body announces no length."""
    announced = request.headers.get("content-length", "0")
    if announced.isdecimal() and int(announced) > LARGEST:
        raise _Answer(413, f"The body is larger than {LARGEST} bytes.")
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST:
                    raise _Answer(413, f"The body is larger than {LARGEST} bytes.")
    except TimeoutError:
        raise _Answer(408, f"The body did not arrive within {_BODY_S:.0f} seconds.") from None
    return bytes(body)


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        raise _Answer(400, "The body is not readable JSON.") from None
    if not isinstance(payload, dict):
        raise _Answer(400, "The body is not a JSON object.")
    return payload


async def _store(receiving: Receiving, guid: str, name: str, trigger: Trigger) -> Accepted:
    # A command is about the head that was there when it came: later ones must be known as later.
    moved = trigger.kind == "pull" and trigger.issue is not None
    dates = keys.head(trigger.repository_id, trigger.issue or 0, trigger.head_sha) if moved else ""
    arrival = Arrival(guid, name, trigger.meaning, trigger.to_json(), dates)
    try:
        async with asyncio.timeout(_INBOX_S):
            return await receiving.door.accept(arrival)
    except (RedisError, TimeoutError, OSError) as away:
        # Whether or not the inbox has it, the same delivery can come again without harm.
        logger.error("inbox away", extra={"cause": type(away).__name__})
        raise _Answer(503, "The inbox can't be reached; deliver this again later.") from None
