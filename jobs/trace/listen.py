"""A trace that also tells listeners, such as the progress line and the status comment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jobs.trace.events import FILE_ONLY, Trace

Listener = Callable[[str, dict[str, Any]], None]


class Told:
    """Passes every event on to `trace`, then, unless it is for files only, to each listener as (type, fields)."""

    def __init__(self, trace: Trace, *listeners: Listener) -> None:
        self._trace = trace
        self._listeners = listeners

    def emit(self, type: str, **fields: Any) -> None:
        """Appends one event and tells it."""
        self._trace.emit(type, **fields)
        for listener in self._listeners if type not in FILE_ONLY else ():
            listener(type, fields)


class Silent:
    """Keeps nothing: for commands that were not asked for a trace."""

    def emit(self, type: str, **fields: Any) -> None:
        """Drops the event."""
