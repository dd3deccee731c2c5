"""Whole sessions as trace files hold them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agent_session import begin

from app.local.model import ScriptedEndpoint
from jobs.sandbox.cell import Cells


def recorded(
    cells: Cells, folder: Path, script: Sequence[Mapping[str, Any]], **more: Any
) -> tuple[list[str], ScriptedEndpoint]:
    """A whole session against the scripted endpoint: its trace's lines, and the endpoint that was asked, stopped."""
    played = begin(cells, folder, script, **more)
    try:
        played.session.work()
    finally:
        played.endpoint.stop()
    events = [*played.trace.events, {"type": "run.finished", "outcome": "fixed"}]
    return [json.dumps({**event, "run": "r-1"}) for event in events], played.endpoint
