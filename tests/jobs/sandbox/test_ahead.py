"""A cell whose next command finds its sandbox standing behaves as any cell does."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.sandbox import groups
from jobs.sandbox.ahead import ahead
from jobs.sandbox.base import Cell, Command
from jobs.sandbox.cell import Cells
from jobs.sandbox.limits import MIB, Limits

_ENV = r"env -u _ -u SHLVL -u PWD | sort; readlink /proc/self/fd/0"


@pytest.fixture
def standing(cells: Cells, tree: Path) -> Iterator[Cell]:
    if cells.mode != "rootful":
        pytest.skip("sandboxes stand ready in rootful mode only")
    with ahead(cells.on(tree)) as cell:
        yield cell


COMMANDS = {
    "words": Command(("printf", "<%s>", "a b", "", "c'\"$x\n", "ü", "-n")),
    "variables": Command.shell('printf "<%s>" "$A" "$B"', env={"A": "1 2\n3", "B": ""}),
    "a status": Command.shell("exit 7"),
    "a signal": Command.shell("kill -9 $$"),
    "input": Command(("cat",), stdin=b"\0\xff" * 70_000),
    "input that nobody reads": Command(("true",), stdin=b"x" * 300_000),
    "variables of the cell, and no input": Command.shell(_ENV),
    "an odd variable": Command.shell("env | grep -a odd", env={"odd.name": "1"}),
    "bash's own variable": Command.shell("echo $BASH_ENV", env={"BASH_ENV": "/src/evil"}),
    "another folder": Command(("pwd",), cwd="/tmp"),
    "more words than a pipe holds": Command(("printf", "%s", "x" * 100_000)),
    "bytes that are no text": Command(("printf", "%s", "\udcff")),
    "its own first processes": Command.shell("echo $$ $PPID"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_ends_as_in_a_sandbox_made_for_it(standing: Cell, cells: Cells, tree: Path, name: str) -> None:
    (tree / "evil").write_text("echo from the tree\n")
    for _ in range(2):
        here, there = standing.run(COMMANDS[name]), cells.on(tree).run(COMMANDS[name])
        assert (here.exit_code, here.output, here.ended) == (there.exit_code, there.output, there.ended)


def test_a_program_that_does_not_exist_is_127(standing: Cell) -> None:
    done = standing.run(Command(("no-such-program",)))
    assert (done.exit_code, "not found" in done.text) == (127, True)


def test_nothing_stays_from_one_command_to_the_next(standing: Cell) -> None:
    standing.run(Command.shell("echo 1 > /tmp/left; echo 1 > ~/left; (sleep 60 &) ; export LEFT=1; cd /"))
    done = standing.run(Command.shell("ls /tmp ~; echo $LEFT; pwd; pgrep sleep"))
    assert done.text.split() == ["/home/agent:", "/tmp:", "/src"]


def test_what_the_tree_became_meanwhile_is_seen(standing: Cell, tree: Path) -> None:
    time.sleep(0.1)  # it stands by now
    (tree / "new").write_text("1")
    assert standing.run(Command.shell("cat new")).text == "1"


def test_reports_are_collected_beside_what_stands(standing: Cell) -> None:
    done = standing.run(Command.shell("echo 1 > /out/r"))
    assert not done.files
    collected = standing.run(Command(("bash", "-c", "echo 2 > /out/r"), collect=("r",)))
    assert collected.files == {"r": b"2\n"}


def test_time_output_and_memory_are_bounded(cells: Cells, tree: Path) -> None:
    with ahead(cells.bounded(Limits(memory=200 * MIB)).on(tree)) as cell:
        assert cell.run(Command.shell("sleep 20", timeout_s=0.3)).ended == "timeout"
        assert cell.run(Command(("yes",), max_output=1000)).ended == "output"
        assert cell.run(Command.shell("head -c 400M /dev/zero | tail")).ended == "killed"
        assert cell.run(Command.shell("echo on")).text == "on\n"


def test_what_was_killed_while_it_stood_is_made_anew(cells: Cells, tree: Path) -> None:
    if cells.mode != "rootful":
        pytest.skip("sandboxes stand ready in rootful mode only")
    with ahead(cells.on(tree)) as cell:
        time.sleep(0.2)
        standing = _children("bwrap")
        assert standing
        for pid in standing:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
        assert cell.run(Command.shell("echo on")).text == "on\n"


def test_nothing_stands_behind_the_end(cells: Cells, tree: Path) -> None:
    before = set(_children("bwrap"))
    with ahead(cells.on(tree)) as cell:
        cell.run(Command.shell("true"))
    assert set(_children("bwrap")) <= before


_STANDS = """
import sys, time
from pathlib import Path
from jobs.sandbox.ahead import ahead
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells
with Cells.open(Path(sys.argv[1], "data"), wait_s=20) as cells:
    tree = Path(sys.argv[1], "tree")
    tree.mkdir(exist_ok=True)
    cells.own(tree)
    with ahead(cells.on(tree)) as cell:
        print("on", flush=True)
        while True:
            cell.run(Command.shell("true"))
"""


def test_no_process_is_left_by_a_killed_harness(tmp_path: Path) -> None:
    if not groups.find().parents:
        pytest.skip("without control groups nobody can tell whose a process is")
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[3])}
    seeded = random.Random(7)
    for _ in range(8):
        argv = [sys.executable, "-c", _STANDS, str(tmp_path)]
        with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE) as harness:
            assert harness.stdout
            harness.stdout.readline()
            time.sleep(seeded.random() / 20)
            harness.kill()
    found = groups.find()  # sweeps
    mine = [pid for pid in _all("bwrap") if _tree_of(pid, tmp_path)]
    assert (mine, [f for p in found.parents for f in p.glob("patchwright-*") if _dead(f)]) == ([], [])


def _dead(folder: Path) -> bool:
    return not Path("/proc", folder.name.split("-")[1]).exists()


def _children(name: str) -> list[int]:
    return [pid for pid in _all(name) if f"PPid:\t{os.getpid()}\n" in Path(f"/proc/{pid}/status").read_text()]


def _all(name: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "comm").read_text().strip() == name:
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def _tree_of(pid: int, folder: Path) -> bool:
    try:
        return str(folder) in Path(f"/proc/{pid}/mountinfo").read_text()
    except OSError:
        return False
