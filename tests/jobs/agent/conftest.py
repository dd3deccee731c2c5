"""One slot of cells for the agent's tests, and sessions on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_session import Begin, Played, begin

from jobs.sandbox.cell import Cells


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cells]:
    """Real bubblewrap cells."""
    folder = tmp_path_factory.mktemp("cells")
    with Cells.open(folder) as opened:
        yield opened


@pytest.fixture
def start(cells: Cells, tmp_path: Path) -> Iterator[Begin]:
    """Begins sessions and ends their endpoints."""
    played: list[Played] = []

    def make(script: list[dict[str, Any]], **more: Any) -> Played:
        played.append(begin(cells, tmp_path, script, **more))
        return played[-1]

    yield make
    for one in played:
        one.endpoint.stop()
