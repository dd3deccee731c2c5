"""The loop: what is asked, what is run, and how it ends."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from agent_session import CALC, DONE, FIX, FIXING, Begin, call, results

from jobs.agent.budget import Budget
from jobs.agent.context import Context
from jobs.errors import EnvironmentFault, Stopped
from jobs.model.usage import Usage
from jobs.outcome import Outcome
from jobs.suite.report import Report
from jobs.suite.run import run_suite
from jobs.suite.suite import Suite


def test_a_bug_is_fixed_and_the_last_words_are_the_summary(start: Begin) -> None:
    played = start([FIXING, DONE])
    attempt = played.session.work()
    assert (attempt.ended, attempt.summary, attempt.rounds, attempt.calls) == ("done", "The sign was wrong.", 2, 1)
    assert played.text("calc.py") == "def add(a, b):\n    return a + b\n"


def test_the_first_request_already_holds_the_whole_small_repository(start: Begin) -> None:
    played = start([DONE])
    played.session.work()
    first, opening, shown = played.endpoint.requests[0].body["messages"]
    assert first["content"][0]["text"].startswith('<request kind="fix">\nadd is wrong')
    assert [b["name"] for b in opening["content"]] == ["readfile", "readfile"]
    assert all(content in str(shown) for content in ("return a - b", "def test_add", "calc.py (2 lines)"))


def test_the_baseline_is_shown_verbatim_in_the_opening(start: Begin) -> None:
    report = Report(
        "pytest", 1, "exit", 0.5, "", {"test_calc.py::test_add": "failed"}, {"test_calc.py::test_add": "assert -1 == 3"}
    )
    played = start([DONE], context=Context(baseline=report, suite="pytest"))
    played.session.work()
    assert "RED test_calc.py::test_add\nassert -1 == 3" in results(played)[1]


def test_calls_of_one_reply_run_in_order_and_a_failed_one_stops_nothing(start: Begin) -> None:
    calls = [
        call("shell", command="echo one > log"),
        call("nosuchtool"),
        call("shell", command="echo two >> log; cat log"),
    ]
    played = start([{"calls": calls}, DONE])
    played.session.work()
    first, second, third = results(played)[-3:]
    assert (first.split(" after")[0], second.split(": ")[0], third.splitlines()[1:3]) == (
        "[call 3] shell: exit code 0",
        "[call 4] nosuchtool FAILED",
        ["one", "two"],
    )
    answered = played.endpoint.requests[-1].body["messages"][-1]["content"]
    assert [b.get("is_error", False) for b in answered] == [False, True, False]


def test_feedback_goes_back_and_the_session_goes_on(start: Begin) -> None:
    played = start([DONE, {"when": {"contains": "test_add is red"}, **FIXING}, {"text": "Now it is right."}])
    assert played.session.work().summary == "The sign was wrong."
    attempt = played.session.work("test_add is red")
    assert (attempt.summary, attempt.rounds) == ("Now it is right.", 3)
    assert played.text("calc.py").endswith("a + b\n")


def test_every_request_is_a_prefix_of_the_next_one(start: Begin) -> None:
    steps = [{"calls": [call("shell", command=f"echo {n}"), call("search", patterns=[f"x{n}"])]} for n in range(6)]
    played = start([*steps, DONE])
    attempt = played.session.work()
    bodies = [plain(r.body) for r in played.endpoint.requests]
    assert all(b["messages"][: len(a["messages"])] == a["messages"] for a, b in pairwise(bodies))
    assert len({json.dumps([b["system"], b["tools"]]) for b in bodies}) == 1
    assert attempt.usage.cache_read / attempt.usage.total_input > 0.7


def plain(node: Any) -> Any:
    """Without cache markers, which are no part of what is cached."""
    if isinstance(node, dict):
        return {k: plain(v) for k, v in node.items() if k != "cache_control"}
    return [plain(n) for n in node] if isinstance(node, list) else node


def test_thinking_goes_back_exactly_as_it_came(start: Begin) -> None:
    played = start([{"thinking": "A minus where a plus belongs. " * 9, **FIXING}, DONE])
    played.session.work()
    sent = played.endpoint.requests[-1].body["messages"][3]["content"]
    assert [b["type"] for b in sent] == ["thinking", "tool_use"]
    assert sent[0]["thinking"] == "A minus where a plus belongs. " * 9


def test_rounds_are_capped_exactly(start: Begin) -> None:
    played = start([{"calls": [call("shell", command="date +%N")], "repeat": True}], budget=Budget(rounds=3))
    assert played.session.work().ended == "rounds"
    assert len(played.endpoint.requests) == 3


def test_dollars_are_never_passed(start: Begin) -> None:
    played = start([{"calls": [call("shell", command="date +%N")], "repeat": True}], budget=Budget(usd=0.12))
    attempt = played.session.work()
    assert attempt.ended == "dollars"
    assert 0 < (attempt.usd or 0) <= 0.12
    *rounds, last = [r.body["max_tokens"] for r in played.endpoint.requests]
    assert min(rounds) >= 4000
    assert last == 1500
    assert "Stopped: the next request could pass the cap of dollars. Nothing was changed." in attempt.summary


def test_output_shrinks_to_what_is_left_to_spend(start: Begin) -> None:
    played = start([DONE], budget=Budget(usd=0.14))
    played.session.work()
    assert 4000 <= played.endpoint.requests[0].body["max_tokens"] < 16000


def test_minutes_are_checked_before_each_call(start: Begin) -> None:
    clock = iter(range(0, 10_000, 50))
    played = start(
        [{"calls": [call("shell", command="date +%N")], "repeat": True}],
        clock=lambda: next(clock),
        budget=Budget(minutes=5),
    )
    assert played.session.work().ended == "minutes"


def test_a_model_without_a_price_is_held_by_tokens(start: Begin) -> None:
    script = [{"calls": [call("shell", command="date +%N")], "repeat": True}]
    played = start(script, model="some-model", budget=Budget(tokens=12_000))
    attempt = played.session.work()
    assert (attempt.ended, attempt.usd) == ("tokens", None)


def test_one_call_forever_is_not_run_a_fourth_time(start: Begin) -> None:
    played = start([{"calls": [call("shell", command="cat calc.py")], "repeat": True}])
    attempt = played.session.work()
    assert (attempt.ended, attempt.rounds, attempt.calls) == ("stuck", 5, 3)  # four replies and the last words


def test_two_calls_in_turn_forever_are_stopped_too(start: Begin) -> None:
    both = [
        {"calls": [call("shell", command=c)], "repeat": 9, "when": {"turn": t}}
        for t in range(1, 12)
        for c in [f"echo {t % 2}"]
    ]
    attempt = start(both).session.work()
    assert (attempt.ended, attempt.rounds) == ("stuck", 8)  # seven replies and the last words


def test_polling_that_changes_is_no_loop(start: Begin) -> None:
    poll = {"calls": [call("shell", command="echo x >> /src/n; wc -l < n")], "repeat": 8}
    assert start([poll, DONE]).session.work().ended == "done"


def test_a_call_cut_in_its_json_is_never_run(start: Begin) -> None:
    played = start([{"fault": "max_tokens", "calls": [{"name": "edit", "input": FIX}]}, FIXING, DONE])
    attempt = played.session.work()
    assert (attempt.ended, attempt.rounds) == ("done", 3)
    sent = [r.body["max_tokens"] for r in played.endpoint.requests]
    assert sent == [16000, 32000, 16000]
    assert "was cut at its limit of 16000" in str(played.endpoint.requests[1].body["messages"][-1])


def test_empty_replies_end_after_three(start: Begin) -> None:
    played = start([{"fault": "empty", "times": 9}])
    assert played.session.work().ended == "stuck"
    assert len(played.endpoint.requests) == 3


def test_a_refusal_ends_the_session_with_its_words(start: Begin) -> None:
    attempt = start([{"fault": "refusal", "text": "I can't help with this."}]).session.work()
    assert (attempt.ended, attempt.summary.splitlines()[0]) == ("stuck", "I can't help with this.")


def test_a_request_that_became_too_long_ends_honestly(start: Begin) -> None:
    attempt = start([FIXING, {"fault": "too_long"}]).session.work()
    assert (attempt.ended, attempt.rounds) == ("stuck", 1)
    assert "prompt is too long" in attempt.summary


def test_a_dead_key_stops_at_once(start: Begin) -> None:
    played = start([{"fault": "unauthorized", "times": 9}])
    with pytest.raises(EnvironmentFault, match="model key was refused"):
        played.session.work()
    assert len(played.endpoint.requests) == 1


def test_what_a_broken_stream_cost_is_charged(start: Begin) -> None:
    played = start([{"fault": "cut", "text": "half a thought " * 40}, DONE])
    attempt = played.session.work()
    assert attempt.rounds == 1
    assert attempt.usage.output > 0
    one = played.endpoint.cache.count(played.endpoint.requests[0].body)
    assert attempt.usage.total_input == 2 * (one.read + one.fresh + one.written_5m + one.written_1h)


def test_a_stop_command_ends_before_the_next_call(start: Begin) -> None:
    def stop() -> None:
        raise Stopped(Outcome.CANCELLED, "stopped by a person")

    played = start([DONE], alive=stop)
    with pytest.raises(Stopped):
        played.session.work()
    assert played.endpoint.requests == []


def test_each_round_is_traced_whole(start: Begin) -> None:
    played = start([FIXING, DONE])
    attempt = played.session.work()
    first, second = played.trace.of("round")
    assert set(first) >= {"n", "model", "request_bytes", "tool_output_bytes", "usd", "first_token_ms", "tokens_per_s"}
    assert {k: first["calls"][0][k] for k in ("tool", "ok", "rung", "changed_files")} == {
        "tool": "edit", "ok": True, "rung": "exact", "changed_files": ["calc.py"],
    }  # fmt: skip
    assert first["usd"] + second["usd"] == pytest.approx(attempt.usd)
    total = Usage(
        *(sum(r["usage"][k] for r in (first, second)) for k in ("input", "output", "cache_read", "cache_write"))
    )
    assert (total.input, total.output, total.cache_read) == (
        attempt.usage.input,
        attempt.usage.output,
        attempt.usage.cache_read,
    )
    assert second["tool_output_bytes"] > first["tool_output_bytes"] > 0


def test_an_unread_file_is_not_changed_but_shown(start: Begin) -> None:
    big = {f"part{n}.py": "x = 1\n" * 4000 for n in range(4)} | CALC
    blind = {"edits": [{"path": "part3.py", "old_string": "x = 1\nx = 1\n", "new_string": "x = 2\n"}]}
    played = start([{"calls": [{"name": "edit", "input": blind}]}, DONE], files=big)
    played.session.work()
    assert "was not read before. Nothing was written" in results(played)[-1]
    assert played.text("part3.py") == "x = 1\n" * 4000


def test_what_the_suite_left_is_told_apart_from_what_the_agent_wrote(start: Begin) -> None:
    calls = [call("run_tests"), call("shell", command="echo mine > log.txt; echo mine > own.txt")]
    played = start([{"calls": calls}, DONE])
    suite = Suite("touch coverage.txt log.txt", "other", "here")
    cell = played.session.cell
    played.session.bench.run_tests = lambda tests: run_suite(cell, suite, timeout_s=60, tests=tests)
    played.session.work()
    assert played.session.left_by_tests == {"coverage.txt"}
