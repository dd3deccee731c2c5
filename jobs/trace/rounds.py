"""The rounds of a traced run as a plain table. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_WIDTH = 60  # characters of a call that are shown
_HEAD = ("round", "call", "ok", "result", "ms", "in", "cached", "out", "first", "tok/s", "usd", "s")


def table(lines: Iterable[str]) -> str:
    """A row for each call of each round, then the totals. `lines` is a trace in JSON Lines."""
    events = list(_events(lines))
    rounds = [event for event in events if event.get("type") == "round"]
    rows = [_HEAD, *(row for event in rounds for row in _rows(event))]
    opening = [call for event in events if event.get("type") == "note" for call in event.get("calls") or ()]
    played = [f"opening: {len(opening)} calls, {_bytes(sum(c['result_bytes'] for c in opening))}"] if opening else []
    return "\n".join([*played, *_aligned(rows), "", *_totals(rounds)])


def _events(lines: Iterable[str]) -> Iterable[Mapping[str, Any]]:
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue  # a run that was killed leaves half a line
        if isinstance(event, dict):
            yield event


def _rows(event: Mapping[str, Any]) -> list[tuple[str, ...]]:
    usage = event["usage"]
    read = usage["input"] + usage["cache_read"] + usage["cache_write"]
    figures = (
        f"{read:,}",
        _share(usage["cache_read"], read),
        f"{usage['output']:,}",
        f"{event['first_token_ms']} ms",
        str(event["tokens_per_s"] or "-"),
        _usd(event["usd"]),
        f"{event['seconds']:.1f}",
    )
    calls = event["calls"] or [None]
    said = f"({event['stop_reason']})"
    rows = [_call(call) if call else (said, "", "", "") for call in calls]
    blank = ("",) * len(figures)
    return [(str(event["n"]) if n == 0 else "", *row, *(figures if n == 0 else blank)) for n, row in enumerate(rows)]


def _call(call: Mapping[str, Any]) -> tuple[str, str, str, str]:
    args = json.dumps(call["args"], ensure_ascii=False)
    shown = f"{call['tool']} {args}"
    short = shown if len(shown) <= _WIDTH else f"{shown[: _WIDTH - 1]}…"
    size = _bytes(call["result_bytes"]) + (" cut" if call["cut"] else "")
    return short, "yes" if call["ok"] else "NO", size, str(call["ms"])


def _totals(rounds: Sequence[Mapping[str, Any]]) -> list[str]:
    usage = {key: sum(r["usage"][key] for r in rounds) for key in ("input", "output", "cache_read", "cache_write")}
    read = usage["input"] + usage["cache_read"] + usage["cache_write"]
    calls = [call for r in rounds for call in r["calls"]]
    priced = [r["usd"] for r in rounds if r["usd"] is not None]
    sent, results = (sum(r[key] for r in rounds) for key in ("request_bytes", "tool_output_bytes"))
    return [
        f"{len(rounds)} rounds, {len(calls)} calls ({sum(not c['ok'] for c in calls)} failed), "
        f"{len(calls) / max(1, len(rounds)):.1f} a round",
        f"{read:,} tokens read ({_share(usage['cache_read'], read)} from the cache), {usage['output']:,} written, "
        f"{_share(results, sent)} of what was sent were tool results",
        f"{_usd(sum(priced) if priced else None)}, {sum(r['seconds'] for r in rounds):.1f} s in the model, "
        f"{sum(c['ms'] for c in calls) / 1000:.1f} s in tools",
    ]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"


def _usd(usd: float | None) -> str:
    return "no price" if usd is None else f"${usd:.4f}"


def _bytes(size: int) -> str:
    return f"{size} B" if size < 1000 else f"{size / 1000:.1f} kB"
