"""A session of the real loop against the scripted endpoint, over a real cell."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent_tree import make_tree

from app.local.model import ScriptedEndpoint
from jobs.agent.budget import Budget
from jobs.agent.context import Context
from jobs.agent.loop import Session
from jobs.model.anthropic import AnthropicModel
from jobs.model.endpoint import Endpoint
from jobs.model.openai import OpenAIModel
from jobs.model.quirks import quirks_of
from jobs.sandbox.cell import Cells
from jobs.tasks.task import Task

CALC = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
}
TASK = Task("fix", "add is wrong", "`add(1, 2)` gives -1")
FIX = {"edits": [{"path": "calc.py", "old_string": "return a - b", "new_string": "return a + b"}]}
FIXING: dict[str, Any] = {"calls": [{"name": "edit", "input": FIX}]}
DONE: dict[str, Any] = {"text": "The sign was wrong."}


@dataclass
class Kept:
    """A trace in memory."""

    events: list[dict[str, Any]] = field(default_factory=list)

    def emit(self, type: str, **fields: Any) -> None:
        self.events.append({"type": type, **fields})

    def of(self, type: str) -> list[dict[str, Any]]:
        """The events of one type."""
        return [event for event in self.events if event["type"] == type]


@dataclass
class Played:
    """A session, its endpoint's record and its trace."""

    session: Session
    endpoint: ScriptedEndpoint
    trace: Kept
    tree: Path
    waits: list[float]

    def text(self, name: str) -> str:
        """A file of the tree as it is now."""
        return (self.tree / name).read_text()


Begin = Callable[..., Played]


def client_of(name: str, endpoint: ScriptedEndpoint, sleep: Callable[[float], None] = time.sleep) -> Endpoint:
    """The client that `name` leads to, at the scripted endpoint."""
    if quirks_of(name).api == "openai":
        return OpenAIModel(name, api_key="key", base_url=f"{endpoint.url}/v1", sleep=sleep)
    return AnthropicModel(name, api_key="key", base_url=endpoint.url, sleep=sleep)


def begin(
    cells: Cells,
    folder: Path,
    script: Sequence[Mapping[str, Any]],
    *,
    files: Mapping[str, bytes | str] = CALC,
    model: str = "claude-sonnet-5-5",
    **more: Any,
) -> Played:
    """A session that has not begun, against an endpoint that is running."""
    folder.chmod(0o755)
    tree = make_tree(folder / "tree", files)
    cells.own(tree)
    endpoint = ScriptedEndpoint(script, key="key").start()
    waits: list[float] = []
    client = client_of(model, endpoint, waits.append)
    trace = Kept()
    more = {"context": Context(suite="pytest"), "budget": Budget(), **more}
    session = Session(client, cells.on(tree), TASK, trace=trace, **more)
    return Played(session, endpoint, trace, tree, waits)


def call(tool: str, /, **args: Any) -> dict[str, Any]:
    """A tool call as scripts write it."""
    return {"name": tool, "input": args}


def results(played: Played) -> list[str]:
    """Every tool result that the last request held."""
    messages = played.endpoint.requests[-1].body["messages"]
    return [b["content"] for m in messages for b in m["content"] if b["type"] == "tool_result"]
