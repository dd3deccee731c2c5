"""What never ends by itself is ended, and no cap is ever passed."""

from __future__ import annotations

from typing import Any

import pytest
from agent_session import CALC, DONE, Begin, call, results

from jobs.agent.budget import Budget

MODEL = "claude-sonnet-4-5"  # with a window of 200,000 tokens


def forever(*calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A script that makes these calls in turn, over and over."""
    turns = [(turn, calls[(turn - 1) % len(calls)]) for turn in range(1, 40)]
    return [{"calls": c, "when": {"turn": turn}, "repeat": True} for turn, c in turns]


READ, LOOK = [call("readfile", paths=["calc.py"])], [call("search", patterns=["add"])]


@pytest.mark.parametrize(
    ("calls", "rounds"),
    [
        ([[call("shell", command="cat calc.py")]], 4),
        ([[call("nosuchtool")]], 4),
        ([[call("edit", edits=[{"path": "calc.py", "old_string": "nothing", "new_string": "x"}])]], 4),
        ([READ], 4),
        ([[call("readfile", paths=["./calc.py"])], [call("readfile", paths=["/src/calc.py"])]], 4),
        ([READ, LOOK], 7),
        ([READ, LOOK, [call("shell", command="true")]], 10),
        ([READ, LOOK, [call("shell", command="true")], [call("shell", command="false")]], 13),
    ],
    ids=["shell", "no tool", "edit", "read", "read by other names", "a-b", "a-b-c", "a-b-c-d"],
)
def test_the_fourth_time_of_the_same_thing_is_not_run(start: Begin, calls: list[Any], rounds: int) -> None:
    played = start(forever(*calls))
    attempt = played.session.work()
    assert (attempt.ended, attempt.rounds, attempt.calls) == ("stuck", rounds + 1, rounds - 1)  # and the last words
    assert "not run: this same call gave the same result three times" in results(played)[-1]
    assert "Stopped: the session got stuck." in attempt.summary


def test_advice_comes_with_the_second_and_a_warning_with_the_third(start: Begin) -> None:
    played = start(forever([call("shell", command="cat calc.py")]))
    played.session.work()
    first, second, third, _ = results(played)[-4:]
    assert "This same command printed the same before" not in first
    assert "This same command printed the same before" in second
    assert "A fourth time ends the session." not in second
    assert "A fourth time ends the session." in third


def test_the_same_call_after_a_change_is_no_repeat(start: Begin) -> None:
    change = [call("shell", command="echo 1 >> own.txt")]
    steps = [{"calls": c} for _ in range(5) for c in ([call("shell", command="cat calc.py")], change)]
    assert start([*steps, DONE]).session.work().ended == "done"


def test_prose_without_an_end_is_the_last_word(start: Begin) -> None:
    played = start([{"text": "I will look at it next.", "repeat": True}])
    assert (played.session.work().ended, len(played.endpoint.requests)) == ("done", 1)


def test_a_cut_in_between_loosens_neither_caps_nor_the_detector(start: Begin) -> None:
    big = {f"big{n}.txt": f"{n} {'lorem ' * 12}\n" * 690 for n in range(11)}
    reads = [{"calls": [call("readfile", ranges=[{"path": p, "start": 1, "end": 690}])]} for p in big]
    again = {"calls": [call("readfile", ranges=[{"path": "big0.txt", "start": 1, "end": 690}])], "repeat": 9}
    played = start([*reads, again], files={**CALC, **big}, model=MODEL, budget=Budget(usd=20))
    attempt = played.session.work()
    assert "cut" in [note["why"] for note in played.trace.of("note")]
    # Eleven; what was cleared may be read again as if for the first time, and three times in vain; the last words.
    assert (attempt.ended, attempt.rounds) == ("stuck", 16)


@pytest.mark.parametrize("cap", [1, 2, 7])
def test_never_a_call_above_the_cap_of_rounds(start: Begin, cap: int) -> None:
    played = start([{"calls": [call("shell", command="date +%N")], "repeat": True}], budget=Budget(rounds=cap))
    attempt = played.session.work()
    assert (attempt.ended, attempt.rounds, len(played.endpoint.requests)) == ("rounds", cap, cap)


@pytest.mark.parametrize("usd", [0.05, 0.08, 0.15])
def test_never_a_dollar_above_the_bound_whatever_fails_in_between(start: Begin, usd: float) -> None:
    steps: list[dict[str, Any]] = [
        {"fault": "overloaded", "times": 2},
        {"fault": "cut", "text": "half a thought " * 60, "times": 2},
        {"fault": "mid_stream_overloaded", "text": "another " * 40},
        {"calls": [call("shell", command="date +%N")], "repeat": True},
    ]
    played = start(steps, budget=Budget(usd=usd))
    attempt = played.session.work()
    assert attempt.ended == "dollars"
    assert 0 < (attempt.usd or 0) <= usd


def test_never_a_token_above_the_cap_of_output(start: Begin) -> None:
    steps = [{"text": "word " * 900, "calls": [call("shell", command="date +%N")], "repeat": True}]
    played = start(steps, budget=Budget(output=12_000))
    attempt = played.session.work()
    assert attempt.ended == "tokens"
    assert attempt.usage.output <= 12_000


def test_the_last_reply_is_announced_and_its_calls_still_run(start: Begin) -> None:
    steps = [{"calls": [call("shell", command=f"echo {n} >> log")]} for n in range(9)]
    played = start(steps, budget=Budget(rounds=3))
    attempt = played.session.work()
    assert "One reply is left." in str(played.endpoint.requests[-1].body["messages"][-1])
    assert played.text("log") == "0\n1\n2\n"
    assert "Stopped: the cap of rounds was reached. Changed so far: log." in attempt.summary
