"""Whatever arguments a model sends to whichever tool, the answer is a sentence with the next step, never an end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from agent_tree import bench_on

from jobs.agent.calls import run_calls
from jobs.agent.record import CallRecord
from jobs.agent.stuck import Stuck
from jobs.agent.tools import deferred
from jobs.agent.tools.registry import TOOLS, call
from jobs.agent.tools.spec import Bench
from jobs.sandbox.cell import Cells

FILES: dict[str, bytes | str] = {"a.py": "x = 1\n"}
# The last sentence tells what to do.
NEXT = re.compile(r"\b(?:[Ss]end|[Aa]sk|[Cc]all|[Rr]un|[Uu]se|[Rr]eadfile|[Ss]earch|[Nn]ame|change|go on)\b[^\n]*$")
LIBRARY = re.compile(
    r"field required|input should|valid (?:string|integer|list|tuple|dict)|keyword argument|pydantic", re.I
)
DEEP: Any = "x"
for _ in range(600):
    DEEP = [DEEP]
GARBAGE: dict[str, Any] = {
    "nothing": None,
    "text": "ls",
    "number": 7,
    "list": [{"path": "a.py"}],
    "unknown": {"\ud800": 1, "y" * 5000: [2]},
    "lists": [],
    "numbers": -1,
    "objects": {"path": {"path": []}},
    "nested": [[{"path": ["a.py"]}], [[None]]],
    "deep": DEEP,
    "flags": True,
    "nan": float("nan"),
}
FIELDS = {name: list(spec.schema["properties"]) for name, spec in TOOLS.items()}
FURTHER = {name: [f.rstrip("?") for f in re.findall(r"\w+\??", tool.shape)] for name, tool in deferred.TOOLS.items()}
WHOLE = ("nothing", "text", "number", "list", "unknown")  # sent as the arguments; the others as each argument's value


def sent(kind: str, fields: list[str]) -> Any:
    return GARBAGE[kind] if kind in WHOLE else dict.fromkeys(fields, GARBAGE[kind])


def answered(bench: Bench, name: str, given: Any) -> None:
    done = call(name, given, bench)
    assert (done.ok, done.changed_files, done.error is not None) == (False, (), True)
    assert LIBRARY.search(done.content) is None
    assert NEXT.search(done.content) is not None, done.content
    assert len(done.content.encode()) < 2000
    assert done.error is not None
    assert done.error.encode().decode()


@pytest.mark.parametrize("kind", GARBAGE)
@pytest.mark.parametrize("name", TOOLS)
def test_garbage_is_answered(bench: Bench, name: str, kind: str) -> None:
    answered(bench, name, sent(kind, FIELDS[name]))


@pytest.mark.parametrize("kind", GARBAGE)
@pytest.mark.parametrize("name", deferred.TOOLS)
def test_garbage_for_a_tool_behind_call_tool_is_answered(bench: Bench, name: str, kind: str) -> None:
    given = sent(kind, FURTHER[name])
    answered(bench, "call_tool", {"name": name, "arguments": given or {"x": given}})


@pytest.mark.parametrize("name", TOOLS)
def test_no_arguments_are_answered(bench: Bench, name: str) -> None:
    answered(bench, name, {})


@pytest.mark.parametrize("name", [n for n in deferred.TOOLS if n not in ("log", "lock")])
def test_no_arguments_for_a_tool_behind_call_tool_are_answered(bench: Bench, name: str) -> None:
    answered(bench, "call_tool", {"name": name})


def test_the_shape_is_drawn_with_all_its_braces(bench: Bench) -> None:
    assert (
        call("call_tool", {}, bench).error == "wrong arguments: name is missing. Send {name: string, arguments?: {…}}."
    )
    drawn = "Send {paths?: [string], ranges?: [{path: string, start: integer, end: integer}], "
    assert drawn in str(call("readfile", {"path": "a.py"}, bench).error)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("edit", {"edits": [{"file": 1}]}, "edits[0].path is missing; edits[0].old_string is missing; edits[0].new_st"),
        ("edit", {"edits": [{"path": 3}]}, "edits[0].path must be text, not 3"),
        ("edit", [], "the arguments must be an object, not a list"),
        (
            "search",
            {"patterns": {"a": 1}, "regex": "maybe"},
            "patterns must be a list, not an object; regex must be",
        ),
        ("search", {"patterns": "a", "context": 1.5}, "context must be a whole number, not 1.5"),
        ("shell", {"command": "ls", "timeout_s": "soon"}, "timeout_s must be a number, not text"),
        ("shell", {"command": None, "cwd": "/"}, "command must be text, not null; cwd is no argument of it"),
        ("readfile", dict.fromkeys("abcdefg", 1), "e is no argument of it; and 2 more. Send {"),
    ],
)
def test_each_fault_is_one_plain_clause(bench: Bench, name: str, given: Any, words: str) -> None:
    assert words in str(call(name, given, bench).error)


@pytest.mark.parametrize("name", [*TOOLS, "grep", ""])
@pytest.mark.parametrize("kind", [kind for kind in GARBAGE if kind != "deep"])
def test_the_session_records_it_and_goes_on(cells: Cells, tree: Path, name: str, kind: str) -> None:
    bench = bench_on(cells, tree, record=CallRecord())
    assert NEXT.search(asked_with(bench, name, GARBAGE[kind])) is not None
    assert bench.record is not None
    assert [(c.tool, c.ok) for c in bench.record.calls] == [(name, False)]


def asked_with(bench: Bench, name: str, given: Any) -> str:
    block = {"type": "tool_use", "id": "t", "name": name, "input": given}
    return str(run_calls([block], bench, Stuck()).results[0]["content"])
