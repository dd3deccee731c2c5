"""What a tool is, what it works with and what it gives back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any

from jobs.agent.record import CallRecord, Seen
from jobs.agent.tools.arguments import schema
from jobs.errors import PatchwrightError
from jobs.sandbox.base import Cell
from jobs.suite.report import Report

RunTests = Callable[[tuple[str, ...] | None], Report]


class BadCall(PatchwrightError):
    """The call can't be carried out as it was made; the text says why and ends with the next step."""


@dataclass(frozen=True)
class ToolResult:
    """What one call gave. `content` is raw text for the model; `error` is its first sentence where the call failed.

    `seen` maps each path whose text is now known to the model to what it saw; `states` maps each path that the
    call changed to the sha256 of its bytes (None: deleted). `rung` is the loosest rung of an edit.
    """

    ok: bool
    content: str
    changed_files: tuple[str, ...] = ()
    error: str | None = None
    rung: str | None = None
    cut: bool = False
    seen: Mapping[str, Seen] = field(default_factory=dict)
    states: Mapping[str, str | None] = field(default_factory=dict)

    @classmethod
    def failed(cls, tool: str, message: str) -> ToolResult:
        """A failure that the model reads as `tool: message`."""
        return cls(ok=False, content=f"{tool} FAILED: {message}", error=message)


@dataclass
class Bench:
    """What the tools of one session share: the cell, the record of its calls, the tree's known state.

    `record` is None where read-before-edit is off. `snapshot` is the tree's fingerprints after the last call, None
    if they must be taken anew.
    """

    cell: Cell
    run_tests: RunTests | None = None
    known_tests: tuple[str, ...] = ()
    record: CallRecord | None = None
    timeout_s: float = 600.0  # longest command
    snapshot: Mapping[str, str] | None = None
    touched: dict[str, str | None] = field(default_factory=dict)

    def note(self, result: ToolResult) -> None:
        """Remembers what a call changed."""
        self.touched.update(result.states)

    @property
    def workspace(self) -> str:
        """A short name for the state of everything that was changed so far; equal states have equal names."""
        return hashlib.sha256(repr(sorted(self.touched.items())).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class ToolSpec:
    """One tool: `run` takes checked arguments, an instance of `arguments`."""

    name: str
    arguments: type
    run: Callable[[Any, Bench], ToolResult]

    @cached_property
    def description(self) -> str:
        """What the model is told of it."""
        return (files("jobs.agent.tools") / "descriptions" / f"{self.name}.md").read_text("utf-8").strip()

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of its arguments."""
        return schema(self.arguments)
