"""A suite's report as the model reads it."""

from __future__ import annotations

from jobs.agent.tools.reds import folded, place, told
from jobs.suite.report import Report, State

PYTEST = "    def test(): f()\nlib/a.py:7: in f\n    raise ValueError(x)\nE   ValueError: x\n\nlib/a.py:9: ValueError"
NODE = "AssertionError: 1 !== 2\n    at t (test/a.js:3:5)\n    at run (node:internal/x:1:1)"


def report(**failures: str) -> Report:
    states: dict[str, State] = dict.fromkeys(failures, "failed")
    return Report("t", 1, "exit", 1.0, "", states, failures)


def test_failures_at_one_place_with_one_message_are_shown_once() -> None:
    text = told(report(a=PYTEST, b=PYTEST, c=PYTEST.replace("x\n\n", "y\n\n"), d="no frame", e="no frame"), "x").text
    assert text.count("RED ") == 4
    assert "RED a\n" in text
    assert "and 1 more at the same place: b" in text


def test_place_is_the_innermost_frame_and_the_message() -> None:
    assert place(PYTEST) == ("lib/a.py:9", "E   ValueError: x")
    assert place(NODE) == ("at t (test/a.js:3:5)", "AssertionError: 1 !== 2")
    traceback = 'Traceback\n  File "/src/t.py", line 3, in f\n    g()\nValueError: bad'
    assert place(traceback) == ("/src/t.py:3", "ValueError: bad")


def test_red_tests_of_something_else_are_named_in_one_line() -> None:
    text = told(report(a="mine", b="theirs"), "whole suite", {"b"}).text
    assert "RED a\nmine" in text
    assert text.endswith("also red on the base, not about this request as far as words tell: b")
    assert "theirs" not in text


def test_runs_of_ok_lines_are_folded() -> None:
    rows = ["TAP version 13", *(f"ok {n} - fine" for n in range(9)), "not ok 9 - bad", "ok 10 - a", "ok 11 - b"]
    assert folded("\n".join(rows)).split("\n") == [
        "TAP version 13",
        "[… 9 lines that begin with ok …]",
        "not ok 9 - bad",
        "ok 10 - a",
        "ok 11 - b",
    ]


def test_a_green_suite_without_ids_shows_the_end_of_its_output() -> None:
    output = "\n".join(f"line {n}" for n in range(40))
    green = Report("make", 0, "exit", 1.0, output, None, {})
    assert told(green, "whole suite").text.endswith("\n\n" + "\n".join(f"line {n}" for n in range(25, 40)))
    assert "line" not in told(Report("t", 0, "exit", 1.0, output, {"a": "passed"}, {}), "whole suite").text
