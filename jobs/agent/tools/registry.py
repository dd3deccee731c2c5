"""The tools by name, what the model is told of them, and how one is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from jobs.agent.tools import arguments, deferred, edit, readfile, run_tests, search, shell, write_file
from jobs.agent.tools.spec import Bench, ToolResult, ToolSpec
from jobs.model.base import Block

_ALL = (
    ToolSpec("call_tool", arguments.CallTool, deferred.run),
    ToolSpec("edit", arguments.Edit, edit.run),
    ToolSpec("readfile", arguments.ReadFile, readfile.run),
    ToolSpec("run_tests", arguments.RunTests, run_tests.run),
    ToolSpec("search", arguments.Search, search.run),
    ToolSpec("shell", arguments.Shell, shell.run),
    ToolSpec("write_file", arguments.WriteFile, write_file.run),
)
TOOLS: Mapping[str, ToolSpec] = {spec.name: spec for spec in _ALL}
_CHANGING = ("edit", "run_tests", "write_file")  # shell stays: its tree can't be written to
READING: Mapping[str, ToolSpec] = {name: spec for name, spec in TOOLS.items() if name not in _CHANGING}


def call(name: str, given: Any, bench: Bench, tools: Mapping[str, ToolSpec] = TOOLS) -> ToolResult:
    """One call. Never raises for what the model sent; EnvironmentFault if the sandbox can't start."""
    result = _called(name, given, bench, tools)
    bench.note(result)
    # Names of files and of made up arguments may be no text; what the model reads must be.
    error = None if result.error is None else _readable(result.error)
    return replace(result, content=_readable(result.content), error=error)


def _called(name: str, given: Any, bench: Bench, tools: Mapping[str, ToolSpec]) -> ToolResult:
    spec = tools.get(name)
    if spec is None:
        return ToolResult.failed(name or "call", f"there is no such tool. Call one of these: {', '.join(tools)}.")
    try:
        checked = arguments.check(spec.arguments, given)
    except ValueError as wrong:
        return ToolResult.failed(name, f"wrong arguments: {wrong}. Send {_drawn(spec.schema)}.")
    if any("\0" in text or not _encodable(text) for text in _texts(given)):
        return ToolResult.failed(name, "the arguments hold a NUL or half a surrogate pair: send plain text.")
    return spec.run(checked, bench)


def blocks(tools: Mapping[str, ToolSpec] = TOOLS) -> tuple[Block, ...]:
    """The tools as the model endpoint takes them, in an order that never changes."""
    return tuple({"name": s.name, "description": s.description, "input_schema": dict(s.schema)} for s in tools.values())


def _texts(given: Any) -> Iterator[str]:
    """Every text in it, names too; however deep it stands."""
    waiting = [given]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, Mapping):
            waiting += [*node, *node.values()]
        elif isinstance(node, list | tuple):
            waiting += node


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _drawn(schema: Mapping[str, Any]) -> str:
    """A schema as a person would draw it: {path: string, ranges?: [{…}]}."""
    if schema.get("type") == "array":
        return f"[{_drawn(schema['items'])}]"
    if schema.get("type") != "object":
        return str(schema.get("type", "value"))
    if "properties" not in schema:  # an object that may hold anything
        return "{…}"
    needed = schema.get("required", ())
    fields = [f"{name}{'' if name in needed else '?'}: {_drawn(part)}" for name, part in schema["properties"].items()]
    return "{" + ", ".join(fields) + "}"
