"""A webhook receiver of the hub's tests: keeps what arrives, answers as told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class Listener:
    """`got` holds (headers in lower case, body) in the order of arrival; `status` is what is answered."""

    url: str = ""
    status: int = 202
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def events(self) -> list[str]:
        """event.action of each delivery."""
        named = [
            (headers["x-github-event"], self.payload(at).get("action")) for at, (headers, _) in enumerate(self.got)
        ]
        return [f"{event}.{action}" if action else event for event, action in named]

    def payload(self, at: int) -> Any:
        """The body of a delivery as JSON."""
        return json.loads(self.got[at][1])


@contextmanager
def listening() -> Iterator[Listener]:
    """A listener on loopback."""
    listener = Listener()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            listener.got.append(({k.lower(): v for k, v in self.headers.items()}, body))
            self.send_response(listener.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    listener.url = f"http://127.0.0.1:{server.server_address[1]}/webhook"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield listener
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
