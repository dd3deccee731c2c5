"""`patchwright replay`: recorded requests are sent again with something changed, within a budget."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from recording import recorded
from typer.testing import CliRunner

from app.cli import cli
from app.local.model import ScriptedEndpoint
from app.local.replay import Wanted, replayed
from jobs.errors import EnvironmentFault, UserError
from jobs.sandbox.cell import Cells

SHOW: dict[str, Any] = {"calls": [{"name": "shell", "input": {"command": "cat calc.py"}}], "thinking": "Look first."}
FIX = {"edits": [{"path": "calc.py", "old_string": "return a - b", "new_string": "return a + b"}]}
EDIT: dict[str, Any] = {"calls": [{"name": "edit", "input": FIX}]}
BUDGET = 0.3
SESSION = [SHOW, EDIT, {"text": "Done."}]
TWO = {"calls": [{"name": "readfile", "input": {}}, {"name": "shell", "input": {"command": "touch x"}}], "repeat": True}
ONE = {"calls": [{"name": "edit", "input": FIX}], "repeat": True}


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The trace of a real session of three rounds."""
    with Cells.open(tmp_path_factory.mktemp("cells")) as cells:
        return recorded(cells, tmp_path_factory.mktemp("session"), SESSION)[0]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScriptedEndpoint]:
    """Answers the first round's request with one call, the others with two."""
    with ScriptedEndpoint([{**ONE, "when": {"turn": 1}}, TWO]) as running:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
        monkeypatch.setenv("PATCHWRIGHT_DATA", str(tmp_path / "data"))
        yield running


def bodies(endpoint: ScriptedEndpoint) -> list[dict[str, Any]]:
    """What the endpoint was asked."""
    assert all(one.status == 200 for one in endpoint.requests)
    return [dict(one.body) for one in endpoint.requests]


def rows(text: str) -> list[list[str]]:
    """The cells of the table's rows, its head left out."""
    return [[cell.strip() for cell in row.split("  ") if cell] for row in text.splitlines()[1:]]


def test_requests_are_sent_as_they_were_and_the_replies_compared(lines: list[str], endpoint: ScriptedEndpoint) -> None:
    text, whole = replayed(lines, Wanted(runs=2))
    recorded_row, again = rows(text)
    assert whole
    assert recorded_row[:4] == ["recorded", "3", "0.67 (0–1, ±0.58)", "shell 1, edit 1"]
    assert again[:4] == ["as recorded", "6", "1.67 (1–2, ±0.52)", "readfile 4, shell 4, edit 2"]
    assert again[-1] == "tool_use 6"
    sent = bodies(endpoint)
    assert len(sent) == 6
    assert sent[:3] == sent[3:]
    assert (
        sent[2]["messages"][: len(sent[1]["messages"]) - 1] == sent[1]["messages"][:-1] or len(sent[2]["messages"]) > 3
    )


def test_each_value_of_a_key_is_a_variant(lines: list[str], endpoint: ScriptedEndpoint) -> None:
    changes = ("model=claude-sonnet-5-5", "model=claude-haiku-4-5")
    text, _ = replayed(lines, Wanted(changes, rounds=(2,)))
    assert [row[0] for row in rows(text)] == ["recorded", *changes]
    same, other = bodies(endpoint)
    assert (same["model"], other["model"]) == ("claude-sonnet-5-5", "claude-haiku-4-5")
    assert "thinking" in {b["type"] for m in same["messages"] for b in m["content"]}
    assert "thinking" not in {b["type"] for m in other["messages"] for b in m["content"]}, "only its writer can read it"


def test_thinking_can_be_turned_off(lines: list[str], endpoint: ScriptedEndpoint) -> None:
    replayed(lines, Wanted(("thinking=off", "thinking=adaptive"), rounds=(2,)))
    off, on = bodies(endpoint)
    assert "thinking" not in off
    assert on["thinking"] == {"type": "adaptive"}


