"""shell in real cells: what it runs, what it bounds, and which changes it shows."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from agent_tree import bench_on

from jobs.agent.record import Call, CallRecord, Seen
from jobs.agent.tools.registry import call
from jobs.agent.tools.spec import Bench
from jobs.sandbox.cell import Cells

FILES = {"a.py": "one = 1\ntwo = 2\n", "b.txt": "b\n", "long.txt": "".join(f"{n}\n" for n in range(500))}


def shell(bench: Bench, command: str, **more: float) -> list[str]:
    """The lines of the result after its head."""
    return call("shell", {"command": command, **more}, bench).content.splitlines()[1:]


def test_a_change_to_a_file_that_was_read_is_shown(bench: Bench) -> None:
    call("readfile", {"paths": ["a.py"]}, bench)
    shown = shell(bench, "sed -i s/2/3/ a.py")
    assert shown[0] == "Changed files: a.py"
    assert shown[-4:] == ["@@ -1,2 +1,2 @@", " one = 1", "-two = 2", "+two = 3"]


def test_each_change_is_shown_against_the_one_before(bench: Bench) -> None:
    call("readfile", {"paths": ["a.py"]}, bench)
    shell(bench, "sed -i s/2/3/ a.py")
    call("write_file", {"files": [{"path": "n.txt", "content": "x\n"}]}, bench)
    shown = shell(bench, "sed -i s/3/4/ a.py; echo y >> n.txt")
    assert [row for row in shown if row[0] in "+-" and row[1] not in "+-"] == ["-two = 3", "+two = 4", "+y"]
    assert shell(bench, "rm n.txt") == ["Changed files: n.txt (deleted)"]
    assert shell(bench, "echo x > n.txt")[-1] == "+x"


def test_a_file_that_no_tool_showed_is_compared_with_the_base_commit(cells: Cells, tree: Path) -> None:
    base = {name: text.encode() for name, text in FILES.items()}
    bench = bench_on(cells, tree, base=base.get)
    assert shell(bench, "echo three = 3 >> a.py")[-1] == "+three = 3"


def test_a_file_whose_former_text_is_not_known_is_named_only(bench: Bench) -> None:
    assert shell(bench, "echo three = 3 >> a.py") == ["Changed files: a.py"]
    assert shell(bench, "echo four = 4 >> a.py")[-1] == "+four = 4"


def test_the_base_is_not_asked_for_what_a_test_run_changed(cells: Cells, tree: Path) -> None:
    base = {name: text.encode() for name, text in FILES.items()}
    bench = bench_on(cells, tree, base=base.get)
    bench.texts.lose("a.py")
    assert shell(bench, "echo three = 3 >> a.py") == ["Changed files: a.py"]


def test_a_file_written_again_as_it_was_is_no_change(bench: Bench) -> None:
    call("readfile", {"paths": ["a.py"]}, bench)
    assert shell(bench, "cp a.py x; cat x > a.py; rm x; touch a.py") == []


def test_a_mode_that_changed_is_told_even_of_a_file_that_was_written_before(bench: Bench, tree: Path) -> None:
    call("write_file", {"files": [{"path": "run.sh", "content": "true\n"}]}, bench)
    assert shell(bench, "chmod 755 run.sh") == ["Changed files: run.sh (mode 644 -> 755)"]


def test_three_changes_are_shown_short_and_the_others_named(bench: Bench) -> None:
    shown = shell(bench, "for i in 1 2 3 4 5; do seq 100 > new$i.txt; done; head -c 99 /dev/zero > bin")
    assert shown[0] == "Changed files: bin, new1.txt, new2.txt, new3.txt, new4.txt, new5.txt"
    assert [row for row in shown if row.startswith("+++")] == ["+++ b/new1.txt", "+++ b/new2.txt", "+++ b/new3.txt"]
    assert sum("more lines of this change: readfile the file" in row for row in shown) == 3
    assert len(shown) == 1 + 3 * 61


def test_links_and_large_files_are_named_and_not_read_as_deleted(bench: Bench) -> None:
    done = call("shell", {"command": "ln -s /etc/passwd l; truncate -s 11M large"}, bench)
    assert done.content.splitlines()[1:] == ["Changed files: l, large"]
    assert all(done.states.values())
    again = call("shell", {"command": "truncate -s 12M large"}, bench)
    assert (again.changed_files, again.states["large"] == done.states["large"]) == (("large",), False)


def test_a_shown_change_keeps_the_file_known_to_the_model(cells: Cells, tree: Path) -> None:
    bench = bench_on(cells, tree, record=CallRecord())
    first = call("readfile", {"paths": ["a.py"]}, bench)
    assert bench.record is not None
    bench.record.calls.append(Call("readfile", {}, True, 1, 1, False, None, (), first.seen))
    done = call("shell", {"command": "sed -i s/2/3/ a.py; seq 9 > n.txt"}, bench)
    new = done.states["a.py"]
    assert new is not None
    assert (done.seen["a.py"].sight, done.seen["a.py"].sha256) == ("diff", new)
    assert done.seen["n.txt"] == Seen.whole(str(done.states["n.txt"]))
    bench.record.calls.append(Call("shell", {}, True, 1, 1, False, None, (), done.seen))
    assert bench.record.knowledge("a.py", new) == "same"


def test_a_change_that_is_shown_in_part_leaves_the_file_unknown(cells: Cells, tree: Path) -> None:
    bench = bench_on(cells, tree, record=CallRecord())
    call("readfile", {"paths": ["long.txt"]}, bench)
    done = call("shell", {"command": "seq 1000 1200 >> long.txt; seq 200 > new.txt"}, bench)
    assert done.seen == {}


@pytest.mark.parametrize(("asked", "taken"), [(-3, "1"), (0, "1"), (1e9, "600")])
def test_a_time_that_can_not_be_given_is_said(bench: Bench, asked: float, taken: str) -> None:
    told = f"[… timeout_s {asked:g} was taken as {taken}: send 1 to 600 …]"
    assert shell(bench, "echo on", timeout_s=asked) == [told, "on"]
    assert shell(bench, "echo on", timeout_s=5) == ["on"]


def test_the_longest_time_is_not_offered_to_be_made_longer(bench: Bench) -> None:
    bench.timeout_s = 1.0
    done = call("shell", {"command": "sleep 30", "timeout_s": 1}, bench)
    assert done.content == "shell: stopped after 1 s: run less at once, there is no longer time"


def test_an_empty_file_is_told_as_one(bench: Bench) -> None:
    shown = shell(bench, "touch empty.txt")
    assert shown == ["Changed files: empty.txt", "empty.txt: a new file, empty"]


def test_processes_left_behind_neither_hold_the_call_nor_live_on(bench: Bench) -> None:
    started = time.monotonic()
    assert shell(bench, "sleep 7741 & (setsid sleep 7741 &) ; echo on") == ["on"]
    assert time.monotonic() - started < 10
    assert b"7741" not in subprocess.run(["ps", "ax", "-o", "args"], capture_output=True, check=True).stdout


def test_a_command_that_is_stopped_gives_what_it_wrote_so_far(bench: Bench) -> None:
    done = call("shell", {"command": "echo before; echo x > left; sleep 30", "timeout_s": 1}, bench)
    assert (done.ok, done.content.splitlines()[1]) == (False, "before")
    assert done.content.startswith("shell: stopped after 1 s: run less at once, or send a larger timeout_s")
    assert done.changed_files == ("left",)


def test_a_flood_is_stopped_and_what_came_is_kept_for_later(bench: Bench) -> None:
    done = call("shell", {"command": "yes flood"}, bench)
    assert done.content.startswith("shell: stopped, it wrote too much: filter the output\nflood\n")
    assert len(done.content) < 30_000
    assert len(bench.outputs.lines(1) or ()) > 100_000


def test_what_is_cut_can_be_asked_for(bench: Bench) -> None:
    done = call("shell", {"command": "seq 1 20000"}, bench)
    assert done.cut
    assert 'call_tool more {"output": 1' in done.content
    assert (bench.outputs.lines(1) or [])[12344] == "12345"


def test_a_fork_bomb_ends_with_its_command(bench: Bench) -> None:
    done = call("shell", {"command": "bomb() { bomb | bomb & }; bomb; sleep 30", "timeout_s": 2}, bench)
    assert done.error is not None
    assert shell(bench, "echo alive") == ["alive"]
