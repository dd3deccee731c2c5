"""Requests in a trace: each part once, and built again as they were sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_session import DONE, FIXING, Kept
from recording import recorded

from jobs.agent.history import History
from jobs.model.base import Request
from jobs.sandbox.cell import Cells
from jobs.trace.account import account
from jobs.trace.bodies import Bodies, Recorded, requests

TOOLS = [{"name": "shell", "description": "Runs.", "input_schema": {"type": "object"}}]


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cells]:
    with Cells.open(tmp_path_factory.mktemp("data")) as opened:
        yield opened


def conversation(rounds: int) -> Iterator[Request]:
    """The requests of a growing history."""
    history = History("You fix.", TOOLS)
    history.say("Fix it.")
    for n in range(rounds):
        yield history.request(1000 + n)
        history.sent(1000)
        history.reply([{"type": "tool_use", "id": f"t{n}", "name": "shell", "input": {"command": f"echo {n}"}}])
        history.results([{"type": "tool_result", "tool_use_id": f"t{n}", "content": f"{n}\n"}])


def traced(asked: Sequence[Request]) -> tuple[list[dict[str, Any]], list[str]]:
    """What each request's round stores, and the trace's lines."""
    trace = Kept()
    bodies, stored = Bodies(trace), []
    for n, request in enumerate(asked, 1):
        stored.append(bodies.request(request))
        trace.emit("round", n=n, model="m", request=stored[-1])
    return stored, [json.dumps(event) for event in trace.events]


def same(built: Recorded, sent: Request) -> bool:
    """Whether they hold the same, cache markers included."""
    return (built.system, built.tools, built.messages, built.max_tokens) == (
        *(sent.system, sent.tools, sent.messages, sent.max_tokens),
    )


def test_every_request_is_built_again_with_its_markers() -> None:
    asked = list(conversation(5))
    _, lines = traced(asked)
    built = requests(lines)
    assert [one.n for one in built] == [1, 2, 3, 4, 5]
    assert all(same(one, sent) for one, sent in zip(built, asked, strict=True))
    assert sum("cache_control" in m["content"][-1] for m in built[4].messages) == 2


def test_each_part_is_kept_once_and_a_round_names_only_what_is_new() -> None:
    stored, lines = traced(list(conversation(6)))
    bodies = [event for event in map(json.loads, lines) if event["type"] == "body"]
    assert len(bodies) == len({event["hash"] for event in bodies}) == 2 + 1 + 2 * 5
    assert [(one["kept"], len(one["added"])) for one in stored] == [(0, 1), (1, 2), (3, 2), (5, 2), (7, 2), (9, 2)]
    assert "cache_control" not in json.dumps([e["body"] for e in bodies if isinstance(e["body"], dict)])


def test_a_conversation_that_was_cut_needs_nothing_before_it() -> None:
    *_, last = conversation(4)
    cut = replace(last, messages=(last.messages[0], *last.messages[3:]))
    stored, lines = traced([last, cut])
    assert (stored[1]["kept"], len(stored[1]["added"])) == (0, len(cut.messages))
    assert same(requests(lines)[1], cut)


def test_a_request_that_can_not_be_built_exactly_is_left_out() -> None:
    _, lines = traced(list(conversation(4)))
    without = [line for line in lines if json.loads(line).get("n") != 2]  # its messages are missing from now on
    assert [one.n for one in requests(without)] == [1]
    lost = [line for line in lines if "echo 2" not in line]
    assert [one.n for one in requests(lost)] == [1, 2, 3]
    assert requests(['{"type": "round", "n": 1}', lines[0][:30]]) == []


def test_a_second_session_begins_anew() -> None:
    _, one = traced(list(conversation(2)))
    _, two = traced(list(conversation(3)))
    assert [built.n for built in requests([*one, *two])] == [1, 2, 1, 2, 3]


def test_a_real_session_is_built_again_as_the_endpoint_got_it(cells: Cells, tmp_path: Path) -> None:
    lines, endpoint = recorded(cells, tmp_path, [FIXING, DONE])
    built = requests(lines)
    assert len(built) == 2
    for one, got in zip(built, endpoint.requests, strict=True):
        parts = {"system": list(one.system), "tools": list(one.tools), "messages": list(one.messages)}
        assert parts == {key: got.body[key] for key in parts}


def test_a_real_session_tells_its_waste(cells: Cells, tmp_path: Path) -> None:
    look = {"calls": [{"name": "shell", "input": {"command": "cat calc.py"}}]}
    again = {"calls": [{"name": "shell", "input": {"command": "python -m pytest -q calc.py; true"}}]}
    lines, _ = recorded(cells, tmp_path, [FIXING, look, again, DONE])
    told = account(lines)
    assert told["waste"]["checking an edit that landed"]["lost"] == [2]
    assert told["waste"]["spend after the last surviving change"]["lost"] == [2, 3]
    assert told["wasted"]["count"] == 2
    assert told["wasted"]["usd"] == pytest.approx(sum(told["rounds"][n]["usd"] for n in (1, 2)), abs=1e-5)
