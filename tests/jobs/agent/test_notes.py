"""What the model is told behind the results of a round, and how a session that was stopped is told."""

from __future__ import annotations

from typing import Any

import pytest
from agent_session import CALC, DONE, FIX, Begin, call

from jobs.agent import last
from jobs.agent.budget import Budget
from jobs.agent.checks import Checked
from jobs.agent.notes import IDLE, Notes
from jobs.agent.record import Call, Seen
from jobs.agent.tools.registry import READING


def made(tool: str = "shell", *, ok: bool = True, **more: Any) -> Call:
    return Call(tool, {}, ok, 1, 1, False, None, more.pop("changed", ()), **more)


def told(notes: Notes, *calls: Call, in_view: bool = True, written: bool = False, tested: bool = True) -> Any:
    return notes.after(calls, in_view=in_view, written=written, tested=tested)


READ = made("readfile", seen={"a.py": Seen("1", None)}, key="read")
GREEN, RED = ({"green": state, "ran": 3, "seconds": 0.1} for state in (True, False))


def test_the_word_on_several_changes_in_one_call_comes_once_and_never_after_a_change() -> None:
    notes = Notes()
    assert told(notes, READ, in_view=False) == ()
    assert told(notes, READ) == ("together",)
    assert told(notes, READ) == ()
    written = Notes()
    assert told(written, made("edit", changed=("a.py",)), written=True) == ()
    assert told(written, READ, written=True) == ()


def test_green_is_told_once_and_once_more_to_who_runs_the_tests_again() -> None:
    notes = Notes(grouped=True)
    assert told(notes, made("edit", changed=("a.py",), checks=RED)) == ()
    assert told(notes, made("edit", changed=("a.py",), checks=GREEN)) == ("green",)
    assert told(notes, made("run_tests")) == ("green_again",)
    assert told(notes, made("run_tests")) == ()
    assert told(notes, made("edit", changed=("b.py",), checks=GREEN)) == ("green",)


def test_where_nothing_was_red_a_test_is_asked_for() -> None:
    change = made("edit", changed=("a.py",), checks=GREEN)
    assert told(Notes(grouped=True), change, tested=False) == ("green_untested",)


def test_rounds_without_a_change_or_anything_new_are_counted() -> None:
    notes = Notes(grouped=True)
    assert told(notes, made()) == ()  # its result is something new
    assert [told(notes, made()) for _ in range(IDLE)] == [()] * (IDLE - 1) + [("idle",)]
    assert told(notes, READ) == ()
    assert [told(notes, made("readfile", unchanged=True, seen=READ.seen)) for _ in range(IDLE)][-1] == ("idle",)


def test_three_failed_edits_in_a_row_get_advice() -> None:
    notes, failed = Notes(grouped=True), made("edit", ok=False)
    assert [told(notes, failed), told(notes, failed, READ), told(notes, failed)] == [(), (), ("failing_edits",)]


def test_a_call_of_which_a_part_landed_is_no_failed_edit() -> None:
    notes, failed = Notes(grouped=True), made("edit", ok=False)
    partly = made("edit", ok=False, changed=("a.py",))
    assert [told(notes, one) for one in (failed, failed, partly, failed, failed)] == [()] * 5
    assert told(notes, failed) == ("failing_edits",)


def test_every_note_stands_at_the_end_and_the_checks_in_the_result(start: Begin) -> None:
    def check(bench: Any) -> Any:
        return lambda changed, told=False: Checked(f"checks: all green for {changed}", True, 1, 0.1)

    edit = call("edit", **FIX)
    played = start([{"calls": [edit, call("shell", command="true")]}, DONE], files=CALC, check=check)
    played.session.work()
    content = played.endpoint.requests[-1].body["messages"][-1]["content"]
    assert [b["type"] for b in content] == ["tool_result", "tool_result", "text"]
    assert content[0]["content"].endswith("checks: all green for ('calc.py',)")
    assert "none of them was red without it" in content[2]["text"]
    (first, _) = played.trace.of("round")
    assert first["calls"][0]["checks"] == {"green": True, "ran": 1, "seconds": 0.1}


