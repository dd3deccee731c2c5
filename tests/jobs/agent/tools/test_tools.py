"""The tools, one by one, over a real cell."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from agent_tree import edit, sha

from jobs.agent.record import CallRecord, Seen
from jobs.agent.tools.registry import call
from jobs.agent.tools.spec import Bench
from jobs.sandbox.cell import Cells
from jobs.suite.report import Report

FILES: dict[str, bytes | str] = {
    "a.py": "def f():\n    return 1\n\n\ndef g():\n    return 1\n",
    "pkg/dos.txt": b"x = 1\r\ny = 2\r\n",
    "pkg/data.json": '{"a": 1}\n',
    "long.py": "".join(f"def f{n}(): pass\n" for n in range(900)),
    "img.bin": b"\0\1\2",
}


def test_readfile_shows_numbered_lines_folders_and_what_is_wrong(bench: Bench) -> None:
    done = call("readfile", {"paths": ["a.py", "pkg", "img.bin", "nope/a.py", "/etc/passwd", ".git/HEAD"]}, bench)
    assert not done.ok
    for part in (
        "a.py (6 lines)\n1\tdef f():\n2\t    return 1\n",
        "pkg/: 2 files\npkg/data.json (1 lines)\npkg/dos.txt (2 lines)",
        "img.bin: is a binary file of 3 bytes; look into it with shell.",
        "nope/a.py: no such file. Did you mean a.py?",
        "/etc/passwd: is outside /src and /env.",
        ".git/HEAD: is inside .git, which is not yours to touch.",
    ):
        assert part in done.content


def test_readfile_merges_ranges_and_lists_matches(bench: Bench) -> None:
    asked = {
        "ranges": [{"path": "long.py", "start": 3, "end": 4}, {"path": "/src/long.py", "start": 5, "end": 6}],
        "anchor_lines": [{"path": "long.py", "line": 899, "around": 2}],
        "list_matches": {"pattern": "^def f8\\d\\(", "paths": ["long.py"]},
    }
    content = call("readfile", asked, bench).content
    assert "long.py (lines 3-6, 897-900 of 900)\n3\tdef f2" in content
    assert "\n…\n897\tdef f896" in content
    assert "long.py: 81, 82, 83, 84, 85, 86, 87, 88, 89, 90" in content


def test_readfile_shows_long_files_by_head_and_outline(bench: Bench) -> None:
    done = call("readfile", {"paths": ["long.py"]}, bench)
    assert (done.ok, done.cut) == (True, True)
    assert '[… 700 more lines; ask with ranges, e.g. {"path": "long.py", "start": 201, "end": 600} …]' in done.content
    assert "Outline of the rest:\n201\tdef f200" in done.content


def test_readfile_refuses_links_that_leave_the_tree(bench: Bench, tree: Path) -> None:
    (tree / "out").symlink_to("/etc")
    (tree / "in").symlink_to("a.py")
    done = call("readfile", {"paths": ["out/hostname", "in"]}, bench)
    assert "out/hostname: is a symbolic link that leads out of the tree." in done.content
    assert "a.py (6 lines)" in done.content


def test_search_groups_by_file_and_names_patterns_without_a_match(bench: Bench) -> None:
    content = call("search", {"patterns": ["return 1", "nothing here"], "glob": "*.py", "context": 1}, bench).content
    assert content == (
        "search 'return 1', 'nothing here' in *.py: 2 matches in 1 files\n\n"
        "a.py\n1-def f():\n2:    return 1\n3-\n--\n5-def g():\n6:    return 1\n\nNo match for: 'nothing here'"
    )


def test_search_says_where_it_stopped(bench: Bench) -> None:
    content = call("search", {"patterns": ["def"], "paths": ["long.py"]}, bench).content
    assert "900 matches in 1 files; the first 20, by path:" in content
    assert "not all matches are shown of long.py (20 of 900)" in content


def test_search_takes_patterns_literally_unless_told(bench: Bench) -> None:
    assert call("search", {"patterns": ["f()"]}, bench).ok
    wrong = call("search", {"patterns": ["f("], "regex": True}, bench)
    assert (wrong.ok, "unclosed group" in wrong.content) == (False, True)


def test_edit_changes_only_the_lines_meant(bench: Bench, tree: Path) -> None:
    (tree / "pkg/dos.txt").chmod(0o755)
    done = edit(bench, ("pkg/dos.txt", "y = 2", "y = 3\nz = 4"), ("pkg/data.json", "1", "2"))
    assert (done.ok, done.changed_files, done.rung) == (True, ("pkg/dos.txt", "pkg/data.json"), "exact")
    assert (tree / "pkg/dos.txt").read_bytes() == b"x = 1\r\ny = 3\r\nz = 4\r\n"
    assert (tree / "pkg/dos.txt").stat().st_mode & 0o777 == 0o755
    assert "--- a/pkg/dos.txt\n+++ b/pkg/dos.txt\n@@ -1,2 +1,3 @@\n x = 1\n-y = 2\n+y = 3\n+z = 4" in done.content


def test_edit_is_atomic_for_a_file_and_independent_between_files(bench: Bench, tree: Path) -> None:
    done = edit(bench, ("a.py", "def f", "def h"), ("a.py", "def zzz", "x"), ("pkg/data.json", "1", "2"))
    assert (done.ok, done.changed_files) == (False, ("pkg/data.json",))
    assert (tree / "a.py").read_text() == FILES["a.py"]
    assert "a.py was left as it is" in done.content


def test_edit_shows_the_nearest_text_and_the_next_step(bench: Bench) -> None:
    done = edit(bench, ("a.py", "def g():\n    return 2\n", "x"))
    assert "first difference at line 6:\n  file:      return 1\n  yours:     return 2" in done.content
    assert done.content.endswith("send this edit again.")


def test_edit_names_the_places_of_an_ambiguous_text(bench: Bench) -> None:
    done = edit(bench, ("a.py", "    return 1", "    return 2"))
    assert "line 2 (in: def f():); line 6 (in: def g():)" in done.content
    assert edit(bench, ("a.py", "    return 1", "    return 2"), change_context="def g():").ok


def test_edit_through_a_link_and_its_target_loses_nothing(bench: Bench, tree: Path) -> None:
    (tree / "link.py").symlink_to("a.py")
    assert edit(bench, ("link.py", "def f", "def h"), ("a.py", "def g", "def i")).ok
    assert (tree / "link.py").is_symlink()
    assert "def h" in (tree / "a.py").read_text()
    assert "def i" in (tree / "a.py").read_text()


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("img.bin", "binary"),
        ("nope.py", "no such file"),
        ("pkg", "is not one file"),
        (".git/config", "inside .git"),
        ("/etc/x", "outside"),
    ],
)
def test_edit_says_why_a_file_can_not_be_changed(bench: Bench, path: str, why: str) -> None:
    done = edit(bench, (path, "a", "b"))
    assert (done.ok, done.changed_files, why in done.content) == (False, (), True)


def test_edit_refuses_text_that_leaves_lines_out(bench: Bench, tree: Path) -> None:
    done = edit(bench, ("a.py", "def f():\n    return 1\n", "def f():\n    # ... existing code ...\n"))
    assert "leaves text out" in done.content
    assert (tree / "a.py").read_text() == FILES["a.py"]


def test_a_new_syntax_error_is_told_at_once(bench: Bench) -> None:
    done = edit(bench, ("a.py", "def f():", "def f(:"), ("pkg/data.json", "1", "1,"))
    assert "SYNTAX ERROR in a.py, new since this edit: line 1: invalid syntax" in done.content
    assert "SYNTAX ERROR in pkg/data.json" in done.content
    assert "SYNTAX ERROR" not in edit(bench, ("a.py", "def g", "def h")).content


def test_write_file_makes_folders_and_keeps_line_ends(bench: Bench, tree: Path) -> None:
    files = [{"path": "new/deep/x.py", "content": "x = 1\n"}, {"path": "pkg/dos.txt", "content": "x = 1\ny = 5\n"}]
    done = call("write_file", {"files": files}, bench)
    assert (done.ok, done.changed_files) == (True, ("new/deep/x.py", "pkg/dos.txt"))
    assert (tree / "new/deep/x.py").read_text() == "x = 1\n"
    assert (tree / "pkg/dos.txt").read_bytes() == b"x = 1\r\ny = 5\r\n"


@pytest.mark.parametrize(
    ("content", "why"), [("", "would lose"), ("# ... rest of file unchanged\n", "leaves text out")]
)
def test_write_file_never_loses_text_by_mistake(bench: Bench, tree: Path, content: str, why: str) -> None:
    done = call("write_file", {"files": [{"path": "a.py", "content": content}]}, bench)
    assert why in done.content
    assert (tree / "a.py").read_text() == FILES["a.py"]


def test_unread_files_are_shown_instead_of_changed(bench: Bench, tree: Path) -> None:
    bench.record = CallRecord()
    refused = edit(bench, ("a.py", "def f", "def h"))
    assert "a.py was not read before. Nothing was written. Here are its lines 1-6 of 6" in refused.content
    assert refused.seen == {"a.py": Seen.whole(sha(tree / "a.py"))}
    assert (tree / "a.py").read_text() == FILES["a.py"]


def test_shell_tells_exit_code_output_and_changed_files(bench: Bench, tree: Path) -> None:
    done = call("shell", {"command": "echo hi; echo new > n.txt; rm img.bin; chmod +x a.py; exit 3"}, bench)
    assert (done.ok, done.changed_files) == (True, ("a.py", "img.bin", "n.txt"))
    assert done.content.splitlines()[0].startswith("shell: exit code 3 after ")
    named = "Changed files: a.py (mode 644 -> 755), img.bin (deleted), n.txt"
    assert done.content.splitlines()[1:] == [
        *("hi", named, "n.txt (+1 −0 lines)", "--- /dev/null"),
        *("+++ b/n.txt", "@@ -0,0 +1 @@", "+new"),
    ]
    assert not (tree / "img.bin").exists()


def test_shell_runs_bash_with_pipefail_and_nothing_to_ask(bench: Bench) -> None:
    script = "set -o | grep pipefail; [[ a == a ]] && echo bash; echo $PAGER; cat < /dev/null; false | true"
    done = call("shell", {"command": script}, bench)
    assert done.content.splitlines()[0].startswith("shell: exit code 1")
    assert "pipefail       \ton\nbash\ncat" in done.content


def test_shell_stops_what_takes_too_long_and_still_sees_changes(bench: Bench) -> None:
    done = call("shell", {"command": "echo x > slow.txt; sleep 30", "timeout_s": 1}, bench)
    assert (done.ok, done.changed_files) == (False, ("slow.txt",))
    assert done.content.startswith("shell: stopped after 1 s")


def test_long_output_is_cut_in_its_middle(bench: Bench) -> None:
    done = call("shell", {"command": "seq 1 20000"}, bench)
    assert done.cut
    assert len(done.content) < 26_000
    assert "cut here" in done.content
    assert done.content.endswith("20000")


def test_colours_and_progress_bars_are_taken_out(bench: Bench) -> None:
    done = call("shell", {"command": r"printf '\033[31mred\033[0m\n10%%\r100%%\n'"}, bench)
    assert done.content.splitlines()[1:] == ["red", "100%"]


def test_run_tests_puts_the_red_ones_first(bench: Bench) -> None:
    asked: list[tuple[str, ...] | None] = []

    def suite(tests: tuple[str, ...] | None) -> Report:
        asked.append(tests)
        return Report(
            "pytest", 1, "exit", 1.5, "noise", {"t::a": "passed", "t::b": "failed"}, {"t::b": "assert 1 == 2"}
        )

    bench.run_tests, bench.known_tests = suite, ("t::a", "t::b")
    done = call("run_tests", {"pattern": "T::*B"}, bench)
    assert asked == [("t::b",)]
    assert (
        done.content
        == "run_tests (1 chosen): 1 passed, 1 failed; exit code 1; 1.5 s\n\nRED t::b\nassert 1 == 2\n\nChosen: t::b"
    )
    assert "no known test matches 'zzz'" in call("run_tests", {"pattern": "zzz"}, bench).content


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        (
            "grep",
            {},
            "there is no such tool. Call one of these: "
            "call_tool, edit, readfile, run_tests, search, shell, write_file.",
        ),
        ("edit", {"edits": [{"file": "x"}]}, "edits[0].path is missing; edits[0].old_string is missing"),
        ("edit", {"path": "x"}, "Send {edits: [{path: string, old_string: string, new_string: string"),
        ("shell", "ls", "wrong arguments"),
        ("shell", {"command": " "}, "command is empty"),
        ("shell", {"command": "echo \0"}, "hold a NUL"),
        ("write_file", {"files": [{"path": "x", "content": "\ud800"}]}, "half a surrogate pair"),
        ("readfile", {}, "nothing was asked for"),
        ("search", {"patterns": []}, "patterns is empty"),
        ("write_file", {"files": []}, "files is empty"),
    ],
)
def test_wrong_calls_are_answered_with_the_next_step(bench: Bench, name: str, arguments: Any, why: str) -> None:
    done = call(name, arguments, bench)
    assert (done.ok, why in done.content) == (False, True)


def test_names_that_are_no_text_are_shown_as_far_as_they_go(bench: Bench, tree: Path) -> None:
    Path(os.fsdecode(bytes(tree) + b"/caf\xe9.txt")).write_text("x = 1\n")
    for name, arguments in (("readfile", {"paths": ["."]}), ("shell", {"command": "touch $'b\\xe9'; ls"})):
        assert "?" in call(name, arguments, bench).content.encode().decode()


def test_one_text_stands_for_a_list_of_one(bench: Bench) -> None:
    assert "a.py (6 lines)" in call("readfile", {"paths": "a.py"}, bench).content


def test_states_of_the_tree_have_names_that_come_back(bench: Bench) -> None:
    edit(bench, ("pkg/data.json", "1", "2"))
    first = bench.workspace
    edit(bench, ("pkg/data.json", "2", "3"))
    second = bench.workspace
    edit(bench, ("pkg/data.json", "3", "2"))
    assert (first, bench.workspace) == (bench.workspace, first)
    assert second != first


def test_what_is_written_belongs_to_the_slot(bench: Bench, tree: Path, cells: Cells) -> None:
    call("write_file", {"files": [{"path": "n.py", "content": "x = 1\n"}]}, bench)
    assert (tree / "n.py").stat().st_uid == cells.uid
