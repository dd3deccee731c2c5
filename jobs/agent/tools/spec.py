"""What a tool is, what it works with and what it gives back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any, Protocol

from jobs.agent.record import CallRecord, Seen
from jobs.agent.tools.arguments import schema
from jobs.agent.tools.outputs import Outputs
from jobs.agent.tools.texts import Texts
from jobs.errors import PatchwrightError
from jobs.sandbox.base import Cell
from jobs.suite.report import Report

RunTests = Callable[[tuple[str, ...] | None], Report]
_LOOKED_AT = 200  # changed files of one call whose text is kept for the next change
Base = Callable[[str], bytes | None]  # a file's bytes in the base commit, None where it has none
Lock = Callable[[], str]  # resolves changed manifests outside the cell and says what came of it; raises BadCall


class Checkpoints(Protocol):
    """The tree's states, kept outside the cell."""

    def take(self) -> str:
        """Keeps the tree as it is; the name of this state."""
        ...

    def restore(self, name: str) -> tuple[str, ...]:
        """Makes the tree what it was; the paths that changed by it."""
        ...


class BadCall(PatchwrightError):
    """The call can't be carried out as it was made; the text says why and ends with the next step."""


@dataclass(frozen=True)
class ToolResult:
    """What one call gave. `content` is raw text for the model; `error` is its first sentence where the call failed.

    `seen` maps each path whose text is now known to the model to what it saw; `states` maps each path that the
    call changed to the sha256 of its bytes (None: deleted). `rung` is the loosest rung of an edit. `unchanged` says
    that nothing new was shown: an earlier result holds it all. `tests` are {green, ran} of the tests that it ran.
    """

    ok: bool
    content: str
    changed_files: tuple[str, ...] = ()
    error: str | None = None
    rung: str | None = None
    cut: bool = False
    seen: Mapping[str, Seen] = field(default_factory=dict)
    states: Mapping[str, str | None] = field(default_factory=dict)
    unchanged: bool = False
    tests: Mapping[str, Any] | None = None

    @classmethod
    def failed(cls, tool: str, message: str) -> ToolResult:
        """A failure that the model reads as `tool: message`."""
        return cls(ok=False, content=f"{tool} FAILED: {message}", error=message)


@dataclass
class Bench:
    """What the tools of one session share: the cell, the record of its calls, the tree's known state.

    `record` is None where read-before-edit is off. `snapshot` is the tree's fingerprints after the last call, None
    if they must be taken anew. `single` says whether the suite reports single tests (None: not known yet),
    `whole_line` is the line that ran all of it. `left_by_tests` are paths that appeared while run_tests ran.
    `rounds` maps each round (0: before the first) to the name of the tree's state behind it. `read_only` says that
    nothing of the tree can be changed. `kept` are files that git tracks although it ignores them (None: not known yet).
    """

    cell: Cell
    run_tests: RunTests | None = None
    known_tests: tuple[str, ...] = ()
    record: CallRecord | None = None
    timeout_s: float = 600.0  # longest command
    snapshot: Mapping[str, str] | None = None
    touched: dict[str, str | None] = field(default_factory=dict)
    single: bool | None = None
    whole_line: str = ""
    left_by_tests: set[str] = field(default_factory=set)
    outputs: Outputs = field(default_factory=Outputs)
    texts: Texts = field(default_factory=Texts)
    base: Base | None = None
    checkpoints: Checkpoints | None = None
    rounds: dict[int, str] = field(default_factory=dict)
    lock: Lock | None = None
    read_only: bool = False
    kept: tuple[str, ...] | None = None

    def note(self, result: ToolResult) -> None:
        """Remembers what a call changed, and what the files that it changed or showed hold now."""
        self.touched.update(result.states)
        for number, (path, state) in enumerate(result.states.items()):
            if number < _LOOKED_AT:
                self._keep(path, gone=state is None)
            else:
                self.texts.lose(path)
        for path in result.seen:
            if not self.texts.known(path):
                self._keep(path, gone=False)

    def _keep(self, path: str, *, gone: bool) -> None:
        data = None if gone else self.cell.read(path)
        if gone or data is not None:
            self.texts.keep(path, data)
        else:
            self.texts.lose(path)

    def learn(self, report: Report, *, whole: bool) -> None:
        """Remembers the ids that a run of the suite reported. Only a whole run without errors makes ids forgotten:
        a file that could not be loaded hides those that it holds."""
        if report.tests is not None:
            complete = whole and report.ended == "exit" and not report.ids("error")
            self.known_tests = tuple(sorted({*report.tests, *(() if complete else self.known_tests)}))
        if whole:
            self.whole_line = report.command
            if report.tests is not None or report.ended == "exit":
                self.single = bool(report.tests is not None or self.known_tests)

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
