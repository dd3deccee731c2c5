"""The record of a session's tool calls, and what it says the model has seen. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Knowledge = Literal["never", "glimpsed", "same", "changed"]


@dataclass(frozen=True)
class Seen:
    """Text of one file that a result showed: its sha256 then (None where only some lines were shown by a search)."""

    sha256: str | None


@dataclass(frozen=True)
class Call:
    """One executed call, as it stands in the trace. `args` are the model's own."""

    tool: str
    args: Mapping[str, Any]
    ok: bool
    ms: int
    result_bytes: int
    cut: bool
    rung: str | None
    changed_files: tuple[str, ...]
    seen: Mapping[str, Seen] = field(default_factory=dict)

    def to_trace(self) -> dict[str, Any]:
        """The call as the trace holds it."""
        return {
            "tool": self.tool,
            "args": dict(self.args),
            "ok": self.ok,
            "ms": self.ms,
            "result_bytes": self.result_bytes,
            "cut": self.cut,
            "rung": self.rung,
            "changed_files": list(self.changed_files),
            "seen": {path: seen.sha256 for path, seen in self.seen.items()},
        }


@dataclass
class CallRecord:
    """The calls in order; it only grows."""

    calls: list[Call] = field(default_factory=list)

    def knowledge(self, path: str, sha256: str) -> Knowledge:
        """What the model knows of `path`, whose bytes now are `sha256`: nothing, some lines, all, an older state."""
        shown = [call.seen[path].sha256 for call in self.calls if path in call.seen]
        if not shown:
            return "never"
        if sha256 in shown:
            return "same"
        return "changed" if any(shown) else "glimpsed"

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
        seen={path: Seen(sha) for path, sha in row.get("seen", {}).items()},
    )
