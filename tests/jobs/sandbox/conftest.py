"""A slot for the tests of a module, and trees in it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jobs.sandbox.cell import Cells

_numbers = itertools.count()


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cells]:
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
def make_tree(cells: Cells, tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Makes a tree of the slot's from a path-to-text mapping."""

    def make(content: dict[str, str]) -> Path:
        folder = tmp_path / f"tree-{next(_numbers)}"
        folder.mkdir()
        for name, text in content.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        cells.own(folder)
        return folder

    return make
