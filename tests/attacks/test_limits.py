"""What a command takes of the machine: processes, memory, disk, time, output; and that its neighbours do not notice."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from agent_tree import asked, bench_on

from jobs.sandbox.base import Command, Result
from jobs.sandbox.cell import Cells
from jobs.sandbox.limits import MIB, Limits

TIGHT = Limits(memory=256 * MIB, processes=64, file=64 * MIB, disk=64 * MIB, entries=2_000)
# In steps, as the watchdog looks four times a second: 140 MiB where 64 are allowed.
FILL = "for i in $(seq 4); do head -c 35M /dev/zero > $1/part-$i; sleep 0.3; done; echo all written"


@pytest.fixture
def tight(cells: Cells, tree: Path) -> Callable[..., Result]:
    """Runs a line under tight limits."""

    cell = cells.bounded(TIGHT).on(tree)

    def run(line: str, **more: float) -> Result:
        return cell.run(Command.shell(line, timeout_s=more.get("timeout_s", 20)))

    return run


def fill(where: str) -> str:
    return FILL.replace("$1", where)


@pytest.mark.threat(42)
def test_a_fork_bomb_leaves_a_neighbour_room(cells: Cells, tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    cells.own(other)
    bomb = Command.shell(":(){ :|:& };:; sleep 2", timeout_s=1.5)
    thread = threading.Thread(target=cells.bounded(TIGHT).on(tree).run, args=(bomb,))
    thread.start()
    try:
        beside = [cells.on(other).run(Command.shell("for i in $(seq 20); do /bin/true || exit 1; done; echo fine"))]
        beside += [cells.on(other).run(Command.shell("echo fine")) for _ in range(5)]
    finally:
        thread.join()
    assert [result.text for result in beside] == ["fine\n"] * 6
    mine = subprocess.run(["ps", "-o", "pid=", "-u", str(cells.uid)], capture_output=True, text=True, check=False)
    assert cells.mode == "userns" or mine.stdout == ""


@pytest.mark.threat(43)
@pytest.mark.parametrize(
    "line",
    [
        "for i in $(seq 8); do (x=$(head -c 60M /dev/zero | tr '\\0' a); sleep 9) & done; wait",
        "for i in $(seq 4); do for f in /dev/shm /tmp ~; do head -c 50M /dev/zero > $f/$i; done; done; sleep 9",
        "x=$(head -c 900M /dev/zero | tr '\\0' a); echo ${#x}; sleep 9",
    ],
    ids=["many small processes", "files in memory", "one variable"],
)
def test_memory_is_bounded_however_it_is_taken(tight: Callable[..., Result], line: str) -> None:
    result = tight(line, timeout_s=15)
    assert (result.ended, result.reason) == ("killed", "It used more memory than 256 MiB.")
    assert result.seconds < 9


@pytest.mark.threat(44)
def test_a_file_of_a_hundred_gigabytes_is_not_made(tight: Callable[..., Result], tree: Path) -> None:
    """Sparse: it would cost nothing here, and all of its size to whoever copies or reads it."""
    lines = (
        "truncate -s 100G a",
        "dd if=/dev/zero of=b bs=1 count=1 seek=100G",
        "fallocate -l 100G c",
        "python3 -c \"import os; os.truncate(os.open('d', 66), 100 << 30)\"",
    )
    assert (tree.stat().st_mode & 0o777) == 0o755
    result = tight("; ".join(f"({line})" for line in lines) + "; echo all tried")
    assert result.text.endswith("all tried\n")
    assert max((path.stat().st_size for path in tree.iterdir() if path.is_file()), default=0) <= TIGHT.file


@pytest.mark.threat(44)
@pytest.mark.parametrize("where", ["/src", "/src/deep/down"])
def test_disk_is_bounded_over_many_files(tight: Callable[..., Result], where: str) -> None:
    result = tight(f"mkdir -p {where}; {fill(where)}")
    assert (result.ended, result.reason) == ("killed", "It wrote more than 64 MiB to disk.")


@pytest.mark.threat(44)
def test_the_number_of_files_is_bounded(tight: Callable[..., Result]) -> None:
    result = tight("for i in $(seq 40); do mkdir d$i; (cd d$i; seq 250 | xargs touch); sleep 0.1; done; echo all made")
    assert (result.ended, result.reason) == ("killed", "It made more than 2000 files.")


@pytest.mark.threat(44)
def test_disk_is_bounded_behind_a_tree_too_deep_to_walk(tight: Callable[..., Result], tree: Path) -> None:
    try:
        deep = "import os\nfor _ in range(1100): os.mkdir('0'); os.chdir('0')"
        assert tight(f'python3 -c "{deep}"; mkdir z; {fill("z")}').ended == "killed"
    finally:
        subprocess.run(["rm", "-rf", str(tree / "0")], check=True)


@pytest.mark.threat(44)
def test_disk_is_bounded_in_files_that_have_no_name_left(tight: Callable[..., Result]) -> None:
    steps = "for i in 1 2 3; do for fd in 3 4; do head -c 20M /dev/zero >&$fd; done; sleep 0.3; done"
    held = f"exec 3>x 4>y; rm x y; {steps}"
    assert tight(f"{held}; echo all written").ended == "killed"


@pytest.mark.threat(44)
def test_disk_is_bounded_over_many_commands(tight: Callable[..., Result]) -> None:
    ended = [tight(f"head -c 50M /dev/zero > part-{number}; sleep 0.6").ended for number in range(4)]
    # Other tests free space meanwhile, which the watch begins at: one command may slip through before it walks.
    assert (ended[0], ended[-1]) == ("exit", "killed")


@pytest.mark.threat(45)
def test_what_hides_from_signals_is_dead_soon_after_its_time(tight: Callable[..., Result], tree: Path) -> None:
    line = (
        "trap '' TERM HUP INT QUIT; for i in 1 2 3; do (setsid bash -c 'trap \"\" TERM; while :; do date +%N > late; "
        "sleep 0.05; done' &) ; done; (sleep 60 &); exec 3>&1; while :; do :; done"
    )
    result = tight(line, timeout_s=1)
    assert result.ended == "timeout"
    assert result.seconds < 3
    before = (tree / "late").read_text()
    threading.Event().wait(0.3)
    assert (tree / "late").read_text() == before


@pytest.mark.threat(46)
def test_a_flood_is_cut_and_what_terminals_obey_is_gone(cells: Cells, tree: Path) -> None:
    bench = bench_on(cells, tree)
    told = asked(bench, "shell", command="yes $'\\e]0;owned\\a\\e[2J\\e[31mred'")
    assert "stopped, it wrote too much" in told
    assert len(told) < 50_000
    line = "printf '\\e[2J\\e[1;31mred\\e[0m \\e]8;;http://127.0.0.1/\\aclick\\e]8;;\\a done\\n'"
    shown = asked(bench, "shell", command=line)
    assert "\x1b" not in shown
    assert "red" in shown


@pytest.mark.threat(46)
@pytest.mark.parametrize("text", ["\\e[31", "\\e", "\\e(B", "\\e]0;title", "\\ec", "a\\e[3\\n"])
def test_half_a_sequence_is_gone_too(cells: Cells, tree: Path, text: str) -> None:
    shown = asked(bench_on(cells, tree), "shell", command=f"printf '{text}'")
    assert "\x1b" not in shown
