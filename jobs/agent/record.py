"""The record of a session's tool calls, and what it says the model has seen. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from jobs.agent.seen import Seen as Seen
from jobs.agent.seen import Span, Spans, covers, joined

Knowledge = Literal["never", "glimpsed", "changed", "part", "same"]


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

    @property
    def whole_suite(self) -> bool:
        """Whether it ran the whole suite, not named tests."""
        return self.tool == "run_tests" and not (self.args.get("tests") or self.args.get("pattern"))

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
            "seen": {path: seen.to_trace() for path, seen in self.seen.items()},
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
        """What the model knows of `path`, whose bytes now are `sha256`: nothing; lines of a search, or what is no
        longer in the conversation; an older state; some lines; all of them."""
        states = {seen.sha256 for _, seen, _ in self._showing(path)}
        if not states:
            return "never"
        lines = self.visible(path, sha256)
        if lines is None:
            return "same"
        if lines:
            return "part"
        return "glimpsed" if sha256 in states or states == {None} else "changed"

    def visible(self, path: str, sha256: str) -> Spans | None:
        """The lines of these bytes that the conversation shows, None for all. A change that was shown or made by the
        model itself carries on what was known of the bytes before it."""
        known: dict[str, Spans | None] = {}
        for _, seen, visible in self._showing(path):
            if not visible or seen.sha256 is None:
                continue
            now = seen.after(known.get(seen.before, ())) if seen.before is not None else seen.spans
            had = known.get(seen.sha256, ())
            known[seen.sha256] = None if now is None or had is None else joined([*had, *now])
        return known.get(sha256, ())

    def shown(self, path: str, sha256: str, spans: Sequence[Span] | None = None) -> int | None:
        """The number of the latest visible call that showed all of `spans` (None: the whole file) of these bytes."""
        found = [
            number
            for number, seen, visible in self._showing(path)
            if visible and seen.sha256 == sha256 and seen.before is None and _covers(seen.spans, spans)
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
    kept = tuple((int(first), int(last), int(now)) for first, last, now in value.get("kept") or ())
    read = None if spans is None else tuple((int(s), int(e)) for s, e in spans)
    return Seen(value.get("sha256"), read, value.get("before"), kept)


def _covers(shown: Spans | None, asked: Sequence[Span] | None) -> bool:
    return shown is None or (asked is not None and covers(shown, asked))
