"""A real cell over a small tree of files, for tests of the agent and its tools."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jobs.agent.calls import run_calls
from jobs.agent.stuck import Stuck
from jobs.agent.tools.registry import call
from jobs.agent.tools.spec import Bench, ToolResult
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


def asked(bench: Bench, name: str, **arguments: Any) -> str:
    """The result of one call of a session, recorded as the session does it."""
    ran = run_calls([{"type": "tool_use", "id": "t", "name": name, "input": arguments}], bench, Stuck())
    return str(ran.results[0]["content"]).partition("] ")[2]  # behind the number of the call


def edit(bench: Bench, *edits: tuple[str, str, str], **more: Any) -> ToolResult:
    """One unrecorded call of edit with (path, old, new); `more` goes into each of them."""
    rows = [{"path": path, "old_string": old, "new_string": new, **more} for path, old, new in edits]
    return call("edit", {"edits": rows}, bench)
