"""A tool has one name, everywhere."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

from agent_session import DONE, FIXING, Begin, call
from layers_source import tracked

from jobs.agent.tools.registry import TOOLS
from jobs.model import second_names

# By these, models of other harnesses call what has a name here. Plain words of English among them mean nothing.
_PLAIN = {
    *(
        "replace",
        "view",
        "create",
        "write",
        "read",
        "cat",
        "rg",
        "exec",
        "execute",
        "terminal",
        "test",
        "tests",
        "grep",
    ),
    *("bash", "pytest", "ripgrep", "Read", "Write", "Edit", "Bash", "Grep"),
}
STRANGE = sorted({name for name in [*second_names.TOOLS, *second_names.COMMANDS] if name not in _PLAIN} - set(TOOLS))
# Where such a word means something else.
_OTHER = {("jobs/trace/commands.py", "view"), ("jobs/sandbox/view.py", "view")}
_TABLE = "jobs/model/second_names.py"


def strings(path: str) -> list[str]:
    """Every text in the source that is not only a docstring's word."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def strange(text: str) -> set[str]:
    return {name for name in STRANGE if re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w(-])", text)}


def test_there_are_names_to_look_for() -> None:
    assert len(STRANGE) > 25
    assert strange("use read_file or the str_replace tool") == {"read_file", "str_replace"}


def test_no_text_of_the_program_has_a_second_name() -> None:
    found = {
        (path, name)
        for path in map(str, tracked())
        if re.match(r"(app|jobs|action)/.*\.py$", path) and path != _TABLE and "/repository/" not in path
        for text in strings(path)
        for name in strange(text)
    }
    assert found - _OTHER == set()


def test_no_prompt_and_no_description_has_a_second_name() -> None:
    files = [*Path("jobs/agent/prompts").glob("*.md"), *Path("jobs/agent/tools/descriptions").glob("*.md")]
    assert len(files) > 20
    assert {str(file): strange(file.read_text()) for file in files if strange(file.read_text())} == {}


def test_no_trace_has_a_second_name(start: Begin) -> None:
    foreign = {"calls": [call("read_file", path="calc.py"), call("bash", command="true")]}
    played = start([foreign, FIXING, DONE], model="some-model")
    played.session.work()
    tools = {c["tool"] for r in played.trace.of("round") for c in r["calls"]}
    assert tools == {"readfile", "shell", "edit"}
    own = [e for e in played.trace.events if e["type"] != "body"]
    assert strange(json.dumps([{k: v for k, v in e.items() if k not in ("mended", "text")} for e in own])) == set()
