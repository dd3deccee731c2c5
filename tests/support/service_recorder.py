"""A recorder of side effects on loopback: what a run writes outside, kept by (kind, run), counted as it happens."""

from __future__ import annotations

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType


class Recorder:
    """`POST /kind/run` creates one (201) and counts it, `GET` looks (200 or 404). Creating twice is possible, as it
    is with comments and pull requests: only looking first prevents it."""

    def __init__(self) -> None:
        self.created: Counter[tuple[str, str]] = Counter()
        self.by: dict[tuple[str, str], list[str]] = {}
        self._lock = threading.Lock()
        recorder = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                _, kind, run = self.path.split("/")
                self._reply(200 if recorder.created[kind, run] else 404)

            def do_POST(self) -> None:
                _, kind, run = self.path.split("/")
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                with recorder._lock:
                    recorder.created[kind, run] += 1
                    recorder.by.setdefault((kind, run), []).append(body)
                self._reply(201)

            def _reply(self, status: int) -> None:
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Recorder:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def counts(self, run: str) -> dict[str, int]:
        """How often each kind was created for `run`."""
        with self._lock:
            return {kind: n for (kind, of), n in self.created.items() if of == run and n}

    def bodies(self, kind: str, run: str) -> list[dict[str, object]]:
        """What was sent."""
        with self._lock:
            return [json.loads(body) for body in self.by.get((kind, run), [])]
