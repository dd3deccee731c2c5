"""One scripted task through both protocols: the same calls, the same patch, the same accounts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agent_session import DONE, FIX, begin

from jobs.sandbox.cell import Cells

FIXED = "def add(a, b):\n    return a + b\n"
LOOK: dict[str, Any] = {
    "thinking": "Where is it?",
    "text": "I look — “first”.",
    "calls": [
        {"name": "search", "input": {"patterns": ["return a"]}},
        {"name": "readfile", "input": {"paths": ["calc.py"]}},
    ],
}
WRONG = {"calls": [{"name": "edit", "input": {"edits": [{"path": "gone.py", "old_string": "a", "new_string": "b"}]}}]}
GOOD = {"calls": [{"name": "edit", "input": FIX}]}
SCRIPT = [{"fault": "overloaded"}, LOOK, WRONG, {"fault": "cut", **GOOD}, GOOD, DONE]


def played(cells: Cells, folder: Path, script: list[Any], model: str) -> tuple[Any, Any, list[Any]]:
    folder.mkdir()
    it = begin(cells, folder, script, model=model)
    try:
        attempt = it.session.work()
    finally:
        it.endpoint.stop()
    rounds = it.trace.of("round")
    return it, attempt, [[(c["tool"], c["args"], c["ok"]) for c in r["calls"]] for r in rounds]


def test_both_protocols_lead_to_the_same_patch(cells: Cells, tmp_path: Path) -> None:
    folder = tmp_path
    one, first, one_calls = played(cells, folder / "one", SCRIPT, "claude-sonnet-5-5")
    two, second, two_calls = played(cells, folder / "two", SCRIPT, "openai/house-model")
    assert one.text("calc.py") == two.text("calc.py") == FIXED
    assert one_calls == two_calls
    assert [len(calls) for calls in one_calls] == [2, 1, 1, 0]
    assert (first.ended, first.rounds, first.summary) == (second.ended, second.rounds, second.summary)
    assert (first.ended, first.rounds) == ("done", 4)
    assert {r.path for r in one.endpoint.requests} == {"/v1/messages"}
    assert {r.path for r in two.endpoint.requests} == {"/v1/chat/completions"}
    assert [r.status for r in one.endpoint.requests] == [r.status for r in two.endpoint.requests]
    assert first.usage.cache_read > 0
    assert second.usage.cache_read > 0


def test_results_go_back_to_chat_completions_in_the_order_of_their_calls(cells: Cells, tmp_path: Path) -> None:
    it, _, _ = played(cells, tmp_path / "chat", SCRIPT, "openai/house-model")
    said = it.endpoint.requests[-1].body["messages"]
    roles = [m["role"] for m in said]
    at = next(n for n, m in enumerate(said) if m.get("content") == LOOK["text"])
    assert (roles[0], roles[at : at + 3]) == ("system", ["assistant", "tool", "tool"])
    asked = [call["id"] for call in said[at]["tool_calls"]]
    assert [m["tool_call_id"] for m in said[at + 1 : at + 3]] == asked
    wrong = next(n for n, m in enumerate(said) if "gone.py" in str(m.get("tool_calls")))
    assert (said[wrong + 1]["role"], "FAILED" in said[wrong + 1]["content"]) == ("tool", True)
    assert "Where is it?" not in str(said)


@pytest.mark.parametrize("model", ["house-model", "openai/house-model"])
def test_a_weak_model_s_slips_still_make_the_patch(cells: Cells, tmp_path: Path, model: str) -> None:
    view = {
        "when": {"turn": 1},
        "text": 'Let me see.\n```json\n{"name": "read_file", "arguments": {"file_path": "calc.py"}}\n```',
    }
    flat = "{'path': 'calc.py', 'old_str': 'return a - b', 'new_str': 'return a + b',}"
    script = [view, {"calls": [{"name": "str_replace", "raw": flat}]}, DONE]
    it, attempt, calls = played(cells, tmp_path / "weak", script, model)
    assert (attempt.ended, it.text("calc.py")) == ("done", FIXED)
    assert [c[0][:2] for c in calls[:2]] == [("readfile", {"paths": ["calc.py"]}), ("edit", FIX)]
