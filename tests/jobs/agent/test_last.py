"""A session that was stopped tells what it did, whether tests ran on it, and why it ended."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest
from agent_session import DONE, FIXING, Begin, Played, call

from jobs.agent import last
from jobs.agent.budget import Budget
from jobs.agent.checks import Checks
from jobs.agent.record import Call, CallRecord
from jobs.errors import Stopped
from jobs.outcome import Outcome
from jobs.suite.run import run_suite
from jobs.suite.suite import Suite

TICK = {"calls": [call("shell", command="date +%N")], "repeat": True}
ENDING = {"contains": "This session ends here"}
WORDS = {"when": ENDING, "text": "The sign is right now; the docs are not.", "calls": [call("shell", command="> ran")]}
WORDY = {**TICK, "text": "word " * 900}
SAME = {"calls": [call("shell", command="cat test_calc.py")], "repeat": True}
POOR = Budget(usd=0.15)
GREEN, RED = ({"green": state, "ran": 3} for state in (True, False))


def change(old: str, new: str) -> dict[str, Any]:
    return call(
        "edit", edits=[{"path": "calc.py", "old_string": f"return a {old} b", "new_string": f"return a {new} b"}]
    )


def with_tests(played: Played) -> Played:
    """The session with a real suite, and checks behind each change."""
    cell, suite = played.session.cell, Suite("python3 -m pytest -q -p no:cacheprovider", "pytest", "here")
    played.session.bench.run_tests = lambda tests: run_suite(cell, suite, timeout_s=60, tests=tests)
    return played


def made(tool: str = "edit", *changed: str, **more: Any) -> Call:
    return Call(tool, {}, True, 1, 1, False, None, changed, **more)


@pytest.mark.parametrize(
    ("then", "budget", "ended", "why", "asked"),
    [
        (TICK, Budget(rounds=3), "rounds", "the cap of rounds was reached", False),
        (TICK, POOR, "dollars", "the next request could pass the cap of dollars", True),
        (WORDY, Budget(output=9_000), "tokens", "the cap of tokens was reached", True),
        (TICK, Budget(minutes=5), "minutes", "the cap of minutes was reached", False),
        (SAME, Budget(), "stuck", "the session got stuck", True),
        ({"fault": "empty", "times": 9}, Budget(), "stuck", "the session got stuck", False),
    ],
    ids=["rounds", "dollars", "tokens", "minutes", "stuck", "empty"],
)
def test_every_end_tells_what_was_done_and_why_it_ended(
    start: Begin, then: dict[str, Any], budget: Budget, ended: str, why: str, asked: bool
) -> None:
    seconds = count(0, 50 if ended == "minutes" else 0)
    played = start([WORDS, FIXING, then], budget=budget, clock=lambda: float(next(seconds)))
    attempt = played.session.work()
    assert attempt.ended == ended
    assert f"Stopped: {why}. Changed so far: calc.py.\nNo test ran on the change" in attempt.summary
    assert attempt.summary.startswith(WORDS["text"]) is asked
    assert ("This session ends here" in str(played.endpoint.requests[-1].body["messages"][-1])) is asked
    assert not (played.tree / "ran").exists()
    assert attempt.rounds <= budget.rounds
    assert (attempt.usd or 0) <= (budget.usd or 0)
    assert attempt.usage.output <= budget.output


@pytest.mark.parametrize("fault", ["unauthorized", "overloaded", "cut", "too_long"])
def test_an_endpoint_that_fails_at_the_last_words_takes_nothing_away(start: Begin, fault: str) -> None:
    played = start([{"when": ENDING, "fault": fault, "times": 99, "text": "half " * 9}, FIXING, TICK], budget=POOR)
    attempt = played.session.work()
    assert (attempt.ended, attempt.words) == ("dollars", "")
    assert "Changed so far: calc.py." in attempt.summary
    assert 0 < (attempt.usd or 0) <= 0.15


def test_what_the_endpoint_said_is_not_passed_off_as_the_model_s_words(start: Begin) -> None:
    played = start([{"text": "The sign is wrong.", **FIXING}, {"fault": "too_long", "times": 9}])
    attempt = played.session.work()
    assert attempt.words == "The sign is wrong."
    assert attempt.summary.startswith("The sign is wrong.\nThe model endpoint refused the request")


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        ([[change("-", "*"), call("run_tests")]], "The tests that ran last on it were not green."),
        ([[change("-", "*")], [change("*", "+"), call("run_tests")]], "The tests that ran last on it were green."),
        (
            [[change("-", "+"), call("run_tests")], [change("+", "*")]],
            "The tests that ran last were green, but not on the last change: none ran on that.",
        ),
    ],
    ids=["red", "green", "changed since"],
)
def test_tests_that_the_model_ran_count_for_the_state_that_they_ran_on(
    start: Begin, calls: list[Any], says: str
) -> None:
    played = with_tests(start([{"calls": c} for c in calls], budget=Budget(rounds=len(calls))))
    assert says in played.session.work().summary
    record = played.session.bench.record
    assert record is not None
    rows = [{"calls": [call_.to_trace(n)]} for n, call_ in enumerate(record.calls, 1)]
    assert [c.tests for c in CallRecord.from_trace(map(json.dumps, rows)).calls] == [c.tests for c in record.calls]


def test_a_check_behind_the_change_counts_too(start: Begin) -> None:
    def check(bench: Any) -> Any:
        return Checks(bench, frozenset({"test_calc.py::test_add"})).after

    played = start([FIXING, DONE], budget=Budget(rounds=1), check=check)
    with_tests(played).session.bench.known_tests = ("test_calc.py::test_add",)
    assert "The tests that ran last on it were green." in played.session.work().summary


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        ([made("edit", "a.py"), made("shell")], "No test ran on the change, unless a shell command ran some."),
        ([made("shell"), made("edit", "a.py")], "No test ran on the change."),
        ([made("edit", "a.py", checks={"green": False, "ran": 0})], "The checks that ran last on it were not green."),
        ([made("edit", "a.py", checks=RED), made("run_tests", tests=GREEN)], "some were not"),
        ([made("edit", "a.py", checks=RED), made("edit", "a.py", checks=GREEN)], "ran last on it were green."),
        ([made("edit", "a.py", checks=GREEN), made("shell", "b.py")], "none ran on that, unless a shell command"),
    ],
)
def test_nothing_is_said_of_a_state_that_no_test_ran_on(calls: list[Call], says: str) -> None:
    assert says in last.message("rounds", "", calls, ["a.py"])


def test_a_session_that_was_ended_from_outside_is_not_told_as_done(start: Begin) -> None:
    stopped: list[bool] = []

    def alive() -> None:
        if stopped:
            raise Stopped(Outcome.CANCELLED, "stopped by a person")

    played = start([FIXING, DONE], alive=alive)
    assert played.session.work().ended == "done"
    stopped.append(True)
    with pytest.raises(Stopped):
        played.session.work("It is red.")
    assert played.session.so_far.ended == "stopped"
    assert "Stopped: the session was ended from outside. Changed so far: calc.py." in played.session.so_far.summary
