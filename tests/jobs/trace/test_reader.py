"""Reading traces back: calls as sessions write them, wrong shapes in one sentence, ends that are missing."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest

from app.local.replay import Wanted, replayed
from jobs.agent.record import Call
from jobs.agent.seen import Seen
from jobs.errors import UserError
from jobs.trace.account import account
from jobs.trace.bodies import requests
from jobs.trace.reader import TracedCall, read

GREEN, RED = {"green": True, "ran": 3}, {"green": False, "ran": 3}
END = '{"type": "run.finished", "outcome": "fixed"}'


def made(tool: str = "edit", **more: Any) -> Call:
    """A call whose every field has a value of its own."""
    whole: dict[str, Any] = {
        "tool": tool,
        "args": {"paths": ["a.py"]},
        "ok": False,
        "ms": 7,
        "result_bytes": 90,
        "cut": True,
        "rung": "blank",
        "changed_files": ("a.py",),
        "seen": {"a.py": Seen.diff("2", "1", [(3, 4)], [(1, 2, 1)]), "b.py": Seen.whole("3"), "c.py": Seen.pointer()},
        "key": "k",
        "result": "r",
        "unchanged": True,
        "checks": {**GREEN, "seconds": 0.5},
        "tests": RED,
    }
    return Call(**{**whole, **more})


def through(call: Call) -> TracedCall:
    """The call as it comes back from a trace."""
    return TracedCall.model_validate_json(json.dumps(call.to_trace(4)))


def test_a_call_comes_back_from_its_trace_whole() -> None:
    call = made()
    back = through(call)
    plain = ("tool", "args", "ok", "ms", "result_bytes", "cut", "rung", "changed_files", "key", "result", "unchanged")
    assert all(getattr(back, name) == getattr(call, name) for name in plain)
    assert back.number == 4
    assert {path: Seen(s.sha256, s.spans, s.before, s.kept) for path, s in back.seen.items()} == call.seen
    assert back.checks is not None
    assert back.tests is not None
    assert (back.checks.green, back.checks.ran, back.checks.seconds) == (True, 3, 0.5)
    assert (back.tests.green, back.tests.ran) == (False, 3)


def test_the_reader_has_every_field_that_is_written() -> None:
    assert set(TracedCall.model_fields) == set(made().to_trace(1)) == {f.name for f in fields(Call)} | {"number"}


@pytest.mark.parametrize(
    ("checks", "tests", "green"),
    [
        (None, GREEN, True),
        (None, RED, False),
        (None, {"green": True, "ran": 0}, True),  # a suite without ids
        (GREEN, None, True),
        (RED, GREEN, False),  # the checks ran behind it
        ({"green": False, "ran": 0}, None, None),  # nothing ran
        (None, None, None),
    ],
)
def test_green_is_what_ran_last(checks: Any, tests: Any, green: bool | None) -> None:
    assert through(made(checks=checks, tests=tests)).green is green


def test_tests_again_after_green_tests_are_waste() -> None:
    asked = {"ok": True, "unchanged": False, "changed_files": (), "seen": {}, "checks": None, "cut": False}
    first, second = (made("run_tests", **asked, args={}, tests=GREEN, result=n) for n in ("1", "2"))
    lines = [json.dumps({"type": "round", "n": n, "calls": [c.to_trace(n)]}) for n, c in enumerate((first, second), 1)]
    told = account([*lines, END])
    assert told["waste"]["verifying after green"]["rounds"] == [2]
    assert told["waste"]["repeats"]["rounds"] == []


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "7",
        '"round"',
        "null",
        "{}",
        '{"type": 3}',
        '{"type": "round", "calls": 5}',
        '{"type": "round", "calls": [5]}',
        '{"type": "round", "calls": {"tool": "edit"}}',
        '{"type": "round", "calls": [{"tool": 1}]}',
        '{"type": "round", "calls": [{"tool": "edit", "seen": [1]}]}',
        '{"type": "round", "calls": [{"tool": "edit", "seen": {"a": {"spans": [1]}}}]}',
        '{"type": "round", "calls": [{"tool": "edit", "changed_files": "a"}]}',
        '{"type": "round", "calls": [{"tool": "edit", "checks": {"green": "yes", "ran": 1}}]}',
        '{"type": "round", "n": "one"}',
        '{"type": "round", "n": 1.5}',
        '{"type": "round", "usd": "dear"}',
        '{"type": "round", "usd": NaN}',
        '{"type": "round", "usage": 4}',
        '{"type": "round", "usage": {"input": "all"}}',
        '{"type": "round", "request": 4}',
        '{"type": "round", "request": {"kept": 0}}',
        '{"type": "round", "request": {"system": "a", "tools": "b", "kept": -1, "added": [], "max_tokens": 5}}',
        '{"type": "body"}',
        '{"type": "body", "hash": "1", "body": 4}',
        '{"type": "body", "hash": "1", "body": {"role": "user"}}',
        '{"type": "body", "hash": "1", "body": {"role": "user", "content": [4]}}',
        '{"type": "note", "cleared": 4}',
        '{"type": "note", "calls": "none"}',
        '{"type": "hunk"}',
        '{"type": "rou',
        "[" * 100_000,
    ],
    ids=lambda line: line[:60],
)
def test_what_no_trace_holds_is_one_sentence_with_its_line(line: str) -> None:
    lines = ['{"type": "run.started", "run": "r-1"}', line, END]
    for reads in (account, requests, lambda given: replayed(given, Wanted())):
        with pytest.raises(
            UserError, match=r"\ALine 2 is no event of a trace \(.*\): give the file that --trace wrote"
        ):
            reads(lines)  # type: ignore[operator]


def test_unknown_events_and_fields_are_of_later_versions_and_pass() -> None:
    lines = ['{"type": "weather", "calls": 5}', '{"type": "round", "n": 1, "sky": [], "usd": null}', END]
    assert len(read(lines).events) == 3
    assert account(lines)["totals"]["rounds"] == 1


@pytest.mark.parametrize(
    ("lines", "early"),
    [
        (['{"type": "round"}', END], None),
        (['{"type": "run.started"}', END, '{"type": "body", "hash": "1", "body": []}'], None),
        (['{"type": "round"}', END[:20]], "its last line is unfinished"),
        ([END, '{"type": "rou'], "its last line is unfinished"),
        (['{"type": "round"}'], "its run.finished event is missing"),
        ([END, '{"type": "run.started"}'], "its run.finished event is missing"),
        ([], "its run.finished event is missing"),
    ],
    ids=["whole", "a body behind", "cut", "cut behind the end", "no end", "a second run without end", "empty"],
)
def test_a_missing_end_is_told(lines: list[str], early: str | None) -> None:
    assert read(lines).early == early
