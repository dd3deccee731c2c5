"""The primary rate limit: how much each caller has used of this hour."""

from __future__ import annotations

import threading
import time

from app.local.hub.records import Body

LIMIT = 5000
_WINDOW_S = 3600


class Budget:
    """Counts requests by caller. It tells and never refuses: refusals are asked for as faults."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used: dict[str, tuple[int, int]] = {}  # caller to (start of the window, used)

    def headers(self, key: str, *, spend: bool) -> dict[str, str]:
        """The x-ratelimit headers for `key`, after one more request if `spend`."""
        with self._lock:
            start, used = self._window(key)
            used += int(spend)
            self._used[key] = (start, used)
        named = {"limit": LIMIT, "remaining": max(LIMIT - used, 0), "used": used, "reset": start + _WINDOW_S}
        return {f"X-RateLimit-{k.title()}": str(v) for k, v in named.items()} | {"X-RateLimit-Resource": "core"}

    def overview(self, key: str) -> Body:
        """One resource of GET /rate_limit."""
        with self._lock:
            start, used = self._window(key)
        return {"limit": LIMIT, "used": used, "remaining": max(LIMIT - used, 0), "reset": start + _WINDOW_S}

    def _window(self, key: str) -> tuple[int, int]:
        now = int(time.time())
        start, used = self._used.get(key, (now, 0))
        return (start, used) if now < start + _WINDOW_S else (now, 0)
