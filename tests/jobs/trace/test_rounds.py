"""The table of rounds."""

from __future__ import annotations

import json
from typing import Any

from story_42 import trace

from jobs.trace.rounds import table


def a_call(tool: str, ok: bool = True, **args: Any) -> dict[str, Any]:
    fields = {"ok": ok, "ms": 120, "result_bytes": 2500, "cut": not ok, "rung": None, "changed_files": []}
    return {"tool": tool, "args": args, **fields}


def a_round(n: int, *calls: dict[str, Any], usd: float | None = 0.0123) -> str:
    usage = {"input": 100, "output": 50, "cache_read": 800, "cache_write": 100}
    fields = {"n": n, "model": "m", "request_bytes": 4000, "tool_output_bytes": 1000, "usage": usage, "usd": usd}
    times = {"first_token_ms": 300, "tokens_per_s": 80.5, "seconds": 1.25, "stop_reason": "end_turn"}
    return json.dumps({"type": "round", **fields, **times, "calls": list(calls)})


def test_each_call_has_a_row_and_totals_follow() -> None:
    opening = json.dumps({"type": "note", "why": "opening", "calls": [a_call("readfile", paths=["."])]})
    first = a_round(1, a_call("shell", command="ls " * 60), a_call("edit", ok=False))
    rows = table([opening, first, a_round(2), '{"type": "ro']).splitlines()
    assert rows[0] == "opening: 1 calls, 2.5 kB"
    assert " ".join(rows[1].split()) == "round call ok result ms in cached tools out first tok/s usd s"
    assert rows[2].startswith('1      shell {"command": "ls ls')
    assert rows[2].split()[-9:] == ["1,000", "80%", "25%", "50", "300", "ms", "80.5", "$0.0123", "1.2"]
    assert "edit {}" in rows[3]
    assert "NO" in rows[3]
    assert "2.5 kB cut" in rows[3]
    assert rows[4].split()[:2] == ["2", "(end_turn)"]
    assert rows[6:9] == [
        "2 rounds, 2 calls (1 failed), 2.0 a round with calls",
        "2,000 tokens read (80% from the cache), 100 written, 25% of what was sent were tool results",
        "$0.0246, 2.5 s in the model, 0.2 s in tools",
    ]
    assert rows[-3:] == [
        "no round was wasted in a way that is known here, as far as the trace goes",
        "",
        "this trace ends early (its last line is unfinished): what came after it is not counted",
    ]


def test_a_whole_run_without_waste_is_told_plainly() -> None:
    text = table([a_round(1), '{"type": "run.finished", "outcome": "answered"}'])
    assert text.endswith("\nno round was wasted in a way that is known here")


def test_a_trace_without_its_end_is_told_and_what_follows_the_last_change_is_not_judged() -> None:
    whole = trace()
    text = table([line for line in whole if "run.finished" not in line])
    assert text.endswith("this trace ends early (its run.finished event is missing): what came after it is not counted")
    last = "spend after the last surviving change"
    assert last in table(whole)
    assert last not in text


def test_wasted_rounds_are_marked_and_told_by_class() -> None:
    text = table(trace())
    rows = [" ".join(row.split()) for row in text.splitlines()]
    assert [row.split()[0] for row in rows[2:12]] == ["1", "2*", "3*", "4*", "5*", "6", "search", "7", "8*", "9*"]
    assert "failed edits 4 $0.0400 8, 9, 10, 11" in rows
    assert "small steps 2 $0.0200 17, 18, 19" in rows
    assert text.endswith("28 of 42 rounds wasted (marked *), 67%, $0.2800; a round in several classes counts once")


def test_a_run_without_rounds_or_price_has_a_table_too() -> None:
    assert "no price, 0.0 s in the model, 0.0 s in tools" in table([])
    assert "no price" in table([a_round(1, usd=None)])


def test_rounds_of_older_traces_have_rows_too() -> None:
    assert (
        table(['{"type": "round", "n": 1, "calls": [{"tool": "shell"}]}', '{"type": "round"}']).count("no price") == 3
    )


def test_what_a_terminal_would_obey_is_not_printed() -> None:
    assert "\x1b" not in table([a_round(1, a_call("shell\x1b[2J", command="x"))])
