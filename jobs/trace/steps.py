"""The rounds of a trace as steps to judge: what each call read, changed, tested, and whether it was green. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from jobs.trace.commands import Doing, doing, place
from jobs.trace.reader import Read, TracedCall, calls_of

EDITS = ("edit", "write_file")
_EXIT = re.compile(r"exit code (-?\d+)")


@dataclass(frozen=True)
class Act:
    """One call. `shown` maps each path whose text its result showed to (sha256 or None, lines shown; None: all).
    `key` and `result` name call and
    result for comparing. `green` is what tests or checks in it said, None where nothing is known."""

    tool: str
    args: Mapping[str, Any]
    ok: bool
    cut: bool = False
    changed: tuple[str, ...] = ()
    shown: Mapping[str, tuple[str | None, tuple[tuple[int, int], ...] | None]] = field(default_factory=dict)
    key: str = ""
    result: str | None = None
    unchanged: bool = False
    green: bool | None = None

    @cached_property
    def doing(self) -> Doing:
        """What the call does, whichever tool it uses."""
        if self.tool == "shell":
            return doing(str(self.args.get("command", "")))
        if self.tool == "readfile":
            return _reading(self.args)
        if self.tool == "search":
            return Doing(looks=max(1, len(_several(self.args.get("patterns")))), files=_places(self.args.get("paths")))
        return Doing(tests=True) if self.tool == "run_tests" else Doing(other=True)

    @property
    def looks_only(self) -> bool:
        """Whether it only reads or searches."""
        did = self.doing
        return not (self.changed or did.tests or did.diffs or did.other) and bool(did.reads or did.looks)

    @property
    def wanted(self) -> frozenset[str]:
        """The files that an edit or write meant to change."""
        if self.tool not in EDITS:
            return frozenset()
        parts = self.args.get("edits" if self.tool == "edit" else "files")
        rows = parts if isinstance(parts, list | tuple) else ()
        return frozenset(place(str(row["path"])) for row in rows if isinstance(row, Mapping) and "path" in row)

    @property
    def missed(self) -> frozenset[str]:
        """The files that it meant to change and did not."""
        return frozenset() if self.ok else self.wanted - set(self.changed)


@dataclass(frozen=True)
class Step:
    """One round. `cleared`: numbers (from 1, within the session) of calls whose results left the conversation before.
    `opens`: acts that the harness played before it, where its calls are a session's first."""

    n: int
    acts: tuple[Act, ...]
    usd: float | None
    cleared: frozenset[int] = frozenset()
    opens: tuple[Act, ...] | None = None


@dataclass(frozen=True)
class Story:
    """All steps of a trace. `patch`: the files of the final change, None if the trace does not tell.
    `asked`: the words of the request, as far as they are there. `whole`: the trace goes to the end of its run."""

    steps: tuple[Step, ...]
    patch: frozenset[str] | None
    asked: str
    whole: bool = True


def story(told: Read) -> Story:
    """Reads a trace's events; what is missing in them is taken as not known."""
    steps: list[Step] = []
    cleared: set[int] = set()
    opens: tuple[Act, ...] | None = None
    hunks: set[str] = set()
    asked, last = "", None  # the last round as its own event tells it
    for event in told.events:
        kind = event.get("type")
        cleared |= set(event.get("cleared") or ())
        if kind == "note" and event.get("why") == "opening":
            opens, cleared, last = tuple(map(_act, calls_of(event))), set(), None
        elif kind == "round":
            acts = tuple(map(_act, calls_of(event)))
            begins, opens = (opens, None) if acts else (None, opens)
            last = Step(int(event.get("n") or 0), acts, event.get("usd"), frozenset(cleared), begins)
            steps.append(last)
        elif kind == "hunk":
            hunks.add(str(event.get("file")))
        elif kind == "body":
            said = _said(event.get("body"))
            asked = asked or (json.dumps(said, ensure_ascii=False) if said else "")
            if last is not None and any(block.get("type") == "tool_result" for block in said):
                steps[-1] = _answered(last, said)  # behind a cut older results come again, before the last ones
    return Story(tuple(steps), frozenset(hunks) if hunks else None, asked, whole=told.early is None)


def _said(body: Any) -> list[Mapping[str, Any]]:
    """The blocks of a user's message."""
    if not isinstance(body, Mapping) or body.get("role") != "user" or not isinstance(body.get("content"), list):
        return []
    return [block for block in body["content"] if isinstance(block, Mapping)]


def _answered(step: Step, said: Iterable[Mapping[str, Any]]) -> Step:
    """The round with what its results, where they are kept, say of tests: they exit with 0 if they are green."""
    results = [str(block.get("content")) for block in said if block.get("type") == "tool_result"]
    if len(results) != len(step.acts):
        return step
    acts = [
        replace(act, green=found[1] == "0")
        if act.green is None and act.doing.tests and (found := _EXIT.search(text.partition("\n")[0]))
        else act
        for act, text in zip(step.acts, results, strict=True)
    ]
    return replace(step, acts=tuple(acts))


def _act(call: TracedCall) -> Act:
    return Act(
        tool=call.tool,
        args=call.args,
        ok=call.ok,
        cut=call.cut,
        changed=call.changed_files,
        shown={path: (sight.sha256, sight.spans) for path, sight in call.seen.items()},
        key=call.key or f"{call.tool} {json.dumps(call.args, sort_keys=True)}",
        result=call.result or None,
        unchanged=call.unchanged,
        green=call.green,
    )


def _reading(args: Mapping[str, Any]) -> Doing:
    rows = [*(args.get("ranges") or ()), *(args.get("anchor_lines") or ())]
    named = {place(str(row["path"])) for row in rows if isinstance(row, Mapping) and "path" in row}
    return Doing(reads=_places(args.get("paths")) | named, looks=1 if args.get("list_matches") else 0)


def _places(value: Any) -> frozenset[str]:
    return frozenset(place(path) for path in _several(value))


def _several(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
