"""Read before edit is judged from the record of calls, whoever reads."""

from __future__ import annotations

from typing import Any

import pytest
from agent_session import CALC, DONE, FIXING, Begin, call, results

from jobs.agent.tools import arguments
from jobs.agent.tools.registry import TOOLS
from jobs.agent.tools.spec import Bench, ToolResult, ToolSpec
from jobs.sandbox.base import Command

# Large enough that the opening shows none of these files.
FILES = {**CALC, **{f"part{n}.py": "x = 1\n" * 4000 for n in range(4)}, "deep/one.py": "value = 1\nother = 2\n"}
EDIT = {"path": "deep/one.py", "old_string": "value = 1", "new_string": "value = 3"}


def cat(args: Any, bench: Bench) -> ToolResult:
    """Another implementation of readfile, which tells nothing but the text."""
    done = bench.cell.run(Command(("cat", "--", *args.paths)))
    return ToolResult(ok=done.ok, content=done.text)


OTHER = {**TOOLS, "readfile": ToolSpec("readfile", arguments.ReadFile, cat)}


@pytest.mark.parametrize("path", ["deep/one.py", "./deep/one.py", "/src/deep/one.py", "deep/../deep/one.py"])
def test_a_file_that_another_read_tool_showed_may_be_changed(start: Begin, path: str) -> None:
    read = {"calls": [call("readfile", paths=[path])]}
    loose = {**EDIT, "old_string": "  value = 1  \n  other = 2", "new_string": "  value = 3\n  other = 2"}
    played = start([read, {"calls": [call("edit", edits=[loose])]}, DONE], files=FILES, tools=OTHER)
    played.session.work()
    assert played.text("deep/one.py") == "value = 3\nother = 2\n"


@pytest.mark.parametrize("path", ["link.py", "folder/one.py"])
def test_a_file_that_it_showed_through_a_link_is_the_same_file(start: Begin, path: str) -> None:
    loose = {**EDIT, "old_string": "  value = 1  \n  other = 2", "new_string": "  value = 3\n  other = 2"}
    steps = [{"calls": [call("readfile", paths=[path])]}, {"calls": [call("edit", edits=[loose])]}, DONE]
    played = start(steps, files=FILES, tools=OTHER)
    (played.tree / "link.py").symlink_to("deep/one.py")
    (played.tree / "folder").symlink_to("deep")
    played.session.work()
    assert played.text("deep/one.py") == "value = 3\nother = 2\n"


def cut(args: Any, bench: Bench) -> ToolResult:
    """Another implementation that shows ranges; nothing but their text."""
    each = [f"sed -n {part.start},{part.end}p {part.path}" for part in args.ranges]
    return ToolResult(ok=True, content=bench.cell.run(Command.shell("; ".join(each))).text)


def test_ranges_that_another_read_tool_showed_open_these_lines_and_no_others(start: Begin) -> None:
    tools = {**TOOLS, "readfile": ToolSpec("readfile", arguments.ReadFile, cut)}
    rows = "".join(f"    name_{n} = {n}\n" for n in range(40))
    parts = [{"path": "deep/one.py", "start": s, "end": e} for s, e in ((1, 3), (10, 12))]
    loose = [
        {"path": "deep/one.py", "old_string": f"name_{n} = {n}\nname_{n + 1} = {n + 1}", "new_string": "x = 1\ny = 2"}
        for n in (10, 30)
    ]
    steps = [[call("readfile", ranges=parts)], *([call("edit", edits=[one])] for one in loose)]
    played = start([*({"calls": s} for s in steps), DONE], files={**FILES, "deep/one.py": rows}, tools=tools)
    played.session.work()
    assert played.text("deep/one.py") == rows.replace("name_10 = 10", "x = 1").replace("name_11 = 11", "y = 2")
    assert "deep/one.py was read in part only (lines 1-3, 8-15 of 40), and old_string is not" in results(played)[-1]


def test_a_file_that_nobody_showed_may_not(start: Begin) -> None:
    script = [{"calls": [call("readfile", paths=["calc.py"]), call("edit", edits=[EDIT])]}, DONE]
    played = start(script, files=FILES, tools=OTHER)
    played.session.work()
    assert "deep/one.py was not read before. Nothing was written." in results(played)[-1]
    assert played.text("deep/one.py") == FILES["deep/one.py"]


def test_what_a_command_changed_is_known_by_its_diff(start: Begin) -> None:
    steps = [
        [call("readfile", paths=["deep/one.py"])],
        [call("shell", command="sed -i s/other/another/ deep/one.py")],
        [
            call(
                "edit", edits=[{**EDIT, "old_string": "value = 1\nanother = 2", "new_string": "value = 3\nanother = 2"}]
            )
        ],
    ]
    played = start([*({"calls": s} for s in steps), DONE], files=FILES)
    played.session.work()
    assert "+another = 2" in results(played)[-2]
    assert played.text("deep/one.py") == "value = 3\nanother = 2\n"


def test_text_that_was_taken_out_of_the_conversation_counts_as_half_known(start: Begin) -> None:
    played = start([{"calls": [call("readfile", paths=["deep/one.py"])]}, FIXING, DONE], files=FILES)
    played.session.work()
    record = played.session.bench.record
    assert record is not None
    sha = next(c.seen["deep/one.py"].sha256 for c in record.calls if "deep/one.py" in c.seen)
    assert sha is not None
    assert record.knowledge("deep/one.py", sha) == "same"
    number = record.shown("deep/one.py", sha)
    assert number is not None
    record.cleared.add(number)
    assert record.knowledge("deep/one.py", sha) == "glimpsed"
    assert record.shown("deep/one.py", sha) is None


def test_a_model_that_takes_no_played_turn_gets_the_first_look_in_words(start: Begin) -> None:
    played = start([FIXING, DONE], model="claude-opus-4-1")
    assert played.session.work().ended == "done"
    first = played.endpoint.requests[0].body["messages"]
    assert [m["role"] for m in first] == ["user"]
    assert '<result call="readfile {"paths": ["."]}">' in first[0]["content"][0]["text"]
    assert played.text("calc.py").endswith("a + b\n")
