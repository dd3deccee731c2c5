"""Real cells once for all tests of the score."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.sandbox.cell import Cells


@pytest.fixture(scope="session")
def cells() -> Iterator[Cells]:
    with tempfile.TemporaryDirectory(prefix="score-") as data, Cells.open(Path(data)) as opened:
        yield opened
