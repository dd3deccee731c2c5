"""A real cell over a small tree of files, for tests of the agent and its tools."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from jobs.agent.tools.spec import Bench
from jobs.sandbox.cell import Cells


def make_tree(folder: Path, files: Mapping[str, bytes | str]) -> Path:
    """Writes `files` below `folder` and returns it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def bench_on(cells: Cells, tree: Path, **more: object) -> Bench:
    """A bench whose cell stands on `tree`."""
    cells.own(tree)
    return Bench(cell=cells.on(tree), **more)  # type: ignore[arg-type]


def sha(path: Path) -> str:
    """The sha256 of the file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
