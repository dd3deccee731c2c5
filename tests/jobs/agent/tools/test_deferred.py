"""The tools behind call_tool, over a real cell with a real history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gitrepo
import pytest
from agent_tree import sha

from jobs.agent.record import CallRecord
from jobs.agent.tools import deferred, registry
from jobs.agent.tools.arguments import CallTool
from jobs.agent.tools.spec import BadCall, Bench, ToolResult
from jobs.repo.checkpoint import TreeCheckpoints
from jobs.repo.local import find
from jobs.repo.workspace import Workspace, open_workspace
from jobs.sandbox import skeleton
from jobs.sandbox.cell import Cells

SHOP = """import math


class Shop:
    \"\"\"def not_one(): of several
def nor_this(): lines.
    \"\"\"

    def total(
        self,
        prices,
    ):
        return math.fsum(prices)

    async def close(self): ...


def helper():
    return Shop().total([1])


end_of = 1
"""
FILES: dict[str, bytes | str] = {
    "shop.py": SHOP,
    "web/app.ts": "export const run = async (x: number) => {\n  return x;\n};\n\nexport class App {\n  go(a: string): "
    "void {\n    run(1);\n  }\n}\n",
    "old.txt": "one\ntwo\nthree\n",
    "use.py": "from shop import Shop, helper\n\nhelper()\nhelpers = helper\nHELPER = 1\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    tmp_path.chmod(0o755)
    person = gitrepo.make(tmp_path / "person", FILES, "Open the shop")
    gitrepo.commit(person, {"old.txt": "one\n2\nthree\n"}, "Count in digits")
    gitrepo.run(person, "mv", "--", "old.txt", "-n.txt")
    gitrepo.commit(person, {}, "Rename")
    repository = find(person)
    with open_workspace(tmp_path / "runs", "run", repository.objects, repository.resolve("HEAD")) as opened:
        tmp_path.joinpath("runs").chmod(0o755)
        opened.root.chmod(0o755)
        yield opened


@pytest.fixture
def tree(workspace: Workspace) -> Iterator[Path]:
    with workspace.checkout(workspace.base) as folder:
        yield folder


@pytest.fixture
def bench(cells: Cells, workspace: Workspace, tree: Path) -> Bench:
    history = skeleton.build(workspace.git_dir, workspace.base_sha, workspace.root / "history")
    cells.own(tree)
    states = TreeCheckpoints(workspace.trees, workspace.base, tree, clean=True)
    return Bench(cells.on(tree, git=history), record=CallRecord(), checkpoints=states, rounds={0: states.take()})


def ask(bench: Bench, tool: str, **arguments: Any) -> ToolResult:
    result = deferred.run(CallTool(tool, arguments), bench)
    bench.note(result)
    return result


def test_an_unknown_name_is_answered_with_every_tool_and_its_arguments(bench: Bench) -> None:
    done = ask(bench, "grep")
    assert not done.ok
    assert "there is no 'grep' behind call_tool" in done.content
    assert "- blame {path, start, end}: " in done.content
    assert done.content.count("\n- ") == len(deferred.TOOLS)


def test_wrong_arguments_are_answered_with_the_right_shape(bench: Bench) -> None:
    done = ask(bench, "git blame", path="shop.py", lines=3)
    assert not done.ok
    for part in (
        "start is missing",
        "lines is no argument of it",
        '{"name": "blame", "arguments": {path, start, end}}',
    ):
        assert part in done.content


def test_a_tool_of_its_own_is_said_to_be_one(bench: Bench) -> None:
    assert "search is a tool of its own: call it directly" in ask(bench, "search", patterns=["x"]).content
    assert set(deferred.DIRECT) == set(registry.TOOLS) - {"call_tool"}


def test_the_description_names_every_tool_with_its_arguments() -> None:
    text = Path(deferred.__file__).with_name("descriptions").joinpath("call_tool.md").read_text()
    assert [row.partition(":")[0] for row in text.splitlines()[1:]] == [
        f"- {name} {tool.shape}" for name, tool in deferred.TOOLS.items()
    ]
    assert len(text) / 3.8 <= 220


def test_log_lists_commits_and_follows_a_renamed_file(bench: Bench) -> None:
    whole = ask(bench, "log").content.splitlines()
    assert [row.partition(" Test: ")[2] for row in whole] == ["Rename", "Count in digits", "Open the shop"]
    assert len(ask(bench, "log", count=1).content.splitlines()) == 1
    assert len(ask(bench, "log", path="-n.txt").content.splitlines()) == 3
    assert len(ask(bench, "log", path="./web").content.splitlines()) == 1


def test_log_finds_the_commits_that_moved_a_text_else_those_that_changed_a_line_with_it(bench: Bench) -> None:
    moved = ask(bench, "log", pattern="two").content
    assert moved.startswith("Commits that added or removed 'two':\n")
    assert "Count in digits" in moved
    assert "Rename" not in moved
    assert "Open the shop" in ask(bench, "log", pattern="class S.op").content
    assert "no commit whose change holds '--all'" in ask(bench, "log", pattern="--all").content


def test_blame_gives_the_commit_of_each_line_and_of_changed_ones_none(bench: Bench, tree: Path) -> None:
    (tree / "shop.py").write_text(SHOP.replace("import math", "import math  # sums"))
    rows = ask(bench, "blame", path="/src/shop.py", start=1, end=2).content.splitlines()
    assert "Not Committed Yet" in rows[0]
    assert "(Test " in rows[1]
    assert "there are no lines 3 to 2" in ask(bench, "blame", path="shop.py", start=3, end=2).content
    assert "git said: fatal: " in ask(bench, "blame", path="nope.py", start=1, end=2).content


def test_show_gives_a_change_or_a_file_as_it_was(bench: Bench, tree: Path) -> None:
    change = ask(bench, "show", commit="HEAD~1").content
    assert "Count in digits" in change
    assert "-two\n+2" in change
    (tree / "shop.py").write_text("gone\n")
    assert ask(bench, "show", commit="HEAD:shop.py").content == SHOP.rstrip()
    assert "changes nothing in shop.py" in ask(bench, "show", commit="HEAD~1", path="shop.py").content


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("show", {"commit": "--output=/src/leak"}),
        ("show", {"commit": "HEAD", "path": "../etc/passwd"}),
        ("log", {"path": "/etc"}),
        ("log", {"path": "--output=/src/leak"}),
        ("log", {"pattern": "x --output=/src/leak"}),
        ("blame", {"path": "--contents=/etc/passwd", "start": 1, "end": 2}),
    ],
)
def test_no_argument_becomes_an_option(bench: Bench, tree: Path, name: str, arguments: dict[str, Any]) -> None:
    done = ask(bench, name, **arguments)
    assert "root:" not in done.content
    assert not (tree / "leak").exists()
    assert not done.ok or "ask without path or pattern" in done.content


def test_without_a_history_git_says_so_and_the_next_step_follows(cells: Cells, tree: Path) -> None:
    cells.own(tree)
    done = ask(Bench(cells.on(tree)), "log")
    assert "git said: fatal: not a git repository" in done.content


def test_symbols_gives_definitions_with_their_lines(bench: Bench) -> None:
    done = ask(bench, "symbols", paths=["."])
    rows = done.content.splitlines()
    assert "shop.py (22 lines)" in rows
    for row in (
        "4-15\tclass Shop:",
        "9-13\t    def total(",
        "15\t    async def close(self): ...",
        "18-19\tdef helper():",
    ):
        assert row in rows
    for row in (
        "1-3\texport const run = async (x: number) => {",
        "5-9\texport class App {",
        "6-8\t  go(a: string): void {",
    ):
        assert row in rows
    assert "not_one" not in done.content
    assert "nor_this" not in done.content
    assert "use.py" not in done.content


def test_symbols_says_what_is_missing_and_what_defines_nothing(bench: Bench) -> None:
    done = ask(bench, "symbols", paths=["use.py", "src/shop.py"])
    assert (done.ok, done.error) == (False, "src/shop.py: no such file. Did you mean shop.py?")
    assert "use.py: no definition" in done.content


def test_references_marks_definitions_and_takes_whole_words_only(bench: Bench) -> None:
    done = ask(bench, "references", name="helper")
    assert done.content == (
        "references helper: 4 lines in 2 files\n\nDefined:\nshop.py:18: def helper():\n\n"
        "use.py\n1:from shop import Shop, helper\n3:helper()\n4:helpers = helper"
    )
    assert set(done.seen) == {"shop.py", "use.py"}
    assert "1 lines in 1 files" in ask(bench, "references", name="HELPER").content
    assert "none as a whole word" in ask(bench, "references", name="help").content
    assert "no such path: nowhere" in ask(bench, "references", name="helper", paths="nowhere").content


def test_references_takes_signs_of_the_name_as_they_are(bench: Bench, tree: Path) -> None:
    (tree / "v.cpp").write_text("Box<int> a;\nBox a;\nself->box();\nself-box();\n")
    assert ask(bench, "references", name="Box<int>").content.endswith("v.cpp\n1:Box<int> a;")
    assert ask(bench, "references", name="self->box").content.endswith("v.cpp\n3:self->box();")


def test_undo_puts_the_tree_back_and_the_record_knows(bench: Bench, tree: Path) -> None:
    edit = {"path": "shop.py", "old_string": "import math", "new_string": "import cmath"}
    bench.record = None  # no reading before this edit
    assert registry.call("edit", {"edits": [edit]}, bench).ok
    registry.call("shell", {"command": "echo new > new.py; rm use.py"}, bench)
    assert bench.checkpoints is not None
    bench.rounds[1] = bench.checkpoints.take()
    changed = bench.workspace
    done = ask(bench, "undo", round=0)
    assert done.ok, done.content
    assert done.changed_files == ("new.py", "shop.py", "use.py")
    assert done.states == {"new.py": None, "shop.py": sha(tree / "shop.py"), "use.py": sha(tree / "use.py")}
    assert done.seen == {}
    assert (tree / "shop.py").read_text() == SHOP
    assert "every file is as it was before round 1" in done.content
    assert bench.workspace != changed
    assert registry.call("shell", {"command": "echo more >> shop.py && ls new.py"}, bench).changed_files == ("shop.py",)
    assert ask(bench, "undo", round=1).ok
    assert (tree / "new.py").read_text() == "new\n"
    assert "nothing changed" in ask(bench, "undo", round=1).content


def test_undo_refuses_clearly(bench: Bench, tree: Path) -> None:
    (tree / "shop.py").write_text("changed\n")
    assert "there is no state behind round 7. Send one of: 0 " in ask(bench, "undo", round=7).content
    bench.checkpoints, kept = None, bench.checkpoints
    assert "not kept here" in ask(bench, "undo", round=0).content
    bench.checkpoints, bench.read_only = kept, True
    assert "only reads" in ask(bench, "undo", round=0).content
    assert (tree / "shop.py").read_text() == "changed\n"


def test_more_shows_lines_of_what_was_cut(bench: Bench) -> None:
    cut = registry.call("shell", {"command": "seq 20000"}, bench)
    assert cut.cut
    assert 'call_tool more {"output": 1, "start": ' in cut.content
    done = ask(bench, "more", output=1, start=5000)
    assert done.content.startswith("output 1, lines 5000-5399 of 20,000\n5000\t5000\n")
    assert done.content.endswith('[… goes on: call_tool more {"output": 1, "start": 5400} …]')
    last = ask(bench, "more", output=1, start=19999, end=30000)
    assert (last.cut, last.content) == (False, "output 1, lines 19999-20000 of 20,000\n19999\t19999\n20000\t20000")
    assert "it has lines 1 to 20000" in ask(bench, "more", output=1, start=20001).content
    assert "there is no output 2. Kept: 1;" in ask(bench, "more", output=2).content


def test_more_says_when_an_output_is_gone(bench: Bench) -> None:
    assert "no output is kept" in ask(bench, "more", output=1).content
    for _ in range(2):
        bench.outputs.capped("line\n" * (9 << 20))
    assert "output 1 is gone" in ask(bench, "more", output=1).content


def test_lock_is_refused_where_it_can_not_be_done_and_else_told_with_what_it_wrote(bench: Bench, tree: Path) -> None:
    assert "not available here" in ask(bench, "lock").content

    def resolve() -> str:
        (tree / "uv.lock").write_text("version = 1\n")
        return "resolved"

    bench.lock = resolve
    done = ask(bench, "lock")
    assert (done.ok, done.changed_files) == (True, ("uv.lock",))
    assert done.content.startswith("lock: resolved\nChanged files: uv.lock")
    bench.read_only = True
    assert "only reads" in ask(bench, "lock").content

    def refuse() -> str:
        (tree / "other.lock").write_text("half\n")
        raise BadCall("one of two could not be resolved: change it first.")

    bench.lock, bench.read_only = refuse, False
    failed = ask(bench, "lock")
    assert (failed.ok, failed.error) == (False, "one of two could not be resolved: change it first.")
    assert failed.changed_files == ("other.lock",)
