"""How often one key may ask: a sliding window, as an endpoint under load keeps it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock


@dataclass(frozen=True)
class Limit:
    """So many requests in any `minute_s` seconds, which a test makes shorter than a minute."""

    requests: int
    minute_s: float = 60.0


@dataclass(frozen=True)
class Standing:
    """Where a key stands: what is left, and the seconds until the oldest request is forgotten."""

    allowed: bool
    limit: int
    remaining: int
    reset_s: float

    def headers(self, *, chat: bool) -> Mapping[str, str]:
        """As the two protocols name them; with a refusal, how long to wait."""
        again = {} if self.allowed else {"retry-after": f"{self.reset_s:.3f}"}
        if chat:
            names: tuple[str, ...] = (
                "x-ratelimit-limit-requests",
                "x-ratelimit-remaining-requests",
                "x-ratelimit-reset-requests",
            )
            reset = f"{self.reset_s:.3f}s"
        else:
            names = tuple(f"anthropic-ratelimit-requests-{what}" for what in ("limit", "remaining", "reset"))
            reset = datetime.fromtimestamp(time.time() + self.reset_s, UTC).isoformat().replace("+00:00", "Z")
        return {**dict(zip(names, (str(self.limit), str(self.remaining), reset), strict=True)), **again}


class Window:
    """Counts the requests of each key that were let in."""

    def __init__(self, limit: Limit, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._lock = Lock()
        self._seen: dict[str, deque[float]] = {}

    def ask(self, key: str) -> Standing:
        """Lets one request in, or not."""
        with self._lock:
            now, seen = self._clock(), self._seen.setdefault(key, deque())
            while seen and seen[0] <= now - self._limit.minute_s:
                seen.popleft()
            allowed = len(seen) < self._limit.requests
            if allowed:
                seen.append(now)
            reset = seen[0] + self._limit.minute_s - now
            return Standing(allowed, self._limit.requests, self._limit.requests - len(seen), reset)
