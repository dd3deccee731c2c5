"""An endpoint in front of another one, which refuses what does not fit its window, reply included."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

BYTES_A_TOKEN = 4


class SmallWindow:
    """Answers at `url` from `start()` to `stop()`, with what stands at `behind`. `window` is in tokens; `words` is what
    a refusal says, with `{window}` and `{asked}` in it. `taken` are the tokens of the requests that fitted."""

    def __init__(self, behind: str, window: int, words: str) -> None:
        self.behind = urlsplit(behind).netloc
        self.window, self.words = window, words
        self.taken: list[int] = []
        self.refused = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _answering(self))
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> SmallWindow:
        self._thread.start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def refusal(self, body: bytes) -> bytes | None:
        """What is said to a request that does not fit; None if it does."""
        asked = len(body) // BYTES_A_TOKEN + json.loads(body)["max_tokens"]
        if asked <= self.window:
            self.taken.append(asked)
            return None
        self.refused += 1
        words = self.words.format(window=self.window, asked=asked)
        return json.dumps({"error": {"message": words, "type": "BadRequestError", "code": 400}}).encode()


def _answering(front: SmallWindow) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            refusal = front.refusal(body)
            if refusal is not None:
                self._send(400, "application/json", refusal)
                return
            behind = HTTPConnection(front.behind, timeout=30)
            kept = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "accept-encoding")}
            behind.request("POST", self.path, body, kept)
            got = behind.getresponse()
            self._send(got.status, got.headers["content-type"], got.read())
            behind.close()

        def _send(self, status: int, kind: str, data: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    return Answering
