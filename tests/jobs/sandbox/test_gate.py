"""Nothing of a command runs before its limits are set."""

from __future__ import annotations

import resource
import time
from dataclasses import replace
from pathlib import Path

import pytest

from jobs.errors import EnvironmentFault
from jobs.sandbox import process
from jobs.sandbox.base import Command
from jobs.sandbox.cell import BubblewrapCell, Cells
from jobs.sandbox.groups import Group
from jobs.sandbox.plan import Plan


def plan(cells: Cells, tree: Path, out: Path, line: str) -> Plan:
    """What the cell would start."""
    cell = cells.on(tree)
    assert isinstance(cell, BubblewrapCell)
    return cell.plan(Command.shell(line, timeout_s=20), out, Group((), 0))


@pytest.fixture
def out(cells: Cells, tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    cells.own(folder)
    return folder


def test_the_command_waits_for_its_limits_and_has_them(cells: Cells, tree: Path, out: Path) -> None:
    made = plan(cells, tree, out, "touch begun; ulimit -n")
    seen: list[bool] = []

    def limit(pid: int) -> None:
        time.sleep(0.3)
        seen.append((tree / "begun").exists())
        made.limit(pid)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (77, 77))

    ending = process.run(replace(made, limit=limit))
    assert (seen, bytes(ending.output), ending.status) == ([False], b"77\n", 0)


def test_without_its_filter_nothing_starts(cells: Cells, tree: Path, out: Path) -> None:
    with pytest.raises(EnvironmentFault, match=r"(?i)seccomp"):
        process.run(replace(plan(cells, tree, out, "touch begun"), filter=b""))
    assert not (tree / "begun").exists()


def test_limits_that_can_not_be_set_end_the_sandbox(cells: Cells, tree: Path, out: Path) -> None:
    def limit(pid: int) -> None:
        raise PermissionError(pid)

    with pytest.raises(PermissionError):
        process.run(replace(plan(cells, tree, out, "touch begun"), limit=limit))
    assert not (tree / "begun").exists()
