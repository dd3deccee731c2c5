"""Now, as Redis scores and people read it."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def iso(ms: int) -> str:
    """`ms` since the epoch as UTC text with milliseconds, `2026-11-30T12:00:00.000Z`."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def today() -> str:
    """The UTC day, YYYY-MM-DD."""
    return datetime.now(UTC).date().isoformat()
