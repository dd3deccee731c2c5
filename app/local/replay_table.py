"""What replies to recorded requests looked like, one row a variant. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any

from jobs.model.base import Reply
from jobs.trace.reader import calls_of

_HEAD = ("variant", "replies", "calls a reply", "tools", "tokens in", "out", "usd", "ended by")


@dataclass(frozen=True)
class Answer:
    """One reply: the tools it called, tokens read (cached ones too) and written, dollars, why it ended."""

    tools: tuple[str, ...]
    read: int
    written: int
    usd: float | None
    ended: str

    @classmethod
    def of(cls, reply: Reply) -> Answer:
        """From a model's reply."""
        tools = tuple(str(block.get("name")) for block in reply.calls)
        return cls(tools, reply.usage.total_input, reply.usage.output, reply.usd, reply.stop_reason)

    @classmethod
    def told(cls, event: Mapping[str, Any]) -> Answer:
        """From a `round` event."""
        usage = event.get("usage") or {}
        read = sum(usage.get(key) or 0 for key in ("input", "cache_read", "cache_write"))
        tools = tuple(call.tool for call in calls_of(event))
        return cls(tools, read, usage.get("output") or 0, event.get("usd"), str(event.get("stop_reason")))


def table(rows: Iterable[tuple[str, Sequence[Answer]]]) -> str:
    """A row for each (variant, its replies)."""
    cells = [_HEAD, *(_row(name, answers) for name, answers in rows)]
    widths = [max(len(row[n]) for row in cells) for n in range(len(_HEAD))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells)


def _row(name: str, answers: Sequence[Answer]) -> tuple[str, ...]:
    priced = [a.usd for a in answers if a.usd is not None]
    return (
        name,
        str(len(answers)),
        _spread([len(a.tools) for a in answers]),
        _counted(tool for a in answers for tool in a.tools),
        f"{sum(a.read for a in answers):,}",
        f"{sum(a.written for a in answers):,}",
        f"${sum(priced):.4f}" if priced else "no price",
        _counted(a.ended for a in answers),
    )


def _spread(counts: Sequence[int]) -> str:
    if not counts:
        return "-"
    deviation = stdev(counts) if len(counts) > 1 else 0.0
    return f"{mean(counts):.2f} ({min(counts)}–{max(counts)}, ±{deviation:.2f})"


def _counted(names: Iterable[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in Counter(names).most_common()) or "-"
