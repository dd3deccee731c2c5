"""The Anthropic model against the scripted endpoint: tries, waits, prices, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from app.local.model import ScriptedEndpoint
from jobs.model.anthropic import AnthropicModel
from jobs.model.base import AskFailed, Request
from jobs.model.prices import Prices
from jobs.model.quirks import quirks_of
from jobs.model.usage import Usage

LONG = "An instruction that is long enough to be cached. " * 120


def request(text: str = "Go.", **more: Any) -> Request:
    system = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral", "ttl": "1h"}}
    tools = ({"name": "shell", "description": "Runs.", "input_schema": {"type": "object"}},)
    messages = ({"role": "user", "content": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]},)
    return Request((system,), tools, messages, 8000, **more)


def model(
    endpoint: ScriptedEndpoint, waits: list[float] | None = None, name: str = "claude-sonnet-5-5"
) -> AnthropicModel:
    return AnthropicModel(name, api_key="key", base_url=endpoint.url, sleep=(waits if waits is not None else []).append)


def asked(script: Sequence[Mapping[str, Any]], **more: Any) -> tuple[Any, list[float], ScriptedEndpoint]:
    """(reply or AskFailed, waits, endpoint after it stopped)"""
    waits: list[float] = []
    with ScriptedEndpoint(script, key="key") as endpoint:
        try:
            answer: Any = model(endpoint, waits).ask(request(**more))
        except AskFailed as failed:
            answer = failed
    return answer, waits, endpoint


def test_a_streamed_reply_comes_back_whole() -> None:
    text, args = "Fünf — “quoted” 🙂 " * 20, {"command": 'echo "a\\nb" é', "deep": {"x": [1, None, 2.5]}}
    reply, _, endpoint = asked(
        [{"thinking": "Let me think. " * 9, "text": text, "calls": [{"name": "shell", "input": args}]}]
    )
    assert [b["type"] for b in reply.blocks] == ["thinking", "text", "tool_use"]
    assert reply.blocks[0]["signature"].startswith("sig_")
    assert (reply.text, reply.calls[0]["input"], reply.stop_reason) == (text.strip(), args, "tool_use")
    assert reply.request_bytes == int(endpoint.requests[0].headers["content-length"])


def test_key_and_version_are_sent_as_the_library_does_and_adaptive_thinking_is_asked_for() -> None:
    _, _, endpoint = asked([{"text": "ok"}])
    (sent,) = endpoint.requests
    assert sent.headers["authorization"] == "Bearer key"
    assert (sent.body["stream"], sent.body["thinking"], sent.body["max_tokens"]) == (True, {"type": "adaptive"}, 8000)


def test_usage_and_price_are_the_final_ones() -> None:
    with ScriptedEndpoint(
        [{"when": {"contains": "Again"}, "text": "two"}, {"text": "one " * 50}], key="key"
    ) as endpoint:
        client = model(endpoint)
        first = client.ask(request())
        assert first.usage.cache_write_1h > 1024
        assert first.usd == pytest.approx(
            (first.usage.cache_write_1h * 4 + first.usage.cache_write_5m * 2.5 + first.usage.output * 10) / 1e6
        )
        second = client.ask(request("Again."))
    assert second.usage.cache_read == first.usage.cache_write_1h
    assert second.usage.output < first.usage.output


def test_broken_tries_are_paid_for_and_stop_at_the_limit() -> None:
    failed, _, endpoint = asked([{"fault": "cut", "text": "lost " * 400, "times": 9}], limit_usd=0.1)
    assert failed.why == "limit"
    assert 0 < failed.usd < 0.1
    assert failed.usage.output > 0
    assert 1 <= len(endpoint.requests) < 8


def test_the_ceiling_is_above_what_was_paid() -> None:
    with ScriptedEndpoint([{"text": "word " * 2000}], key="key") as endpoint:
        client = model(endpoint)
        bound, reply = client.ceiling(request()).usd, client.ask(request())
    assert bound is not None
    assert reply.usd is not None
    assert reply.usd < bound


def test_a_model_without_a_price_has_none() -> None:
    with ScriptedEndpoint([{"text": "ok"}]) as endpoint:
        client = model(endpoint, name="house-model-1")
        assert (client.ceiling(request()).usd, client.ask(request()).usd) == (None, None)
        assert "thinking" not in endpoint.requests[0].body


@pytest.mark.parametrize(
    ("name", "usage", "usd"),
    [
        ("claude-sonnet-5-5", Usage(input=1_000_000, output=1_000_000), 12.0),
        ("claude-opus-5-5", Usage(cache_read=1_000_000, cache_write_5m=1_000_000, cache_write_1h=1_000_000), 13.2),
        ("claude-haiku-5-5", Usage(input=100_000, output=1_000_000), 0.51),
        ("claude-haiku-5-5", Usage(input=1, cache_read=100_000), (1e-7 + 0.001) * 5),
        ("claude-sonnet-4-5-20250929", Usage(output=1_000_000), 15.0),
    ],
)
def test_prices(name: str, usage: Usage, usd: float) -> None:
    price = Prices.load().of(name)
    assert price is not None
    assert price.cost(usage) == pytest.approx(usd)


@pytest.mark.parametrize("name", ["claude-unheard-of", "gpt-5", "claude-sonnet-5-5-fast", ""])
def test_unknown_models_have_no_price(name: str) -> None:
    assert Prices.load().of(name) is None


@pytest.mark.parametrize(
    ("name", "thinking", "window"),
    [
        ("claude-sonnet-5-5", "adaptive", 1_000_000),
        ("claude-opus-5", "adaptive", 1_000_000),
        ("claude-opus-4-8", "adaptive", 1_000_000),
        ("claude-sonnet-4-5-20250929", "none", 200_000),
        ("claude-haiku-4-5", "none", 200_000),
        ("llama", "unknown", 200_000),
    ],
)
def test_quirks(name: str, thinking: str, window: int) -> None:
    assert (quirks_of(name).thinking, quirks_of(name).window) == (thinking, window)
