"""The table of rounds."""

from __future__ import annotations

import json
from typing import Any

from jobs.trace.rounds import table


def a_call(tool: str, ok: bool = True, **args: Any) -> dict[str, Any]:
    return {
        "tool": tool,
        "args": args,
        "ok": ok,
        "ms": 120,
        "result_bytes": 2500,
        "cut": not ok,
        "rung": None,
        "changed_files": [],
    }


def a_round(n: int, *calls: dict[str, Any], usd: float | None = 0.0123) -> str:
    usage = {"input": 100, "output": 50, "cache_read": 800, "cache_write": 100}
    fields = {"n": n, "model": "m", "request_bytes": 4000, "tool_output_bytes": 1000, "usage": usage, "usd": usd}
    times = {"first_token_ms": 300, "tokens_per_s": 80.5, "seconds": 1.25, "stop_reason": "end_turn"}
    return json.dumps({"type": "round", **fields, **times, "calls": list(calls)})


def test_each_call_has_a_row_and_totals_follow() -> None:
    opening = json.dumps({"type": "note", "why": "opening", "calls": [a_call("readfile", paths=["."])]})
    lines = [
        opening,
        a_round(1, a_call("shell", command="ls " * 60), a_call("edit", ok=False)),
        a_round(2),
        '{"type": "ro',
    ]
    rows = table(lines).splitlines()
    assert rows[0] == "opening: 1 calls, 2.5 kB"
    assert rows[1].split() == [
        "round",
        "call",
        "ok",
        "result",
        "ms",
        "in",
        "cached",
        "out",
        "first",
        "tok/s",
        "usd",
        "s",
    ]
    assert rows[2].startswith('1      shell {"command": "ls ls')
    assert "edit {}" in rows[3]
    assert "NO" in rows[3]
    assert rows[4].split()[:2] == ["2", "(end_turn)"]
    assert rows[6:] == [
        "2 rounds, 2 calls (1 failed), 1.0 a round",
        "2,000 tokens read (80% from the cache), 100 written, 25% of what was sent were tool results",
        "$0.0246, 2.5 s in the model, 0.2 s in tools",
    ]


def test_a_run_without_rounds_or_price_has_a_table_too() -> None:
    assert table([]).endswith("no price, 0.0 s in the model, 0.0 s in tools")
    assert "no price" in table([a_round(1, usd=None)])
