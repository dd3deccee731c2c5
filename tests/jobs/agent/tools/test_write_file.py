"""write_file over a real cell: what it tells, and what it refuses to lose."""

from __future__ import annotations

from pathlib import Path

import gitrepo
import pytest
from agent_tree import sha

from jobs.agent.record import CallRecord, Seen
from jobs.agent.tools.registry import call
from jobs.agent.tools.spec import Bench, ToolResult
from jobs.sandbox import skeleton
from jobs.sandbox.cell import Cells

OLD = "".join(f"def f{n}():\n    return {n}\n" for n in range(20))
FILES: dict[str, bytes | str] = {"a.py": OLD, "img.bin": b"\0\1"}


def write(bench: Bench, path: str, content: str) -> ToolResult:
    return call("write_file", {"files": [{"path": path, "content": content}]}, bench)


def test_the_head_tells_how_long_the_file_was_and_is(bench: Bench, tree: Path) -> None:
    done = write(bench, "a.py", "x = 1\ny = 2")
    assert done.content.startswith("write_file a.py: 40 lines -> 2 lines\n")
    assert "\n--- a/a.py\n+++ b/a.py\n@@ -1,40 +1,2 @@\n" in done.content
    assert done.seen == {"a.py": Seen.whole(sha(tree / "a.py"))}
    assert write(bench, "new/b.py", "x = 1\n").content == "write_file new/b.py: created, 1 lines"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "content is empty, which would lose the file's text: to delete it use shell rm"),
        (
            "# ... rest of file unchanged\n",
            "leaves text out ('# ... rest of file unchanged'): write every line, or use",
        ),
        ("def f0():\n    return 9\n# ...\n", "leaves text out ('# ...'): write every line, or use edit"),
        ("def f0():\n    return 9\n    // … and so on\n", "leaves text out ('// … and so on')"),
    ],
)
def test_nothing_is_lost_by_mistake(bench: Bench, tree: Path, content: str, why: str) -> None:
    done = write(bench, "a.py", content)
    assert (done.ok, why in done.content) == (False, True)
    assert (tree / "a.py").read_text() == OLD


@pytest.mark.parametrize("content", ["def f(): ...\n", OLD + "# ...\n"])
def test_dots_that_stand_for_nothing_are_written(bench: Bench, tree: Path, content: str) -> None:
    assert write(bench, "a.py", content).ok
    assert (tree / "a.py").read_text() == content


def test_an_unread_file_is_shown_instead_of_replaced(bench: Bench, tree: Path) -> None:
    bench.record = CallRecord()
    refused = write(bench, "a.py", "x = 1\n")
    assert "a.py was not read before. Nothing was written. Here are its lines 1-40 of 40" in refused.content
    assert (tree / "a.py").read_text() == OLD


def test_the_known_state_of_the_tree_is_dropped_by_a_write_only(bench: Bench) -> None:
    bench.snapshot = {"a.py": "1"}
    write(bench, "img.bin", "x")
    assert bench.snapshot == {"a.py": "1"}
    write(bench, "a.py", "x = 1\n")
    assert bench.snapshot is None


def test_a_new_file_among_generated_ones_is_warned_of(bench: Bench) -> None:
    done = write(bench, "web/dist/x.js", "x\n")
    assert done.content.splitlines() == [
        "write_file web/dist/x.js: created, 1 lines",
        "WARNING: web/dist/x.js stands where generated files do: if it is source, write it elsewhere.",
    ]


def test_a_new_file_that_git_ignores_is_warned_of(cells: Cells, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    tree = gitrepo.make(tmp_path / "tree", {".gitignore": "*.gen\n"})
    gitrepo.run(tmp_path, "clone", "--quiet", "--bare", str(tree), "bare.git")
    git = skeleton.build(tmp_path / "bare.git", "HEAD", tmp_path / "skeleton")
    cells.own(tree)
    done = write(Bench(cell=cells.on(tree, git=git)), "x.gen", "x\n")
    assert "WARNING: git ignores x.gen, so it is no part of the change" in done.content


MARKS = [
    "[… 12 lines of imports …]",
    "[… 4 blank lines …]",
    '[… 700 more lines; ask with ranges, e.g. {"path": "long.py", "start": 201, "end": 600} …]',
    "x = 'aaa[… 1000 more characters of this line …]",
]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("path", ["a.py", "new.py"])
def test_a_mark_of_what_a_result_left_out_is_no_text(bench: Bench, tree: Path, path: str, mark: str) -> None:
    done = write(bench, path, f"{OLD}{mark}\nend = 1\n")
    assert (done.ok, done.changed_files) == (False, ())
    assert f"content holds {mark!r}, a mark of what was not shown: readfile those lines and write" in done.content
    assert not (tree / "new.py").exists()
    assert (tree / "a.py").read_text() == OLD


def test_a_mark_that_the_file_has_itself_may_stay(bench: Bench, tree: Path) -> None:
    (tree / "a.py").write_text(f"x = 1\n{MARKS[0]}\n")
    assert write(bench, "a.py", f"y = 1\n{MARKS[0]}\n").ok
    assert not write(bench, "a.py", f"y = 1\n{MARKS[0]}\n{MARKS[0]}\n").ok


def test_a_path_sent_twice_is_not_written_and_named(bench: Bench, tree: Path) -> None:
    rows = [("n.py", "one\n"), ("./n.py", "two\n"), ("other.py", "x\n")]
    done = call("write_file", {"files": [{"path": p, "content": c} for p, c in rows]}, bench)
    assert (done.ok, done.changed_files) == (False, ("other.py",))
    assert "write_file FAILED: n.py: 2 times in this call, so nothing of it was written: send it once" in done.content
    assert not (tree / "n.py").exists()


def test_a_file_named_by_two_paths_is_not_written_and_named(bench: Bench, tree: Path) -> None:
    (tree / "link.py").symlink_to("a.py")
    rows = [("a.py", "one\n"), ("link.py", "two\n")]
    done = call("write_file", {"files": [{"path": p, "content": c} for p, c in rows]}, bench)
    assert done.changed_files == ()
    assert "link.py: is a.py, which this call names by another path too: send it once" in done.content
    assert (tree / "a.py").read_text() == OLD


@pytest.mark.parametrize("path", ["d/", "new/d/", "a.py/", "d/."])
def test_a_path_that_ends_in_a_slash_is_no_file(bench: Bench, tree: Path, path: str) -> None:
    done = write(bench, path, "x\n")
    assert (done.ok, "ends in a slash, so it names a folder: send the path of a file" in done.content) == (False, True)
    assert {p.name for p in tree.iterdir()} - {".git"} == {"a.py", "img.bin"}
    assert (tree / "a.py").read_text() == OLD


def test_a_whole_text_that_was_copied_with_line_numbers_is_refused(bench: Bench, tree: Path) -> None:
    done = write(bench, "a.py", "import os\n2\t    return 0\n")
    assert (done.ok, "carries line numbers ('2\\t    return 0'): send the text" in done.content) == (False, True)
    assert (tree / "a.py").read_text() == OLD
    assert write(bench, "a.py", "2\treturn 0\n").ok
    assert write(bench, "table.tsv", "1\tone\n2\ttwo\n").ok
