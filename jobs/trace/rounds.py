"""The rounds of a traced run as a plain table, and where they were wasted. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jobs.trace.account import account, read

_WIDTH = 60  # characters of a call that are shown
_HEAD = ("round", "call", "ok", "result", "ms", "in", "cached", "tools", "out", "first", "tok/s", "usd", "s")
_NAMED = 12  # rounds of one class that are named
Object = Mapping[str, Any]


def table(lines: Iterable[str]) -> str:
    """A row for each call of each round, the totals, and the classes of waste. `lines` is a trace in JSON Lines.

    Raises UserError for lines that are no trace.
    """
    told = account(lines)
    rows = [_HEAD, *(row for one in told["rounds"] for row in _rows(one))]
    opening = told["opening"]
    played = [f"opening: {opening['calls']} calls, {_bytes(opening['result_bytes'])}"] if opening["calls"] else []
    early = ["", told["ends_early"]] if told["ends_early"] else []
    return "\n".join([*played, *_aligned(rows), "", *_totals(told["totals"]), "", *_waste(told), *early])


def _rows(one: Object) -> list[tuple[str, ...]]:
    usage = one["usage"]
    figures = (
        f"{read(usage):,}",
        _share(one["cache_share"]),
        _share(one["tool_share"]),
        f"{usage['output']:,}",
        "-" if one["first_token_ms"] is None else f"{one['first_token_ms']} ms",
        str(one["tokens_per_s"] or "-"),
        _usd(one["usd"]),
        f"{one['seconds'] or 0.0:.1f}",
    )
    rows = [_call(call) for call in one["calls"]] or [(f"({one['stop_reason'] or 'no reply'})", "", "", "")]
    blank = ("",) * len(figures)
    name = f"{one['n']}{'*' if one['lost'] else ''}"
    return [(name if n == 0 else "", *row, *(figures if n == 0 else blank)) for n, row in enumerate(rows)]


def _call(call: Object) -> tuple[str, str, str, str]:
    shown = f"{call['tool']} {json.dumps(call['args'], ensure_ascii=False)}"
    short = shown if len(shown) <= _WIDTH else f"{shown[: _WIDTH - 1]}…"
    size = _bytes(call["result_bytes"]) + (" cut" if call["cut"] else "")
    return _printable(short), "yes" if call["ok"] else "NO", size, str(call["ms"])


def _totals(totals: Object) -> list[str]:
    usage, rounds, calls, acting = totals["usage"], totals["rounds"], totals["calls"], totals["acting"]
    return [
        f"{rounds} rounds, {calls} calls ({totals['failed']} failed), {calls / max(1, acting):.1f} a round with calls",
        f"{read(usage):,} tokens read ({_share(totals['cache_share'])} from the cache), {usage['output']:,} written, "
        f"{_share(totals['tool_share'])} of what was sent were tool results",
        f"{_usd(totals['usd'])}, {totals['model_seconds']:.1f} s in the model, {totals['tool_seconds']:.1f} s in tools",
    ]


def _waste(told: Object) -> list[str]:
    wasted = told["wasted"]
    if not wasted["count"] and not any(one["rounds"] for one in told["waste"].values()):
        so_far = ", as far as the trace goes" if told["ends_early"] else ""
        return [f"no round was wasted in a way that is known here{so_far}"]
    rows: list[tuple[str, ...]] = [("waste", "rounds lost", "usd", "rounds concerned")]
    rows += [_class(name, one) for name, one in told["waste"].items() if one["rounds"]]
    total = f"{wasted['count']} of {told['totals']['rounds']} rounds wasted (marked *), {_share(wasted['share'])}"
    return [*_aligned(rows), "", f"{total}, {_usd(wasted['usd'])}; a round in several classes counts once"]


def _class(name: str, one: Object) -> tuple[str, ...]:
    named = ", ".join(map(str, one["rounds"][:_NAMED])) + (" …" if len(one["rounds"]) > _NAMED else "")
    return name, str(len(one["lost"])), _usd(one["usd"]), named


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _usd(usd: float | None) -> str:
    return "no price" if usd is None else f"${usd:.4f}"


def _bytes(size: int) -> str:
    return f"{size} B" if size < 1000 else f"{size / 1000:.1f} kB"