def test_what_run_tests_will_tell_is_not_checked_before(start: Begin) -> None:
    asked: list[Any] = []

    def check(bench: Any) -> Any:
        return lambda changed, told=False: asked.append(changed)

    calls = [call("edit", **FIX), call("run_tests"), call("write_file", files=[{"path": "n.py", "content": "x = 1\n"}])]
    start([{"calls": calls}, DONE], files=CALC, check=check).session.work()
    assert asked == [("calc.py", "n.py")]


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        (
            [],
            [
                "Stopped: the next request could pass the cap of dollars. Changed so far: a.py.",
                "No test ran on the change.",
            ],
        ),
        ([made("edit", checks=RED)], ["The tests that ran last on it were not green."]),
        ([made("edit", checks=GREEN), made("edit", ok=False)], ["were green.", "The last calls that failed: edit."]),
    ],
)
def test_the_end_is_told_honestly(calls: list[Call], says: list[str]) -> None:
    text = last.message("dollars", "I tried.", calls, ["a.py"])
    assert text.startswith("I tried.\n")
    assert all(part in text for part in says)
    assert (
        last.message("dollars", "", [], [])
        == "Stopped: the next request could pass the cap of dollars. Nothing was changed."
    )
    assert "Changed so far: a.py, b.py." in last.message("stuck", "", calls, ["a.py", "b.py"])
    assert last.message("done", "It is done.", calls, ["a.py"]) == "It is done."


FIXING_WORDS = ("smallest change", "edit", "make the", "what you changed", "tests", "No test ran", "was changed")


@pytest.mark.parametrize("rounds", [3, 9])
def test_who_may_change_nothing_is_told_nothing_of_changes(start: Begin, rounds: int) -> None:
    steps = [{"calls": [call("shell", command=f"echo {n}")]} for n in range(rounds)]
    played = start([*steps, {"text": ""}], tools=READING, system="ask", budget=Budget(rounds=rounds))
    attempt = played.session.work("Named places are missing.")
    told = "\n".join([*(note["text"] for note in played.trace.of("note")), attempt.summary])
    assert [word for word in FIXING_WORDS if word in told] == []
    assert "This is your last reply" in str(played.endpoint.requests[-1].body["messages"][-1])
    assert attempt.summary == "Stopped: the cap of rounds was reached."


def test_tests_that_ran_green_in_the_same_reply_are_told_of() -> None:
    notes = Notes(grouped=True)
    change, ran = made("edit", changed=("a.py",)), made("run_tests", tests={"green": True, "ran": 3})
    assert told(notes, change, ran, written=True) == ("green",)
    assert told(notes, made("run_tests", tests={"green": True, "ran": 3}), written=True) == ("green_again",)


def test_tests_that_ran_red_in_the_same_reply_are_not() -> None:
    notes = Notes(grouped=True)
    assert told(notes, made("edit", changed=("a.py",)), made("run_tests", tests={"green": False, "ran": 3})) == ()


def test_named_tests_that_ran_green_do_not_stand_for_the_checks() -> None:
    notes = Notes(grouped=True)
    some = Call("run_tests", {"tests": ["a"]}, True, 1, 1, False, None, (), tests={"green": True, "ran": 1})
    assert told(notes, made("edit", changed=("a.py",)), some, written=True) == ()
    assert told(notes, made("edit", changed=("a.py",), checks=RED), some, written=True) == ()
    assert told(notes, made("edit", changed=("a.py",), checks=GREEN), some, written=True) == ("green",)


def test_checks_run_behind_a_change_where_only_named_tests_ran_after_it(start: Begin) -> None:
    asked: list[Any] = []

    def check(bench: Any) -> Any:
        def after(changed: Any, *, told: bool = False) -> Checked:
            asked.append(changed)
            return Checked("checks: 1 red", False, 1, 0.1)

        return after

    run = call("run_tests", tests=["test_calc.py::test_add"])
    start([{"calls": [call("edit", **FIX), run]}, DONE], check=check).session.work()
    assert asked == [("calc.py",)]


def test_calls_that_say_something_new_are_not_idle() -> None:
    notes = Notes(grouped=True)
    for n in range(2 * IDLE):
        assert told(notes, made(key="k", result=str(n))) == ()
    for _ in range(IDLE - 1):
        assert told(notes, made(key="k", result="0")) == ()
    assert told(notes, made(key="k", result="0")) == ("idle",)
