"""Refuses work on a machine where a wall of the cells is missing."""

from __future__ import annotations

from pathlib import Path

from jobs.errors import EnvironmentFault
from jobs.sandbox.cell import Cells

_WAIT_S = 120.0  # workers of one machine may start together and have one slot


def require_walls(data: Path) -> None:
    """Tries every wall for real. Raises EnvironmentFault that names the missing ones; there is no way around."""
    with Cells.open(data, wait_s=_WAIT_S) as cells:
        missing = [wall for wall in cells.self_test() if not wall.ok]
    if missing:
        named = "; ".join(f"{wall.name} ({wall.detail})" for wall in missing)
        raise EnvironmentFault(
            f"The sandbox is not tight here, so no work is taken: {named}. See `patchwright doctor`."
        )
