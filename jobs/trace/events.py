"""The trace: what a run tells about itself, one JSON object an event. Pure.

Every object is `{at (UTC, milliseconds), run, attempt, seq, type, …}`. Types: run.started,
stage.started/finished, round, note, body, checkpoint, suite, verdict, hunk, publish, run.finished.
A `body` {hash, body} holds one block list of requests, once; `round` names those of its request by hash.
"""

from __future__ import annotations

from typing import Any, Protocol

Event = dict[str, Any]


class Trace(Protocol):
    """Takes events; adds `at`, `run`, `attempt` and `seq`; redacts secrets before anything is stored."""

    def emit(self, type: str, **fields: Any) -> None:
        """Appends one event."""
        ...
