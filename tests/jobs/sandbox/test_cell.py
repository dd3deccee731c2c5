from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import packaging
import pytest
from sandbox_parts import system_python

from jobs.errors import EnvironmentFault
from jobs.sandbox.base import Command, Result
from jobs.sandbox.cell import Cells
from jobs.sandbox.groups import Groups
from jobs.sandbox.limits import MIB, Limits

Maker = Callable[[dict[str, str]], Path]


def test_a_command_sees_its_tree_and_says_how_it_ended(cells: Cells, make_tree: Maker) -> None:
    cell = cells.on(make_tree({"a.txt": "hello\n"}))
    result = cell.run(Command.shell("cat a.txt; echo oops >&2; echo end; exit 3"))
    assert (result.exit_code, result.output, result.ended, result.ok) == (3, b"hello\noops\nend\n", "exit", False)


def test_a_signal_ends_as_a_shell_tells_it(cells: Cells, tree: Path) -> None:
    assert cells.on(tree).run(Command.shell("kill -SEGV $$")).exit_code == 139


def test_a_missing_program_is_the_commands_own_failure(cells: Cells, tree: Path) -> None:
    result = cells.on(tree).run(Command(("no-such-program",)))
    assert (result.exit_code, result.ended) == (127, "exit")
    assert "no-such-program" in result.text


def test_pipelines_do_not_hide_failures(cells: Cells, tree: Path) -> None:
    assert cells.on(tree).run(Command.shell("false | true")).exit_code == 1


def test_input_reaches_the_command_whole(cells: Cells, tree: Path) -> None:
    data = os.urandom(3 * MIB)
    result = cells.on(tree).run(Command(("cat",), stdin=data))
    assert result.output == data


def test_input_that_nobody_reads_harms_nothing(cells: Cells, tree: Path) -> None:
    assert cells.on(tree).run(Command(("true",), stdin=b"x" * MIB)).exit_code == 0


def test_what_a_command_changes_stays_in_the_tree_only(cells: Cells, tree: Path) -> None:
    cell = cells.on(tree)
    cell.run(Command.shell("echo 1 > kept; echo 2 > /tmp/gone; echo 3 > ~/gone"))
    assert cell.run(Command.shell("ls; ls /tmp ~")).text.split() == ["kept", "/home/agent:", "/tmp:"]


def test_a_read_only_tree_stays_as_it_is(cells: Cells, make_tree: Maker) -> None:
    tree = make_tree({"a": "1"})
    result = cells.on(tree, writable=False).run(Command.shell("echo 2 > a; echo 3 > b; cat a"))
    assert "Read-only file system" in result.text
    assert (tree / "a").read_text() == "1"
    assert not (tree / "b").exists()


def test_only_named_plain_files_are_collected(cells: Cells, tree: Path) -> None:
    line = "cd /out; echo ok > report; mkdir d; echo in > d/x; ln -s /etc/passwd link; mkfifo pipe; ln report hard"
    names = ("d/x", "link", "pipe", "report", "hard", "missing", "../etc/passwd", "/etc/passwd")
    result = cells.on(tree).run(Command(("bash", "-c", line), collect=names))
    assert result.files == {"d/x": b"in\n"}  # report and hard are one file by two names


def test_reports_are_fresh_for_each_command(cells: Cells, tree: Path) -> None:
    cell = cells.on(tree)
    first = cell.run(Command.shell("echo 1 > /out/r")).exit_code
    second = cell.run(Command(("ls", "-A", "/out"), collect=("r",)))
    assert (first, second.output, second.files) == (0, b"", {})


def test_reports_above_their_size_are_left_out(cells: Cells, tree: Path) -> None:
    small = cells.bounded(Limits(out_file=1000, out_total=1500))
    line = "head -c 900 /dev/zero > /out/a; head -c 900 /dev/zero > /out/b; head -c 1100 /dev/zero > /out/c"
    result = small.on(tree).run(Command(("bash", "-c", line), collect=("a", "b", "c")))
    assert list(result.files) == ["a"]


