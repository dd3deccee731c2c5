"""A small tree of the module's FILES and a bench on it, and the calls that several modules make."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_tree import bench_on, make_tree

from jobs.agent.tools.spec import Bench
from jobs.sandbox.cell import Cells


@pytest.fixture
def tree(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder with what the module names FILES."""
    tmp_path.chmod(0o755)
    return make_tree(tmp_path / "tree", request.module.FILES)


@pytest.fixture
def bench(cells: Cells, tree: Path) -> Bench:
    """A bench without a record: read before edit is off."""
    return bench_on(cells, tree)
