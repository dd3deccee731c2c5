"""call_tool: rarely needed tools behind one name, so that the list of tools never changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jobs.agent.tools.arguments import CallTool, check
from jobs.agent.tools.further import history, more, references, requests, symbols, undo
from jobs.agent.tools.spec import BadCall, Bench, ToolResult

DIRECT = ("edit", "readfile", "run_tests", "search", "shell", "write_file")  # called without call_tool


@dataclass(frozen=True)
class Deferred:
    """One tool behind call_tool; `run` takes a checked instance of `arguments`."""

    arguments: type
    run: Callable[[Any, Bench], ToolResult]
    gives: str

    @property
    def shape(self) -> str:
        """Its arguments, as `{path, start?}`."""
        fields = dataclasses.fields(self.arguments)
        needed = [f.name if f.default is dataclasses.MISSING else f"{f.name}?" for f in fields]
        return "{" + ", ".join(needed) + "}"


TOOLS: Mapping[str, Deferred] = {
    "log": Deferred(requests.Log, history.log, "commits, one line each; pattern: those that added or removed it"),
    "blame": Deferred(requests.Blame, history.blame, "the commit behind each line"),
    "show": Deferred(requests.Show, history.show, "a commit's change; commit HEAD:path gives a file as it was"),
    "symbols": Deferred(requests.Symbols, symbols.symbols, "definitions of files or folders with their lines"),
    "references": Deferred(requests.References, references.references, "definitions and uses of a whole word"),
    "undo": Deferred(requests.Undo, undo.undo, "the whole tree as it was behind that round, 0: before the first"),
    "more": Deferred(requests.More, more.more, "lines of an output that was cut"),
    "lock": Deferred(requests.Lock, undo.lock, "resolves the lock file of a manifest that you changed"),
}


def run(args: CallTool, bench: Bench) -> ToolResult:
    """Checks name and arguments and runs the tool; what is wrong with them is told with the right shape."""
    name = args.name.strip().lower().replace(" ", "_").replace("-", "_").removeprefix("git_")
    if name in DIRECT:
        return ToolResult.failed("call_tool", f"{name} is a tool of its own: call it directly, with these arguments.")
    tool = TOOLS.get(name)
    if tool is None:
        return ToolResult.failed("call_tool", f"there is no {args.name!r} behind call_tool. There are:\n{listing()}")
    try:
        checked = check(tool.arguments, args.arguments)
    except ValueError as wrong:
        shape = f'{{"name": "{name}", "arguments": {tool.shape}}}'
        return ToolResult.failed(f"call_tool {name}", f"wrong arguments: {wrong}. Send {shape}: {tool.gives}.")
    try:
        return tool.run(checked, bench)
    except BadCall as no:
        return ToolResult.failed(name, str(no))


def listing() -> str:
    """Every tool with its arguments, one line each."""
    return "\n".join(f"- {name} {tool.shape}: {tool.gives}" for name, tool in TOOLS.items())
