"""Chat completions: the Messages form there and back, and what endpoints make of the protocol."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from jobs.model.chat_assembly import DONE, ChatAssembly
from jobs.model.chat_body import chat_message, chat_system, chat_tools
from jobs.model.sse import data
from jobs.model.usage import Usage


def translated(message: dict[str, Any]) -> Any:
    return json.loads(b"[" + chat_message(message) + b"]")


def use(ident: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": ident, "name": "shell", "input": given}


def test_a_turn_with_calls_becomes_one_message() -> None:
    blocks = [
        {"type": "thinking", "thinking": "x", "signature": "s"},
        {"type": "text", "text": "é"},
        use("a", command="ls"),
    ]
    (made,) = translated({"role": "assistant", "content": blocks})
    call = {"id": "a", "type": "function", "function": {"name": "shell", "arguments": '{"command": "ls"}'}}
    assert made == {"role": "assistant", "content": "é", "tool_calls": [call]}
    (bare,) = translated({"role": "assistant", "content": [use("a")]})
    assert bare["content"] is None
    assert translated({"role": "assistant", "content": blocks[:1]}) == [{"role": "assistant", "content": ""}]


def test_results_become_messages_in_their_order_before_what_was_said() -> None:
    results = [
        {"type": "tool_result", "tool_use_id": "a", "content": "one", "cache_control": {"type": "ephemeral"}},
        {"type": "tool_result", "tool_use_id": "b", "content": "no such file", "is_error": True},
        {"type": "tool_result", "tool_use_id": "c", "content": "shell FAILED: no", "is_error": True},
        {
            "type": "tool_result",
            "tool_use_id": "d",
            "content": [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}],
        },
        {"type": "text", "text": "Most of the budget is used."},
    ]
    made = translated({"role": "user", "content": results})
    assert made == [
        {"role": "tool", "tool_call_id": "a", "content": "one"},
        {"role": "tool", "tool_call_id": "b", "content": "FAILED: no such file"},
        {"role": "tool", "tool_call_id": "c", "content": "shell FAILED: no"},
        {"role": "tool", "tool_call_id": "d", "content": "x\n\ny"},
        {"role": "user", "content": "Most of the budget is used."},
    ]


def test_system_and_tools() -> None:
    assert chat_system([{"type": "text", "text": "a", "cache_control": {}}, {"type": "text", "text": "b"}]) == [
        {"role": "system", "content": "a\n\nb"}
    ]
    assert chat_system([]) == []
    (tool,) = chat_tools([{"name": "n", "description": "d", "input_schema": {"type": "object"}}])
    assert tool["function"] == {"name": "n", "description": "d", "parameters": {"type": "object"}}


def assembled(deltas: Sequence[dict[str, Any]], finish: str = "tool_calls", usage: Any = None) -> ChatAssembly:
    made = ChatAssembly(900, Usage(input=900, output=900))
    for delta in deltas:
        made.feed({"id": "r", "model": "m", "choices": [{"delta": delta, "finish_reason": None}]})
    made.feed({"choices": [{"delta": {}, "finish_reason": finish}], "usage": usage})
    made.feed(DONE)
    return made


def piece(written: Any, index: int | None = None, ident: str | None = None, name: str | None = None) -> dict[str, Any]:
    function = {"arguments": written, **({"name": name} if name else {})}
    where = {"index": index} if index is not None else {}
    return {"tool_calls": [{**where, **({"id": ident} if ident else {}), "function": function}]}


@pytest.mark.parametrize(
    "deltas",
    [
        [piece("", 0, "a", "f"), piece('{"x":', 0), piece("1}", 0), piece("", 1, "b", "g"), piece('{"y":2}', 1)],
        [piece("", 0, "a", "f"), piece("", 1, "b", "g"), piece('{"y":', 1), piece('{"x":1}', 0), piece("2}", 1)],
        [piece('{"x":1}', None, "a", "f"), piece('{"y":2}', None, "b", "g")],
        [piece('{"x":1}', 0, "a", "f"), piece('{"y":2}', 0, "b", "g")],
        [piece({"x": 1}, None, "a", "f"), piece({"y": 2}, None, "b", "g")],
        [piece("", None, "a", "f"), piece('{"x":1}'), piece("", None, "b", "g"), piece('{"y":2}')],
        [piece("", 0, "a", "f"), piece('{"x":1}', 0, "a", "f"), piece('{"y":2}', 1, "b", "g")],
        [piece('{"x"', None, "a", "f"), piece(":1}", None, "a", "f"), piece('{"y":2}', None, "b", "g")],
        [piece('{"x"', None, "a", "f"), piece(":1}", None, "a"), piece('{"y":2}', None, "b", "g")],
    ],
    ids=[
        "usual",
        "interleaved",
        "no_index",
        "one_index",
        "objects",
        "no_index_in_pieces",
        "id_each_time",
        "no_index_id_each",
        "id_only",
    ],
)
def test_calls_are_put_together_however_they_come(deltas: list[dict[str, Any]]) -> None:
    made = assembled(deltas)
    assert [(b["id"], b["name"], b["input"]) for b in made.blocks] == [("a", "f", {"x": 1}), ("b", "g", {"y": 2})]
    assert (made.stop_reason, made.unread) == ("tool_use", {})


def test_calls_without_an_id_get_one_each() -> None:
    made = assembled([piece("{}", None, None, "f"), piece("{}", None, None, "f")])
    assert len({b["id"] for b in made.blocks}) == 2
    assert all(b["id"] for b in made.blocks)


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("content_filter", "refusal"),
        ("tool_calls", "tool_use"),
        ("function_call", "tool_use"),
        ("eos", "end_turn"),
    ],
)
def test_reasons_to_stop(finish: str, stop: str) -> None:
    assert assembled([{"content": "x"}], finish).stop_reason == stop


def test_a_stop_behind_calls_is_a_turn_of_calls_but_a_cut_one_is_not() -> None:
    calls = [piece('{"x":1}', 0, "a", "f")]
    assert assembled(calls, "stop").stop_reason == "tool_use"
    assert assembled(calls, "length").stop_reason == "max_tokens"


def test_a_refusal_in_its_own_field_is_one() -> None:
    made = assembled([{"refusal": "I can't."}], "stop")
    assert (made.stop_reason, made.blocks) == ("refusal", ({"type": "text", "text": "I can't."},))


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (
            {"prompt_tokens": 90, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 64}},
            Usage(input=26, output=5, cache_read=64),
        ),
        ({"prompt_tokens": 90, "completion_tokens": 5, "prompt_tokens_details": None}, Usage(input=90, output=5)),
        ({"prompt_tokens": 9, "completion_tokens": 5, "prompt_cache_hit_tokens": 4}, Usage(5, 5, 4)),
        (None, Usage(input=300, output=2)),
    ],
)
def test_tokens(usage: Any, tokens: Usage) -> None:
    made = assembled([{"content": "abcdef"}], "stop", usage)
    assert made.usage == tokens
    assert bool(made.notes) == (usage is None)


def test_nothing_that_came_costs_nothing() -> None:
    assert ChatAssembly(5000, Usage(input=5000, output=900)).usage == Usage()


def test_events_are_found_wherever_the_bytes_are_cut() -> None:
    stream = ': hello\n\ndata: {"a":"\u2028é\x85"}\r\n\r\nevent: x\ndata: 1\ndata: 2\n\ndata:[DONE]'.encode()
    whole = ['{"a":"\u2028é\x85"}'.encode(), b"1\n2", b"[DONE]"]
    for size in (1, 2, 3, 7, 1000):
        assert list(data(stream[at : at + size] for at in range(0, len(stream), size))) == whole
