"""A small GitHub of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from github_world import World, world


@pytest.fixture
def gh(tmp_path: Path) -> Iterator[World]:
    """A hub, and a client on its one repository."""
    with world(tmp_path / "hub") as made:
        yield made
