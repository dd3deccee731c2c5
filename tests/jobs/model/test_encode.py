"""A request's bytes: what the library would have sent, each message encoded once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.local.model import ScriptedEndpoint
from jobs.model.anthropic import AnthropicModel
from jobs.model.base import Request
from jobs.model.encode import Encoder, encoded
from jobs.model.usage import Usage


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}]}


class Counting:
    """Encodes, and counts."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, message: dict[str, Any]) -> bytes:
        self.made += 1
        return encoded(message)


def test_a_message_is_encoded_once_while_it_stays_and_forgotten_when_it_goes() -> None:
    count = Counting()
    encoder = Encoder(count)
    history = [said("user", "é"), said("assistant", "🙂")]
    assert json.loads(encoder.messages(history)) == history
    history.append(said("user", "more"))
    assert json.loads(encoder.messages(history)) == history
    assert count.made == 3
    equal_but_other = [dict(m) for m in history]
    assert json.loads(encoder.messages(equal_but_other)) == history
    assert count.made == 6
    assert json.loads(encoder.messages(history[:1])) == history[:1]
    assert count.made == 7


def test_half_a_surrogate_pair_does_not_stop_a_request() -> None:
    assert json.loads(encoded({"a": "x\ud83dy"})) == {"a": "x?y"}


@pytest.mark.parametrize("name", ["claude-sonnet-5-5", "claude-opus-4-1"])
def test_the_body_that_arrives_is_the_request(name: str) -> None:
    system = ({"type": "text", "text": "Sei kurz — bitte.", "cache_control": {"type": "ephemeral", "ttl": "1h"}},)
    tools = ({"name": "shell", "description": "Runs.", "input_schema": {"type": "object"}},)
    messages = (said("user", "Go. \u2028 \u0000 “é”"), said("assistant", "ok"), said("user", "On."))
    with ScriptedEndpoint([{"text": "ok", "repeat": True}], key="key") as endpoint:
        client = AnthropicModel(name, api_key="key", base_url=endpoint.url)
        for number in (1, 3):
            client.ask(Request(system, tools, messages[:number], 8000))
    bodies = [dict(r.body) for r in endpoint.requests]
    thinking = [body.pop("thinking") for body in bodies]
    assert bodies == [
        {
            "model": name,
            "max_tokens": 8000,
            "stream": True,
            "system": list(system),
            "tools": list(tools),
            "messages": list(messages[:number]),
        }
        for number in (1, 3)
    ]
    manual = {"type": "enabled", "budget_tokens": 4000}
    assert thinking == [manual if name == "claude-opus-4-1" else {"type": "adaptive"}] * 2
    assert {r.headers["content-type"] for r in endpoint.requests} == {"application/json"}


DENSE = "日本語の本文です。Привет, мир! ௐௐௐ 🙂🙂 " * 400


@pytest.mark.parametrize("text", [DENSE, "plain words " * 900, "{}();" * 2000])
@pytest.mark.parametrize("counted", [True, False])
def test_the_ceiling_is_above_what_was_paid(text: str, counted: bool) -> None:
    messages = (said("user", text),)
    size = len(text.encode()) if counted else 0
    request = Request((), (), messages, 4000, size=size)
    with ScriptedEndpoint([{"text": "ok " * 2000, "repeat": True}], key="key") as endpoint:
        client = AnthropicModel("claude-sonnet-5-5", api_key="key", base_url=endpoint.url)
        bound, reply = client.ceiling(request).usd, client.ask(request)
    assert bound is not None
    assert reply.usd is not None
    assert 0 < reply.usd < bound
    assert len(endpoint.requests) == 1


def test_the_size_alone_decides_where_it_is_told() -> None:
    client = AnthropicModel("claude-sonnet-5-5", api_key="key")
    small, large = (client.ceiling(Request((), (), (), 1000, size=size)).usd for size in (1_000, 2_000_000))
    assert small is not None
    assert large is not None
    assert large - small == pytest.approx((2_000_000 - 1_000) / 2 * 2.5 / 1e6)


def test_a_dense_script_is_bounded_as_dense_whatever_came_between() -> None:
    client = AnthropicModel("claude-sonnet-5-5", api_key="key")
    client._learn(Usage(input=36_000), 40_000)  # 0.9 tokens a byte
    client._learn(Usage(input=46_000), 90_000)  # plain text behind it
    again = Request((), (), (), 1000, size=130_000, known_size=90_000, known_tokens=46_000)
    assert client.ceiling(again).tokens - 1000 >= 46_000 + 0.9 * 40_000


def test_what_came_last_is_measured_alone() -> None:
    client = AnthropicModel("claude-sonnet-5-5", api_key="key")
    client._learn(Usage(input=25_000), 100_000)
    client._learn(Usage(input=25_000 + 9_000), 110_000)
    again = Request((), (), (), 1000, size=120_000, known_size=110_000, known_tokens=34_000)
    assert client.ceiling(again).tokens - 1000 >= 34_000 + 9_000
