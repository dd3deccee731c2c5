"""The HTTP side of the scripted model endpoint."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from app.local import model_stream
from app.local.model_cache import BadMarkers, PromptCache, tokens
from app.local.model_check import BadRequest, check
from app.local.model_dialect import DIALECTS, MESSAGES, Dialect
from app.local.model_faults import MID_STREAM, Refusal, Spoiled, refusal, spoil
from app.local.model_limit import Standing
from app.local.model_script import BadScript, Step

_PING_S = 0.05


@dataclass(frozen=True)
class Recorded:
    """One request as it came, and how it was answered: the script's reply (from 0; None if none fitted), the status."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    step: int | None
    status: int


class Answers(Protocol):
    """What the endpoint knows."""

    key: str | None
    requests: list[Recorded]
    cache: PromptCache
    thought: dict[str, str]

    def choose(self, body: Mapping[str, Any]) -> tuple[Step | None, list[dict[str, Any]]]:
        """The reply for a request, and its blocks."""
        ...

    def standing(self, key: str) -> Standing | None:
        """Counts a request of `key`; None where there is no limit."""
        ...

    def number(self) -> int:
        """A number that no earlier request had."""
        ...


class Server(ThreadingHTTPServer):
    """Listens."""

    daemon_threads = True
    request_queue_size = 128
    endpoint: Answers


class Exchange(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # without it every streamed event would wait for the last one's receipt
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        """Stays silent."""

    def _begin(self) -> None:
        self.number = self.server.endpoint.number()
        self.body: dict[str, Any] = {}
        self.step: Step | None = None
        self.limits: Mapping[str, str] = {}
        self.dialect: Dialect = DIALECTS.get(self.path.split("?")[0], MESSAGES)

    def do_GET(self) -> None:
        """GET /v1/models."""
        self._begin()
        if self.path.split("?")[0] != "/v1/models":
            return self._error(Refusal(404, "not_found_error", self.path))
        return self._json(200, {"data": [], "has_more": False, "first_id": None, "last_id": None})

    def do_POST(self) -> None:
        """POST /v1/messages, /v1/messages/count_tokens and /v1/chat/completions."""
        self._begin()
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            self.body = json.loads(raw)
            self._answer()
        except (BadRequest, BadMarkers, BadScript) as no:
            self._error(Refusal(400, "invalid_request_error", str(no)))
        except ValueError:
            self.body = {}
            self._error(Refusal(400, "invalid_request_error", "the body is not JSON"))

    def _answer(self) -> None:
        path, endpoint = self.path.split("?")[0], self.server.endpoint
        if refused := self._unknown_key() or self._too_often():
            return self._error(refused)
        if path == "/v1/messages/count_tokens":
            return self._json(200, {"input_tokens": tokens(json.dumps(self.body))})
        if path not in DIALECTS:
            return self._error(Refusal(404, "not_found_error", path))
        asked = self.dialect.asked(self.body)
        check(asked, endpoint.thought if self.dialect.thinks else {})
        self.step, blocks = endpoint.choose(asked)
        if self.step is None:
            raise BadScript("No reply of the script fits this request; add one or widen its `when`.")
        if refused := refusal(self.step):
            return self._error(refused)
        return self._reply(asked, blocks)

    @property
    def _key(self) -> str:
        return self.headers.get("x-api-key") or (self.headers.get("authorization") or "").removeprefix("Bearer ")

    def _unknown_key(self) -> Refusal | None:
        wanted = self.server.endpoint.key
        if not self._key or (wanted is not None and self._key != wanted):
            return Refusal(401, "authentication_error", "invalid x-api-key")
        return None

    def _too_often(self) -> Refusal | None:
        standing = self.server.endpoint.standing(self._key)
        if standing is None:
            return None
        self.limits = standing.headers(chat=self.dialect.chat)
        text = f"This request would exceed the limit of {standing.limit} requests per minute."
        return None if standing.allowed else Refusal(429, "rate_limit_error", text)

    def _reply(self, asked: Mapping[str, Any], blocks: list[dict[str, Any]]) -> None:
        assert self.step is not None
        spoiled = spoil(self.step, blocks)
        usage = self.server.endpoint.cache.count(asked).usage(_output(spoiled.blocks))
        stop = spoiled.stop or model_stream.stop_reason(spoiled.blocks)
        ident = f"msg_{self.number:08d}"
        whole = model_stream.message(ident, str(self.body["model"]), spoiled.blocks, stop, usage)
        time.sleep(spoiled.wait_s)
        if self.body.get("stream"):
            return self._stream(whole, spoiled)
        return self._json(200, self.dialect.whole(whole))

    def _stream(self, whole: Mapping[str, Any], spoiled: Spoiled) -> None:
        self._record(200)
        self.send_response(200)
        for name, value in {"content-type": "text/event-stream", **self._always, "connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        for _ in range(round(spoiled.pings_s / _PING_S)):
            self.wfile.write(self.dialect.ping)
            time.sleep(_PING_S)
        sent = self.dialect.stream(whole, spoiled.half)
        last = len(sent) if spoiled.events is None else min(spoiled.events, len(sent) - self.dialect.ending)
        for part in sent[:last]:
            self.wfile.write(part)
        if self.step is not None and self.step.fault in MID_STREAM:
            self.wfile.write(self.dialect.broken(*MID_STREAM[self.step.fault], self._always["request-id"]))
        self.close_connection = True
        if spoiled.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

    def _error(self, refused: Refusal) -> None:
        body = self.dialect.error(refused.kind, refused.text, self._always["request-id"])
        self._json(refused.status, body, refused.headers)

    def _json(self, status: int, content: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        if self.command == "POST":
            self._record(status)
        payload = json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **self._always, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def _record(self, status: int) -> None:
        step = self.step.index if self.step else None
        recorded = Recorded(self.path, {k.lower(): v for k, v in self.headers.items()}, self.body, step, status)
        self.server.endpoint.requests.append(recorded)

    @property
    def _always(self) -> Mapping[str, str]:
        return {"request-id": f"req_{self.number:08d}", **self.limits}


def _output(blocks: Sequence[Mapping[str, Any]]) -> int:
    return sum(tokens(json.dumps(b, ensure_ascii=False)) for b in blocks) or 1
