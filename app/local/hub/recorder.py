"""Wraps the hub's application: records every request with its answer, and plays the faults asked for."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.local.hub.calls import Reply
from app.local.hub.faults import Fault, Faults, instead
from app.local.hub.rest import ENTERPRISE

_UNRECORDED = ("/-/receive", "/static/")
_PACKS = ("/git-upload-pack", "/git-receive-pack", "/info/refs")  # bodies too large to keep
_KEPT = 20_000


@dataclass(frozen=True)
class Recorded:
    """One request and its answer. Header names are in lower case; `path` is as asked, without the query. Bodies of
    git's own requests are not kept. `status` 0 means that the connection ended without an answer."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    status: int
    response_headers: Mapping[str, str]
    response: bytes
    fault: str | None = None

    @property
    def route(self) -> str:
        """The path without /api/v3."""
        return self.path.removeprefix(ENTERPRISE) or "/"

    @property
    def json(self) -> Any:
        """The body asked with, as JSON; None if empty."""
        return json.loads(self.body) if self.body.strip() else None

    @property
    def response_json(self) -> Any:
        """The body answered, as JSON; None if empty."""
        return json.loads(self.response) if self.response.strip() else None


class Recorder:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app = app
        self._faults = faults
        self._kept: deque[Recorded] = deque(maxlen=_KEPT)

    @property
    def requests(self) -> list[Recorded]:
        """What has been answered so far, oldest first."""
        return list(self._kept)

    def clear(self) -> None:
        """Forgets what was recorded."""
        self._kept.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        path = scope.get("path", "")
        if scope["type"] != "http" or path.startswith(_UNRECORDED):
            await self._app(scope, receive, send)
            return
        fault = self._faults.take(scope["method"], path.removeprefix(ENTERPRISE))
        tape = _Tape(scope, receive, send, self._kept)
        tape.fault = fault.kind if fault else None
        try:
            await _serve(self._app, scope, tape, fault)
        finally:
            tape.record()  # if it ended without an answer


async def _serve(app: ASGIApp, scope: Scope, tape: _Tape, fault: Fault | None) -> None:
    if fault is None:
        await app(scope, tape.receive, tape.send)
        return
    reply = instead(fault)
    if fault.kind == "slow":
        await asyncio.sleep(fault.seconds)
        await app(scope, tape.receive, tape.send)
    elif reply is not None:
        await tape.drain()
        await tape.answer(reply)
    else:
        tape.hold()
        await app(scope, tape.receive, tape.send)
        await (tape.cut() if fault.kind == "cut" else tape.answer(Reply(502, {"message": "Server Error"})))


class _Tape:
    """One request going in and one answer coming out, both remembered."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, record: deque[Recorded]) -> None:
        self._scope, self._receive, self._send, self._record = scope, receive, send, record
        self._keep = not scope["path"].endswith(_PACKS)
        self._held = self._recorded = False
        self.fault: str | None = None
        self._body, self._response = bytearray(), bytearray()
        self._status, self._headers = 0, {}  # type: int, dict[str, str]

    def hold(self) -> None:
        """From here on the application's answer goes nowhere."""
        self._held = True

    async def receive(self) -> Message:
        """The application reads."""
        message = await self._receive()
        if self._keep:
            self._body += message.get("body", b"")
        return message

    async def send(self, message: Message) -> None:
        """The application writes."""
        if message["type"] == "http.response.start":
            self._status, self._headers = message["status"], _text(message.get("headers", ()))
        elif self._keep:
            self._response += message.get("body", b"")
        if self._held:
            return
        if self._ends(message):
            self.record()  # first: who has the answer must find the record
        await self._send(message)

    def _ends(self, message: Message) -> bool:
        if message["type"] == "http.response.start":
            return self._status in (204, 304) or self._headers.get("content-length") == "0"
        return not message.get("more_body")

    async def drain(self) -> None:
        """Reads the request to its end."""
        while (await self.receive()).get("more_body"):
            pass

    async def answer(self, reply: Reply) -> None:
        """Answers in the application's place."""
        self._held = False
        self._response.clear()
        content = reply.content()
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            **reply.headers,
            "Content-Length": str(len(content)),
        }
        pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await self.send({"type": "http.response.start", "status": reply.status, "headers": pairs})
        await self.send({"type": "http.response.body", "body": content})

    async def cut(self) -> None:
        """Promises more than it sends: the server then drops the connection."""
        self.record()
        half = bytes(self._response[: len(self._response) // 2])
        length = str(len(self._response) + 1).encode()
        headers = [(b"content-type", b"application/json; charset=utf-8"), (b"content-length", length)]
        await self._send({"type": "http.response.start", "status": self._status or 200, "headers": headers})
        await self._send({"type": "http.response.body", "body": half, "more_body": True})

    def record(self) -> None:
        """Remembers the exchange, once."""
        if self._recorded:
            return
        self._recorded = True
        scope, query = self._scope, self._scope.get("query_string", b"").decode("latin-1")
        asked = scope["method"], scope["path"], query, _text(scope.get("headers", ())), bytes(self._body)
        answered = self._status, self._headers, bytes(self._response)
        self._record.append(Recorded(*asked, *answered, fault=self.fault))


def _text(headers: Any) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}
