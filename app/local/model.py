"""A scripted model endpoint on loopback: it speaks the Messages API and chat completions, and answers from a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from app.local.model_cache import PromptCache
from app.local.model_check import signature
from app.local.model_http import Exchange, Recorded, Server
from app.local.model_limit import Limit, Standing, Window
from app.local.model_script import Request, Step, choose, load, rendered

__all__ = ["Limit", "Recorded", "ScriptedEndpoint"]


class ScriptedEndpoint:
    """Serves a script from `start()` to `stop()` (or as a context manager). `requests` records every POST.

    `key` is the one key that is accepted; without it any is. `limit` is how often each key may ask. Port 0 takes a
    free one.
    """

    def __init__(
        self,
        script: Path | Sequence[Mapping[str, Any]],
        *,
        port: int = 0,
        key: str | None = None,
        cache_minimum: int = 1024,
        limit: Limit | None = None,
    ) -> None:
        self.steps = load(script)
        self.key = key
        self.requests: list[Recorded] = []
        self.cache = PromptCache(minimum=cache_minimum)
        self.thought: dict[str, str] = {}  # tool call id -> the thinking before it
        self._window = Window(limit) if limit else None
        self._faults: Counter[int] = Counter()
        self._lock = Lock()
        self._ids = count(1)
        self._server = Server(("127.0.0.1", port), Exchange)
        self._server.endpoint = self
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True, name="scripted-model")

    @property
    def url(self) -> str:
        """The base address for clients of the Messages API; those of chat completions add /v1."""
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

    def standing(self, key: str) -> Standing | None:
        """Counts a request of `key`; None where there is no limit."""
        return self._window.ask(key) if self._window else None
