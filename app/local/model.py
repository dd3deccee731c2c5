"""A scripted model endpoint on loopback: it speaks the Messages API and answers from a file."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from app.local import model_stream
from app.local.model_cache import BadMarkers, PromptCache, tokens
from app.local.model_check import BadRequest, check, signature
from app.local.model_faults import MID_STREAM, Refusal, Spoiled, refusal, spoil
from app.local.model_script import BadScript, Request, Step, choose, load, rendered


@dataclass(frozen=True)
class Recorded:
    """One request as it came, and how it was answered: the script's reply (from 0; None if none fitted), the status."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    step: int | None
    status: int


class ScriptedEndpoint:
    """Serves a script from `start()` to `stop()` (or as a context manager). `requests` records every POST.

    `key` is the one key that is accepted; without it any is. Port 0 takes a free one.
    """

    def __init__(
        self,
        script: Path | Sequence[Mapping[str, Any]],
        *,
        port: int = 0,
        key: str | None = None,
        cache_minimum: int = 1024,
    ) -> None:
        self.steps = load(script)
        self.key = key
        self.requests: list[Recorded] = []
        self.cache = PromptCache(minimum=cache_minimum)
        self.thought: dict[str, str] = {}  # tool call id -> the thinking before it
        self._faults: Counter[int] = Counter()
        self._lock = Lock()
        self._ids = count(1)
        self._server = _Server(("127.0.0.1", port), _Exchange)
        self._server.endpoint = self
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True, name="scripted-model")

    @property
    def url(self) -> str:
        """The base address for clients."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> ScriptedEndpoint:
        """Begins to answer."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Ends the server; waits for it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    __enter__ = start

    def __exit__(self, *_: object) -> None:
        self.stop()

    def choose(self, body: Mapping[str, Any]) -> tuple[Step | None, list[dict[str, Any]]]:
        """The reply for a request, and its blocks with ids and signatures."""
        request = Request.of(body)
        with self._lock:
            step = choose(self.steps, request, self._faults)
            if step is None:
                return None, []
            if step.fault:
                self._faults[step.index] += 1
        blocks = rendered(step, request)
        for block in blocks:
            if block["type"] == "thinking":
                block.setdefault("signature", signature(block["thinking"]))
        thinking = next((b["thinking"] for b in blocks if b["type"] == "thinking"), None)
        if thinking is not None:
            self.thought.update({b["id"]: thinking for b in blocks if b["type"] == "tool_use"})
        return step, blocks

    def number(self) -> int:
        """A number that no earlier request had."""
        with self._lock:
            return next(self._ids)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    endpoint: ScriptedEndpoint


class _Exchange(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # without it every streamed event would wait for the last one's receipt
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Stays silent."""

    def do_GET(self) -> None:
        """GET /v1/models."""
        if self.path.split("?")[0] != "/v1/models":
            return self._error(Refusal(404, "not_found_error", self.path))
        return self._json(200, {"data": [], "has_more": False, "first_id": None, "last_id": None})

    def do_POST(self) -> None:
        """POST /v1/messages and /v1/messages/count_tokens."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.number = self.server.endpoint.number()
        self.step: Step | None = None
        try:
            self.body: dict[str, Any] = json.loads(raw)
            self._answer()
        except (BadRequest, BadMarkers, BadScript) as no:
            self._error(Refusal(400, "invalid_request_error", str(no)))
        except ValueError:
            self.body = {}
            self._error(Refusal(400, "invalid_request_error", "the body is not JSON"))

    def _answer(self) -> None:
        path = self.path.split("?")[0]
        if refused := self._unknown_key():
            return self._error(refused)
        if path == "/v1/messages/count_tokens":
            return self._json(200, {"input_tokens": tokens(json.dumps(self.body))})
        if path != "/v1/messages":
            return self._error(Refusal(404, "not_found_error", path))
        check(self.body, self.server.endpoint.thought)
        self.step, blocks = self.server.endpoint.choose(self.body)
        if self.step is None:
            raise BadScript("No reply of the script fits this request; add one or widen its `when`.")
        if refused := refusal(self.step):
            return self._error(refused)
        return self._reply(blocks)

    def _unknown_key(self) -> Refusal | None:
        given = self.headers.get("x-api-key") or (self.headers.get("authorization") or "").removeprefix("Bearer ")
        wanted = self.server.endpoint.key
        if not given or (wanted is not None and given != wanted):
            return Refusal(401, "authentication_error", "invalid x-api-key")
        return None

    def _reply(self, blocks: list[dict[str, Any]]) -> None:
        assert self.step is not None
        spoiled = spoil(self.step, blocks)
        usage = self.server.endpoint.cache.count(self.body).usage(_output(spoiled.blocks))
        stop = spoiled.stop or model_stream.stop_reason(spoiled.blocks)
        ident = f"msg_{self.number:08d}"
        whole = model_stream.message(ident, str(self.body["model"]), spoiled.blocks, stop, usage)
        time.sleep(spoiled.wait_s)
        if self.body.get("stream"):
            return self._stream(whole, spoiled)
        return self._json(200, whole)

    def _stream(self, whole: Mapping[str, Any], spoiled: Spoiled) -> None:
        self._record(200)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("request-id", self._request_id)
        self.send_header("connection", "close")
        self.end_headers()
        sent = [model_stream.wire(spoiled.bend(event)) for event in model_stream.events(whole)]
        for chunk in sent[: spoiled.events]:
            self.wfile.write(chunk)
        if self.step is not None and self.step.fault in MID_STREAM:
            self.wfile.write(model_stream.wire(model_stream.error(*MID_STREAM[self.step.fault], self._request_id)))
        self.close_connection = True

    def _error(self, refused: Refusal) -> None:
        self._json(refused.status, model_stream.error(refused.kind, refused.text, self._request_id), refused.headers)

    def _json(self, status: int, content: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        if self.command == "POST":
            self._record(status)
        payload = json.dumps(content).encode()
        self.send_response(status)
        for name, value in {
            "content-type": "application/json",
            "request-id": self._request_id,
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def _record(self, status: int) -> None:
        step = self.step.index if self.step else None
        recorded = Recorded(self.path, {k.lower(): v for k, v in self.headers.items()}, self.body, step, status)
        self.server.endpoint.requests.append(recorded)

    @property
    def _request_id(self) -> str:
        return f"req_{getattr(self, 'number', 0):08d}"


def _output(blocks: Sequence[Mapping[str, Any]]) -> int:
    return sum(tokens(json.dumps(b, ensure_ascii=False)) for b in blocks) or 1
