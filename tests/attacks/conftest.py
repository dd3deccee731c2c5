"""A slot for the attacks of a module, trees in it, and the mark that tells which threats a test tries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gitrepo
import pytest

from jobs.repo.workspace import Workspace
from jobs.sandbox.cell import Cells

FILES = {"app.py": "x = 1\n", "src/b.py": "y = 2\n", ".gitignore": "*.log\n"}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "threat(*numbers): which threats of test_threats.py a test tries")


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cells]:
    """Real bubblewrap cells."""
    with Cells.open(tmp_path_factory.mktemp("slot") / "data") as opened:
        yield opened


@pytest.fixture
def tree(cells: Cells, tmp_path: Path) -> Path:
    """An empty tree of the slot's."""
    folder = tmp_path / "tree"
    folder.mkdir()
    cells.own(folder)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A run's own repository over that of a person with a few files."""
    repo = gitrepo.make(tmp_path / "repo", FILES)
    return Workspace(tmp_path / "run", repo / ".git" / "objects", gitrepo.run(repo, "rev-parse", "HEAD"))


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """A file that is there only if something of an attacker's ran outside a cell."""
    return tmp_path / "fired"
