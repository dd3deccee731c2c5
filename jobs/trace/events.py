"""The trace: what a run tells about itself, one JSON object an event. Pure.

Every object is `{at (UTC, milliseconds), run, attempt, seq, type, …}`. Types: run.started,
stage.started/finished, round, note, body, checkpoint, suite, verdict, hunk, publish, run.finished.
A `body` {hash, body} holds one block list of requests, once; `round` names those of its request by hash. Bodies are
megabytes that only a replay reads: they go to a trace's file, never to a stream or to who listens.
"""

from __future__ import annotations

from typing import Any, Protocol

Event = dict[str, Any]
FILE_ONLY = frozenset({"body"})


class Trace(Protocol):
    """Takes events; adds `at`, `run`, `attempt` and `seq`; redacts secrets before anything is stored."""

    def emit(self, type: str, **fields: Any) -> None:
        """Appends one event."""
        ...
