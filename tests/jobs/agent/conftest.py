"""One slot of cells for the agent's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jobs.sandbox.cell import Cells


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cells]:
    """Real bubblewrap cells."""
    folder = tmp_path_factory.mktemp("cells")
    with Cells.open(folder) as opened:
        yield opened
