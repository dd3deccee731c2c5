"""Every fault of a model endpoint ends in another try or in a clear outcome, whichever protocol it speaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from agent_session import client_of

from app.local.model import ScriptedEndpoint
from jobs.model.base import AskFailed, Reply, Request
from jobs.model.faults import Fault, retry_after_s, wait_s

MODELS = ["claude-sonnet-5-5", "openai/house-model"]
TOOLS = (
    {
        "name": "shell",
        "description": "Runs.",
        "input_schema": {
            "type": "object",
            "properties": {"command": {"type": "string"}, "timeout_s": {"type": "number"}},
            "required": ["command"],
        },
    },
)
OK = {"text": "ok"}
LOST: dict[str, Any] = {"text": "lost " * 60}
CALL: dict[str, Any] = {"calls": [{"name": "shell", "input": {"command": "ls " * 60}}]}


def request(text: str = "Go.", **more: Any) -> Request:
    system = ({"type": "text", "text": "Be brief."},)
    return Request(system, TOOLS, ({"role": "user", "content": [{"type": "text", "text": text}]},), 8000, **more)


@dataclass
class Asked:
    """A reply or a failure, the waits between tries, and how many requests came."""

    answer: Any
    waits: list[float]
    requests: int

    @property
    def reply(self) -> Reply:
        assert isinstance(self.answer, Reply), self.answer
        return self.answer

    @property
    def failed(self) -> AskFailed:
        assert isinstance(self.answer, AskFailed), self.answer
        return self.answer


def ask(name: str, script: Sequence[Any], **more: Any) -> Asked:
    waits: list[float] = []
    with ScriptedEndpoint(script, key="key") as endpoint:
        client = client_of(name, endpoint, waits.append)
        try:
            answer: Any = client.ask(request(**more))
        except AskFailed as failed:
            answer = failed
        return Asked(answer, waits, len(endpoint.requests))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("fault", "waits"),
    [
        ({"fault": "overloaded", "times": 2}, [(0.3, 0.5), (0.7, 1.0)]),
        ({"fault": "rate_limited", "seconds": 2}, [(2, 2)]),
        ({"fault": "rate_limited", "seconds": 4_294_967}, [(60, 60)]),
        ({"fault": "server_error"}, [(0.3, 0.5)]),
        ({"fault": "retry_please"}, [(0.3, 0.5)]),
        ({"fault": "mid_stream_overloaded", **LOST}, [(0.3, 0.5)]),
        ({"fault": "cut", **LOST}, [(0.3, 0.5)]),
        ({"fault": "cut", **CALL}, [(0.3, 0.5)]),
        ({"fault": "cut", "text": "short"}, [(0.3, 0.5)]),
        ({"fault": "reset", **LOST}, [(0.3, 0.5)]),
        ({"fault": "reset", **CALL}, [(0.3, 0.5)]),
    ],
    ids=lambda value: "-".join(str(v)[:12] for v in value.values()) if isinstance(value, dict) else "",
)
def test_what_may_pass_is_tried_again(name: str, fault: dict[str, Any], waits: list[tuple[float, float]]) -> None:
    asked = ask(name, [fault, OK])
    assert (asked.reply.text, asked.requests) == ("ok", len(waits) + 1)
    assert all(low <= wait <= high for wait, (low, high) in zip(asked.waits, waits, strict=True))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("fault", "why", "words"),
    [
        ("unauthorized", "refused", "_API_KEY."),
        ("forbidden", "refused", "_API_KEY."),
        ("billing", "refused", "402"),
        ("spend_limit", "refused", "spend limit"),
        ("spend_limit_429", "refused", "spend limit"),
        ("not_found", "refused", "does not know this model"),
        ("retry_never", "refused", "529"),
        ("too_long", "too_long", "prompt is too long"),
        ("too_large", "too_long", "413"),
    ],
)
def test_what_can_never_pass_stops_at_once(name: str, fault: str, why: str, words: str) -> None:
    asked = ask(name, [{"fault": fault, "times": 9}])
    assert (asked.failed.why, asked.waits, asked.requests) == (why, [], 1)
    assert words in str(asked.failed)
    assert ("OPENAI" if name.startswith("openai") else "ANTHROPIC") in str(asked.failed) or "_" not in words


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("step", "stops", "calls"),
    [
        ({"fault": "max_tokens", **CALL}, {"max_tokens"}, [{}]),
        ({"fault": "overflow", **CALL}, {"model_context_window_exceeded", "max_tokens"}, [{}]),
        ({"fault": "refusal", "text": "No."}, {"refusal"}, []),
        ({"fault": "paused", "text": "Wait."}, {"pause_turn", "end_turn"}, []),
        ({"fault": "empty"}, {"end_turn"}, []),
        ({"fault": "pings", "seconds": 0.2, **OK}, {"end_turn"}, []),
        ({"fault": "slow", "seconds": 0.2, **OK}, {"end_turn"}, []),
        ({"thinking": "Hm.", **CALL}, {"tool_use"}, [{"command": "ls " * 60}]),
        ({"calls": [*CALL["calls"], *CALL["calls"]]}, {"tool_use"}, [{"command": "ls " * 60}] * 2),
        ({"calls": [{"name": "fly", "input": {"to": "Rome"}}]}, {"tool_use"}, [{"to": "Rome"}]),
        ({"calls": [{"name": "shell", "input": {"command": 5}}]}, {"tool_use"}, [{"command": 5}]),
    ],
    ids=lambda value: "-".join(map(str, value))[:30] if isinstance(value, dict) else "",
)
def test_odd_replies_come_back_for_what_they_are(
    name: str, step: dict[str, Any], stops: set[str], calls: list[Any]
) -> None:
    asked = ask(name, [step])
    assert asked.reply.stop_reason in stops
    assert ([c["input"] for c in asked.reply.calls], asked.requests) == (calls, 1)
    assert len({c["id"] for c in asked.reply.calls}) == len(calls)
    assert asked.reply.mended == ()


@pytest.mark.parametrize("name", MODELS)
def test_calls_that_cannot_be_read_are_asked_for_again_a_few_times(name: str) -> None:
    bad = {"calls": [{"name": "shell", "raw": '{"command": "ls'}], "repeat": True}
    asked = ask(name, [bad])
    assert (asked.failed.why, asked.requests) == ("away", 3)
    assert "Try another model" in str(asked.failed)
    assert asked.failed.usage.output > 0


@pytest.mark.parametrize("name", MODELS)
def test_loose_arguments_are_read_and_named(name: str) -> None:
    asked = ask(name, [{"calls": [{"name": "bash", "raw": "{'cmd': 'echo \"it\\'s\"', 'timeout_s': '5',}"}]}])
    (call,) = asked.reply.calls
    assert (call["name"], call["input"]) == ("shell", {"command": 'echo "it\'s"', "timeout_s": 5})
    assert {"bash -> shell", "shell: cmd -> command"} <= set(asked.reply.mended)


@pytest.mark.parametrize("name", MODELS)
def test_an_endpoint_that_stays_away_ends_after_bounded_waits(name: str) -> None:
    asked = ask(name, [{"fault": "overloaded", "times": 99}])
    assert (asked.failed.why, asked.requests) == ("away", 8)
    assert sum(asked.waits) <= 300


@pytest.mark.parametrize("name", MODELS)
def test_nobody_listening_is_an_away_endpoint(name: str) -> None:
    waits: list[float] = []
    with ScriptedEndpoint([OK]) as gone:
        client = client_of(name, gone, waits.append)
    with pytest.raises(AskFailed, match="endpoint is away") as failed:
        client.ask(request())
    assert (failed.value.why, len(waits), failed.value.usage.output) == ("away", 7, 0)


def test_broken_tries_are_paid_for_where_the_endpoint_told_nothing() -> None:
    asked = ask("openai/house-model", [{"fault": "cut", **LOST}, OK])
    assert asked.reply.usage.output > len(LOST["text"]) / 6
    assert asked.reply.usage.input > 60


NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "1.5", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW) == seconds


def test_waits_of_one_request_are_bounded_together() -> None:
    fault = Fault(429, "rate_limit_error", "slow down", after_s=60)
    assert wait_s(fault, tries=1, waited_s=240, jitter=0) == 60
    assert wait_s(fault, tries=1, waited_s=241, jitter=0) is None


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault(429, "insufficient_quota", "You exceeded your current quota, please check your plan."), "dead"),
        (Fault(402, "error", "Insufficient Balance"), "dead"),
        (Fault(400, "context_length_exceeded", "This model's maximum context length is 128000 tokens."), "too_long"),
        (Fault(200, "server_error", "The server had an error"), "temporary"),
        (Fault(200, "invalid_request_error", "no"), "dead"),
        (Fault(529, "overloaded_error", "x", should_retry=False), "dead"),
        (Fault(400, "invalid_request_error", "x", should_retry=True), "temporary"),
        (Fault(409, "conflict_error", "x"), "temporary"),
        (Fault(504, "timeout_error", "x"), "temporary"),
    ],
)
def test_kinds_of_faults(fault: Fault, kind: str) -> None:
    assert fault.kind == kind


RATE = "Rate limit reached on requests per min. Limit: 3 / min. Visit https://example.com/account/billing to pay."


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault(429, "rate_limit_exceeded", RATE), "temporary"),
        (Fault(429, "insufficient_quota", "You exceeded your current quota, check your billing details."), "dead"),
        (Fault(400, "billing_hard_limit_reached", "Billing hard limit has been reached"), "dead"),
        (Fault(200, "billing_error", "No."), "dead"),
        (Fault(400, "exceed_context_size_error", "request exceeds the available context size (4096)"), "too_long"),
        (Fault(400, "x", "The input token count (9) exceeds the maximum number of tokens allowed (8)."), "too_long"),
        (Fault(200, "context_length_exceeded", "Too long."), "too_long"),
        (Fault(200, "overloaded_error", "Overloaded"), "temporary"),
    ],
    ids=lambda value: value.type if isinstance(value, Fault) else "",
)
def test_what_endpoints_say_is_taken_as_they_mean_it(fault: Fault, kind: str) -> None:
    assert fault.kind == kind