def test_nothing_of_our_environment_comes_along(cells: Cells, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    canary = "canary-5d1e"
    monkeypatch.setenv("SOME_SECRET", canary)
    plain = subprocess.run(["env"], capture_output=True, text=True, check=True).stdout
    line = "env; tr '\\0' '\\n' < /proc/self/environ; cat /proc/1/environ /proc/1/cmdline; cat /proc/*/environ"
    result = cells.on(tree).run(Command.shell(line, env={"GIVEN": "yes"}))
    assert canary in plain
    assert "GIVEN=yes" in result.text
    assert canary not in result.text
    assert str(cells.slot.folder) not in result.text


@pytest.mark.parametrize("name", ["LD_PRELOAD", "PATH", "BASH_ENV"])
def test_variables_of_the_repository_act_inside_only(cells: Cells, tree: Path, name: str) -> None:
    result = cells.on(tree).run(Command(("/usr/bin/env",), env={name: "/src/none", "BAD=NAME": "x", "Y": "a\0b"}))
    assert f"{name}=/src/none" in result.text
    assert "BAD" not in result.text


@pytest.mark.timeout(30)
def test_a_command_that_hides_from_signals_dies_on_time(cells: Cells, tree: Path) -> None:
    line = "trap '' TERM HUP INT; (setsid sh -c 'exec -a hidden-7731 sleep 7731') & exec -a hidden-7731 sleep 7731"
    started = time.monotonic()
    result = cells.on(tree).run(Command.shell(line, timeout_s=0.7))
    assert (result.ended, result.exit_code) == ("timeout", None)
    assert time.monotonic() - started < 0.7 + 2
    assert b"7731" not in subprocess.run(["ps", "ax"], capture_output=True, check=True).stdout


@pytest.mark.timeout(30)
def test_daemons_that_keep_the_pipe_open_do_not_keep_us(cells: Cells, tree: Path) -> None:
    result = cells.on(tree).run(Command.shell("echo started; setsid sleep 7732 & exit 0", timeout_s=20))
    assert (result.exit_code, result.output) == (0, b"started\n")
    assert result.seconds < 5
    assert b"7732" not in subprocess.run(["ps", "ax"], capture_output=True, check=True).stdout


@pytest.mark.timeout(30)
def test_a_flood_is_cut_and_ended(cells: Cells, tree: Path) -> None:
    result = cells.on(tree).run(Command(("yes",), max_output=100_000, timeout_s=20))
    assert (result.ended, len(result.output), result.exit_code) == ("output", 100_000, None)
    assert result.reason == "It wrote more than 100000 bytes."


@pytest.mark.timeout(60)
def test_a_fork_bomb_stays_in_its_cell(cells: Cells, tree: Path, make_tree: Maker) -> None:
    small = cells.bounded(Limits(processes=40))
    done: list[Result] = []
    bomb = Command.shell("bomb() { bomb | bomb & }; bomb; sleep 30", timeout_s=3)
    thread = threading.Thread(target=lambda: done.append(small.on(tree).run(bomb)))
    thread.start()
    time.sleep(1)
    assert subprocess.run(["true"], check=True).returncode == 0  # the machine still starts processes
    thread.join()
    assert done[0].ended in ("timeout", "exit", "output")
    assert cells.on(make_tree({})).run(Command(("true",))).ok


@pytest.mark.timeout(60)
@pytest.mark.parametrize("groups", ["this machine's", "none"])
def test_many_processes_share_one_bound_of_memory(cells: Cells, tree: Path, groups: str) -> None:
    grouping = cells.groups if groups != "none" else Groups(0)
    small = Cells(cells.slot, Limits(memory=200 * MIB), cells.programs, grouping, cells.system)
    hog = "import time; b = bytearray(b'x') * (80 << 20); time.sleep(20)"
    line = f'for i in 1 2 3 4; do /opt/patchwright/bin/python3 -c "{hog}" & done; wait; exit 1'
    result = small.on(tree).run(Command.shell(line, timeout_s=25))
    assert (result.ended, result.reason) == ("killed", "It used more memory than 200 MiB.")


@pytest.mark.timeout(60)
def test_disk_is_bounded_over_many_files(cells: Cells, tree: Path) -> None:
    small = cells.bounded(Limits(disk=32 * MIB))
    line = "for i in $(seq 12); do head -c 8M /dev/zero > f$i; sleep 0.1; done; sleep 20"
    result = small.on(tree).run(Command.shell(line, timeout_s=25))
    assert (result.ended, result.reason) == ("killed", "It wrote more than 32 MiB to disk.")


def test_one_file_is_bounded(cells: Cells, tree: Path) -> None:
    result = cells.bounded(Limits(file=MIB)).on(tree).run(Command.shell("head -c 4M /dev/zero > f; stat -c %s f"))
    assert result.text.split()[-1] == str(MIB)


def test_commands_of_one_slot_can_run_side_by_side(cells: Cells, make_tree: Maker) -> None:
    trees = [make_tree({"n": str(number)}) for number in range(6)]
    results: dict[int, Result] = {}

    def work(number: int) -> None:
        results[number] = cells.on(trees[number]).run(Command.shell("cat n; sleep 0.2; cat n"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: result.text for number, result in results.items()} == {n: f"{n}{n}" for n in range(6)}


def test_nothing_of_a_finished_command_is_left(cells: Cells, tree: Path) -> None:
    before = {entry.name for entry in cells.slot.folder.iterdir()}
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    for line in ("exit 1", "sleep 9", "mkdir -p /out/a/b; chmod 0 /out/a"):
        cells.on(tree).run(Command.shell(line, timeout_s=0.5))
    assert {entry.name for entry in cells.slot.folder.iterdir()} == before
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
    kept = {folder for group in cells.groups.spare.values() for folder in group.folders}
    assert {folder for parent in cells.groups.parents for folder in parent.glob(f"patchwright-{os.getpid()}-*")} == kept
    assert not any((folder / "cgroup.procs").read_text() for folder in kept)


def test_a_group_serves_again_unless_something_was_killed_in_it(cells: Cells, tree: Path) -> None:
    if not cells.groups.version:
        pytest.skip("this machine lets us make no control groups")
    bounds = Limits(memory=64 * MIB)
    cell = cells.bounded(bounds).on(tree)
    hog = Command(("/opt/patchwright/bin/python3", "-c", "b = bytearray(b'x') * (200 << 20)"), timeout_s=20)
    cell.run(Command.shell("true"))
    first = cells.groups.spare[bounds]
    cell.run(Command.shell("true"))
    assert cells.groups.spare[bounds] is first
    assert not cell.run(hog).ok
    assert bounds not in cells.groups.spare
    assert cell.run(Command.shell("true")).ok
    assert cells.groups.spare[bounds] is not first
    cells.groups.clear()
    assert not [folder for parent in cells.groups.parents for folder in parent.glob(f"patchwright-{os.getpid()}-*")]


def test_loopback_works_inside_and_leads_nowhere_else(cells: Cells, tree: Path) -> None:
    server = (
        "import socket as s; a = s.create_server(('127.0.0.1', 0)); b = s.create_connection(a.getsockname()); "
        "c, _ = a.accept(); c.send(b'inside'); print(b.recv(9))"
    )
    with socket.create_server(("127.0.0.1", 0)) as outside:
        port = outside.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as plain:
            assert plain.getpeername()[1] == port
        line = f'python3 -c "{server}"; exec 3<>/dev/tcp/127.0.0.1/{port}'
        result = cells.on(tree).run(Command.shell(line))
    assert "b'inside'" in result.text
    assert "Connection refused" in result.text


def test_every_wall_holds(cells: Cells) -> None:
    walls = cells.self_test()
    assert [wall for wall in walls if not wall.ok] == []
    assert len(walls) >= 30
    assert not any(wall.mend for wall in walls)


def test_root_is_given_up_by_our_own_script_where_the_system_has_none(cells: Cells, tree: Path) -> None:
    if cells.mode != "rootful":
        pytest.skip("only root has something to give up")
    bare = Cells(cells.slot, cells.limits, replace(cells.programs, drop=None), cells.groups, cells.system)
    result = bare.on(tree).run(Command.shell("id -u; id -G; grep -E '^(Cap|NoNew|Uid)' /proc/self/status; exit 5"))
    uid = str(cells.uid)
    assert result.exit_code == 5
    assert result.text.split()[:2] == [uid, uid]
    assert result.text.count("\t0000000000000000\n") == 5
    assert f"Uid:\t{uid}\t{uid}\t{uid}\t{uid}\n" in result.text
    assert "NoNewPrivs:\t1\n" in result.text
    assert bare.on(tree).run(Command(("no-such-program",))).exit_code == 127


def test_a_sandbox_that_does_not_start_is_told_from_a_command_that_fails(cells: Cells, tmp_path: Path) -> None:
    tree = tmp_path / "gone"
    tree.mkdir()
    cell = cells.on(tree)
    shutil.rmtree(tree)
    with pytest.raises((EnvironmentFault, FileNotFoundError)):
        cell.run(Command(("true",)))


def test_a_working_folder_that_is_missing_is_an_environment_fault_with_words(cells: Cells, tree: Path) -> None:
    with pytest.raises(EnvironmentFault, match=r"could not be started: .*nowhere"):
        cells.on(tree).run(Command(("true",), cwd="/src/nowhere"))


def test_without_bubblewrap_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    script = "from pathlib import Path\nfrom jobs.sandbox.cell import Cells\nCells.open(Path('data'))\n"
    package = Path(str(packaging.__file__)).parent
    (tmp_path / "packaging").symlink_to(package)  # what else is installed there would bring a bubblewrap
    env = {"PATH": "/nonexistent", "PYTHONPATH": f"{Path(__file__).parents[3]}:{tmp_path}"}
    argv = [system_python(), "-c", script]
    done = subprocess.run(argv, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith("jobs.errors.EnvironmentFault: bubblewrap (bwrap) is not on PATH.")
    assert "apt install bubblewrap" in done.stderr


def test_hostile_git_places_are_replaced_before_anything_is_mounted_there(cells: Cells, make_tree: Maker) -> None:
    tree = make_tree({"a": "1"})
    outside = tree.parent / "outside"
    outside.mkdir()
    (tree / ".git").symlink_to(outside)
    result = cells.on(tree).run(Command.shell("ls -A .git; rm -rf .git; mv .git x; touch .git/x; ln -sfn /etc .git"))
    assert result.exit_code != 0
    assert (tree / ".git").is_dir()
    assert not (tree / ".git").is_symlink()
    assert list(outside.iterdir()) == []


def test_trees_are_given_without_following_links(cells: Cells, tmp_path: Path) -> None:
    tree, other = tmp_path / "tree", tmp_path / "other"
    for folder in (tree, other):
        folder.mkdir()
    (other / "file").write_text("x")
    (tree / "link").symlink_to(other / "file")
    (tree / "folder").symlink_to(other)
    cells.own(tree)
    assert (tree / "link").lstat().st_uid == cells.uid
    assert {(other / "file").stat().st_uid, other.stat().st_uid} == {os.getuid()}