def test_prompt_descriptions_and_tools_can_be_changed(
    lines: list[str], endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    (tmp_path / "prompt.md").write_text("Be brief.\n")
    (tmp_path / "edit.md").write_text("Replaces text.\n")
    changes = (f"prompt={tmp_path}/prompt.md", f"descriptions={tmp_path}", "tools=edit,shell")
    replayed(lines, Wanted(changes, rounds=(1,)))
    (sent,) = bodies(endpoint)
    assert [block["text"] for block in sent["system"]] == ["Be brief."]
    told = {tool["name"]: tool["description"] for tool in sent["tools"]}
    assert told.keys() == {"edit", "shell"}
    assert told["edit"] == "Replaces text."
    assert told["shell"] != "Replaces text."


def test_one_call_rounds_can_be_merged(lines: list[str], endpoint: ScriptedEndpoint) -> None:
    replayed(lines, Wanted(("merged=yes", "merged=no", "thinking=off"), rounds=(3,)))
    joined, plain = bodies(endpoint)
    calls = [
        [b["type"] for b in m["content"]].count("tool_use") for m in joined["messages"] if m["role"] == "assistant"
    ]
    assert 2 in calls
    assert len(joined["messages"]) == len(plain["messages"]) - 2


def test_another_address_can_be_asked(lines: list[str], endpoint: ScriptedEndpoint) -> None:
    with ScriptedEndpoint([TWO]) as other:
        replayed(lines, Wanted((f"base_url={other.url}",), rounds=(1,)))
        assert len(other.requests) == 1
    assert not endpoint.requests


def test_it_stops_before_the_budget_could_be_passed(lines: list[str], endpoint: ScriptedEndpoint) -> None:
    text, whole = replayed(lines, Wanted(runs=50, budget_usd=BUDGET))
    assert not whole, text
    assert 0 < len(endpoint.requests) < 150
    assert f"stopped after {len(endpoint.requests)} of 150 requests" in text
    assert "Raise it, or send fewer with --round" in text


def test_without_a_budget_nothing_is_asked(lines: list[str], endpoint: ScriptedEndpoint) -> None:
    text, whole = replayed(lines, Wanted(budget_usd=0.0))
    assert not whole
    assert "stopped after 0 of 3" in text
    assert not endpoint.requests


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("models=x", "KEY is one of model, base_url"),
        ("model=", "KEY=VALUE"),
        ("thinking=loud", "off or adaptive"),
        ("prompt=/nowhere.md", "not a file"),
        ("descriptions=/nowhere", "not a folder"),
        ("tools=edit,fly", "there is no fly. The tools were"),
        ("model=claude-of-nobody", "PATCHWRIGHT_PRICES"),
    ],
)
def test_a_wrong_change_is_told_in_one_sentence(
    lines: list[str], endpoint: ScriptedEndpoint, change: str, says: str
) -> None:
    with pytest.raises(UserError, match=says):
        replayed(lines, Wanted((change,)))
    assert not endpoint.requests


def test_a_round_that_is_not_there_is_told(lines: list[str], endpoint: ScriptedEndpoint) -> None:
    with pytest.raises(UserError, match="no request of round 9: give --round 1 to 3"):
        replayed(lines, Wanted(rounds=(1, 9)))


def test_a_trace_without_bodies_is_told(lines: list[str]) -> None:
    bare = [line for line in lines if json.loads(line)["type"] != "body"]
    with pytest.raises(UserError, match="no requests that can be sent again"):
        replayed(bare, Wanted())


def test_a_refusing_endpoint_ends_it(lines: list[str], endpoint: ScriptedEndpoint) -> None:
    endpoint.key = "another"
    with pytest.raises(EnvironmentFault):
        replayed(lines, Wanted(rounds=(1,)))
    assert len(endpoint.requests) == 1


def test_the_commands_print_what_they_found(lines: list[str], endpoint: ScriptedEndpoint, tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    trace.write_text("\n".join(lines) + "\n")
    run = partial(CliRunner(env={"ANTHROPIC_API_KEY": "key"}).invoke, cli)
    done = run(["replay", str(trace), "--set", "thinking=off", "--round", "1", "--runs", "2"])
    assert (done.exit_code, rows(done.output)[1][:2]) == (0, ["thinking=off", "2"])
    poor = run(["replay", str(trace), "--budget-usd", "0"])
    assert (poor.exit_code, len(endpoint.requests)) == (1, 2)
    assert "stopped after 0 of 3" in poor.output
    shown = run(["rounds", str(trace), "--json"])
    assert [one["n"] for one in json.loads(shown.output)["rounds"]] == [1, 2, 3]
    assert "is not a file" in str(run(["replay", str(tmp_path)]).exception)
