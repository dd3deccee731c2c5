"""Real cells, and a layer with pytest in it, once for all tests of the suite."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from suite_project import layer_with_pytest

from jobs.sandbox.cell import Cells
from jobs.sandbox.layer import Layer


@pytest.fixture(scope="session")
def cells() -> Iterator[Cells]:
    with tempfile.TemporaryDirectory(prefix="suite-") as data, Cells.open(Path(data)) as opened:
        yield opened


@pytest.fixture(scope="session")
def layer() -> Iterator[Layer]:
    with tempfile.TemporaryDirectory(prefix="layer-") as folder:
        Path(folder).chmod(0o755)
        yield layer_with_pytest(Path(folder))
