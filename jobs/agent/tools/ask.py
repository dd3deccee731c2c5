"""How to ask readfile for lines, as its arguments are written. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence

from jobs.agent.seen import Span


def lines(path: str, start: int, end: int) -> str:
    """One row of ranges."""
    return json.dumps(_row(path, start, end), ensure_ascii=False)


def ranges(path: str, spans: Sequence[Span]) -> str:
    """A call's arguments."""
    return json.dumps({"ranges": [_row(path, start, end) for start, end in spans]}, ensure_ascii=False)


def _row(path: str, start: int, end: int) -> dict[str, str | int]:
    return {"path": path, "start": start, "end": end}
