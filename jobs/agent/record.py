"""The record of a session's tool calls, and what it says the model has seen. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Knowledge = Literal["never", "glimpsed", "same", "changed"]
Span = tuple[int, int]


@dataclass(frozen=True)
class Seen:
    """Text of one file that a result showed: its sha256 then (None where a search showed lines only), and which
    lines (from 1, both ends included): None for all of them, empty where a change was shown."""

    sha256: str | None
    spans: tuple[Span, ...] | None = ()


@dataclass(frozen=True)
class Call:
    """One executed call, as it stands in the trace. `args` are the model's own; `key` and `result` name call and
    result for comparing; `unchanged` says that an earlier result answered it."""

    tool: str
    args: Mapping[str, Any]
    ok: bool
    ms: int
    result_bytes: int
    cut: bool
    rung: str | None
    changed_files: tuple[str, ...]
    seen: Mapping[str, Seen] = field(default_factory=dict)
    key: str = ""
    result: str = ""
    unchanged: bool = False
    checks: Mapping[str, Any] | None = None  # {green, ran, seconds} of the checks behind it
    tests: Mapping[str, Any] | None = None  # {green, ran} of the tests that it ran itself

    def to_trace(self, number: int) -> dict[str, Any]:
        """The call as the trace holds it; `number` counts the session's calls from 1."""
        return {
            "number": number,
            "tool": self.tool,
            "args": dict(self.args),
            "ok": self.ok,
            "ms": self.ms,
            "result_bytes": self.result_bytes,
            "cut": self.cut,
            "rung": self.rung,
            "changed_files": list(self.changed_files),
            "seen": {path: {"sha256": s.sha256, "spans": s.spans} for path, s in self.seen.items()},
            "key": self.key,
            "result": self.result,
            "unchanged": self.unchanged,
            "checks": dict(self.checks) if self.checks else None,
            "tests": dict(self.tests) if self.tests else None,
        }


@dataclass
class CallRecord:
    """The calls in order; it only grows. `cleared` are the numbers (from 1) of calls whose results were taken out of
    the conversation: the model no longer sees them."""

    calls: list[Call] = field(default_factory=list)
    cleared: set[int] = field(default_factory=set)

    def add(self, call: Call) -> int:
        """Remembers a call; its number."""
        self.calls.append(call)
        return len(self.calls)

    def knowledge(self, path: str, sha256: str) -> Knowledge:
        """What the model knows of `path`, whose bytes now are `sha256`: nothing, some lines, all, an older state."""
        shown = [(seen.sha256, visible) for _, seen, visible in self._showing(path)]
        if not shown:
            return "never"
        if (sha256, True) in shown:
            return "same"
        if (sha256, False) in shown:
            return "glimpsed"
        return "changed" if any(sha for sha, _ in shown) else "glimpsed"

    def shown(self, path: str, sha256: str, spans: Sequence[Span] | None = None) -> int | None:
        """The number of the latest visible call that showed all of `spans` (None: the whole file) of these bytes."""
        found = [
            number
            for number, seen, visible in self._showing(path)
            if visible and seen.sha256 == sha256 and _covers(seen.spans, spans)
        ]
        return found[-1] if found else None

    def _showing(self, path: str) -> Iterator[tuple[int, Seen, bool]]:
        for number, call in enumerate(self.calls, 1):
            if path in call.seen:
                yield number, call.seen[path], number not in self.cleared

    @classmethod
    def from_trace(cls, lines: Iterable[str]) -> CallRecord:
        """The record of a traced run, opening included (JSON Lines; an unfinished last line is skipped)."""
        calls = []
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            calls += [_call(row) for row in event.get("calls") or ()]
        return cls(calls)


def _call(row: Mapping[str, Any]) -> Call:
    return Call(
        tool=row["tool"],
        args=row["args"],
        ok=row["ok"],
        ms=row["ms"],
        result_bytes=row["result_bytes"],
        cut=bool(row["cut"]),
        rung=row["rung"],
        changed_files=tuple(row["changed_files"]),
        seen={path: _seen(value) for path, value in row.get("seen", {}).items()},
        key=row.get("key", ""),
        result=row.get("result", ""),
        unchanged=bool(row.get("unchanged")),
        checks=row.get("checks"),
        tests=row.get("tests"),
    )


def _seen(value: Any) -> Seen:
    if not isinstance(value, Mapping):
        return Seen(value)
    spans = value.get("spans")
    return Seen(value.get("sha256"), None if spans is None else tuple((int(s), int(e)) for s, e in spans))


def _covers(shown: Sequence[Span] | None, asked: Sequence[Span] | None) -> bool:
    if shown is None:
        return True
    return asked is not None and all(any(s <= start and end <= e for s, e in shown) for start, end in asked)
