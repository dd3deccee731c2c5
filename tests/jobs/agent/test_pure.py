"""The agent's pure rules: budget, stuck detector, record, context, prompts."""

from __future__ import annotations

import json

import pytest

from jobs.agent.budget import LAST_OUTPUT, Allowance, Budget, Spent, allowance
from jobs.agent.context import Context, Pick, likeliest
from jobs.agent.prompt import render
from jobs.agent.record import Call, CallRecord, Seen
from jobs.agent.stuck import Stuck
from jobs.agent.tools.inside import Listed
from jobs.agent.tools.registry import TOOLS, blocks
from jobs.agent.tools.search import Found, Group
from jobs.model.base import Ceiling
from jobs.model.usage import Usage
from jobs.suite.report import Report
from jobs.tasks.task import Task

NOTHING = Found((), 0, False, (), "")


def dollars(tokens: int) -> float:
    return (1000 + tokens) / 2**17


def priced(tokens: int) -> Ceiling:
    return Ceiling(1000 + tokens, dollars(tokens))


@pytest.mark.parametrize(
    ("budget", "spent", "elapsed_s", "expected"),
    [
        (Budget(), Spent(), 0, Allowance(16000, 2.0 - dollars(LAST_OUTPUT))),
        (Budget(rounds=2), Spent(rounds=2), 0, Allowance(ended="rounds")),
        (Budget(minutes=1), Spent(), 60, Allowance(ended="minutes")),
        (Budget(usd=0.03), Spent(), 0, Allowance(ended="dollars")),
        (Budget(usd=13500 / 2**17), Spent(), 0, Allowance(10000, 11000 / 2**17)),
        (Budget(output=20_000), Spent(usage=Usage(output=10_000)), 0, Allowance(8500, 2.0 - dollars(LAST_OUTPUT))),
        (Budget(output=20_000), Spent(usage=Usage(output=15_000)), 0, Allowance(ended="tokens")),
        (Budget(usd=1.0), Spent(usd=0.97), 0, Allowance(ended="dollars")),
        (Budget(usd=None), Spent(usd=99.0), 0, Allowance(16000)),
    ],
)
def test_the_next_call_gets_what_the_caps_leave(
    budget: Budget, spent: Spent, elapsed_s: float, expected: Allowance
) -> None:
    assert allowance(budget, spent, elapsed_s, 16000, priced) == expected


def test_a_repeat_counts_only_with_the_same_result_and_tree() -> None:
    stuck = Stuck()
    counts = [stuck.after("shell", {"command": "make"}, tree, out) for tree, out in ["aX", "aX", "aY", "bX", "aX"]]
    assert counts == [1, 2, 1, 1, 3]
    assert stuck.before("shell", {"command": "make"}, "a") == 3
    assert stuck.before("shell", {"command": "make"}, "c") == 0


def test_durations_and_addresses_do_not_make_a_result_new() -> None:
    stuck = Stuck()
    stuck.after("run_tests", {}, "t", "1 failed; 0.31 s <f at 0x7f00aa>")
    assert stuck.after("run_tests", {}, "t", "1 failed; 1.02 s <f at 0x7f11bb>") == 2


def record(**seen: str | None) -> CallRecord:
    shown = {path: Seen.whole(sha) if sha else Seen.pointer() for path, sha in seen.items()}
    return CallRecord([Call("readfile", {}, True, 1, 10, False, None, (), shown)])


@pytest.mark.parametrize(
    ("seen", "expected"), [({}, "never"), ({"a": "1"}, "same"), ({"a": "2"}, "changed"), ({"a": None}, "glimpsed")]
)
def test_knowledge_of_a_file_is_read_from_the_calls(seen: dict[str, str | None], expected: str) -> None:
    assert record(**seen).knowledge("a", "1") == expected


def test_the_record_survives_the_trace() -> None:
    kept = record(a="1", b=None)
    lines = [
        json.dumps({"type": "round", "calls": [c.to_trace(n) for n, c in enumerate(kept.calls, 1)]}),
        '{"type": "rou',
    ]
    assert CallRecord.from_trace(lines) == kept


def test_a_large_repository_is_shown_by_what_the_failure_and_request_name() -> None:
    listing = [Listed(f"lib/m{n}.py", 9_000, 300) for n in range(20)] + [Listed("poetry.lock", 50, 2)]
    report = Report("t", 1, "exit", 1.0, "", {"t": "failed"}, {"t": 'File "/src/lib/m7.py", line 3\nlib/m7.py:9: x'})
    hits = tuple((n, True, "x") for n in range(1, 9))
    found = Found((Group("lib/m2.py", hits), Group("lib/m3.py", hits[:1])), 9, False, (), "")
    chosen = likeliest(Task("fix", "see lib/m5.py", ""), Context(baseline=report), listing, found)
    assert [p.path for p in chosen] == ["lib/m7.py", "lib/m5.py"]
    assert [p.path for p in likeliest(Task("fix", "x", ""), Context(), listing, found)] == ["lib/m2.py"]


def test_the_source_is_shown_whole_and_a_long_test_file_around_its_failures() -> None:
    listing = [Listed("parse.py", 40_000, 1081), Listed("tests/test_parse.py", 27_000, 785)]
    trace = "tests/test_parse.py:618: \nparse.py:960: in parse\nparse.py:204: ValueError"
    report = Report("t", 1, "exit", 1.0, "", {"tests/test_parse.py::t": "failed"}, {"tests/test_parse.py::t": trace})
    chosen = likeliest(Task("fix", "x", ""), Context(baseline=report), listing, NOTHING)
    assert chosen == (Pick("tests/test_parse.py", ((588, 648),)), Pick("parse.py"))


def test_a_module_that_the_request_imports_is_shown_whole_and_its_users_around_their_uses() -> None:
    listing = [Listed("pkg/types.py", 9_000, 300), Listed("pkg/cache.py", 30_000, 900), Listed("big.bin", 60_000, 1)]
    hits = (Group("pkg/cache.py", ((500, True, "X = make_it()"),)),)
    task = Task("fix", "A copy is another one", "from pkg.types import make_it")
    chosen = likeliest(task, Context(), listing, Found(hits, 1, False, (), ""))
    assert chosen[0] == Pick("pkg/types.py")
    assert all(pick.spans for pick in chosen[1:])


def test_a_small_repository_is_shown_whole_without_lock_files() -> None:
    listing = [Listed("b.py", 10, 1), Listed("uv.lock", 99, 9), Listed("img.png", 5, None)]
    assert likeliest(Task("fix", "x", ""), Context(), listing, NOTHING) == (Pick("b.py"),)


def test_prompts_need_every_name() -> None:
    with pytest.raises(KeyError):
        render("cut")


def test_prompt_and_descriptions_are_short() -> None:
    assert len(render("system")) / 3.8 < 1500
    assert sum(len(spec.description) for spec in TOOLS.values()) / 3.8 < 2500


def test_each_tool_has_one_name_everywhere() -> None:
    prompts = render("system") + "".join(spec.description for spec in TOOLS.values())
    for stranger in ("read_file", "edit_file", "str_replace", "bash tool", "grep tool", "apply_patch"):
        assert stranger not in prompts
    assert [b["name"] for b in blocks()] == sorted(TOOLS)
