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
from jobs.agent.tools.page import merged
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
    listing = [Listed("pkg/types.py", 9_000, 300), Listed("pkg/cache.py", 30_000, 900), Listed("big.sql", 60_000, 1)]
    hits = (Group("pkg/cache.py", tuple((n, True, "X = make_it()") for n in range(500, 507))),)
    task = Task("fix", "A copy is another one", "from pkg.types import make_it")
    chosen = likeliest(task, Context(), listing, Found(hits, 1, False, (), ""))
    assert [(p.path, merged(p.spans, 900)) for p in chosen] == [("pkg/types.py", []), ("pkg/cache.py", [(490, 532)])]


@pytest.mark.parametrize(
    "copy", ["dist/parse.js", "build/parse.js", "pkg/vendor/x/parse.js", "node_modules/x/parse.js", "lib/parse.min.js"]
)
def test_sources_are_shown_and_no_copies_of_them(copy: str) -> None:
    listing = [Listed(copy, 15_000, 600), Listed("lib/parse.js", 15_000, 600), Listed("lib/other.js", 20_000, 900)]
    hit = ((7, True, "function parse_it() {"),)
    found = Found((Group(copy, hit), Group("lib/parse.js", hit)), 2, False, (), "")
    for more in ([], [Listed("big.sql", 60_000, 900)]):  # a small repository, and a large one
        shown = {p.path for p in likeliest(Task("fix", "parse_it", ""), Context(), [*listing, *more], found)}
        assert "lib/parse.js" in shown
        assert copy not in shown
    named = likeliest(Task("fix", "x", f"see {copy}"), Context(), [*listing, Listed("big.sql", 60_000, 900)], found)
    assert (copy in {p.path for p in named}) == (".min." not in copy)


def test_a_file_that_only_a_search_names_is_shown_around_its_matches() -> None:
    listing = [Listed("a.py", 9_000, 300), Listed("b.py", 6_000, 200), Listed("c.sql", 60_000, 900)]
    groups = (
        Group("a.py", ((5, True, "def make_it():"),)),
        Group("b.py", tuple((n, True, "x") for n in range(90, 98))),
    )
    chosen = likeliest(Task("fix", "make_it", ""), Context(), listing, Found(groups, 9, False, (), ""))
    assert [(p.path, bool(p.spans)) for p in chosen] == [("a.py", False), ("b.py", False)]
    strong = [Listed("d.py", 3_000, 90), *listing]
    chosen = likeliest(Task("fix", "make_it", "in d.py"), Context(), strong, Found(groups, 9, False, (), ""))
    assert [(p.path, bool(p.spans)) for p in chosen] == [("d.py", False), ("a.py", False), ("b.py", True)]


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
