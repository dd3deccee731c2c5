"""The scripted endpoint as chat completions, and its limit of requests, spoken to by plain HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.local.model import Limit, ScriptedEndpoint
from app.local.model_limit import Window

SYSTEM = {"role": "system", "content": "Be brief. " * 800}
USER = {"role": "user", "content": "Fix it."}
CALL = {"calls": [{"name": "shell", "input": {"command": "ls " * 50}}]}


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    with httpx.Client(headers={"authorization": "Bearer k"}, timeout=10) as client:
        yield client


def ask(http: httpx.Client, endpoint: ScriptedEndpoint, *messages: dict[str, Any], **more: Any) -> httpx.Response:
    body = {"model": "house", "messages": [SYSTEM, *messages], **more}
    return http.post(f"{endpoint.url}/v1/chat/completions", json=body)


def test_chunks_come_in_order_and_carry_the_reply(http: httpx.Client) -> None:
    with ScriptedEndpoint([{"thinking": "Hm.", "text": "Wörds. " * 30, **CALL}]) as endpoint:
        raw = ask(http, endpoint, USER, stream=True).text
    lines = [line[6:] for line in raw.split("\n\n") if line]
    assert lines[-1] == "[DONE]"
    chunks = [json.loads(line) for line in lines[:-1]]
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"]["completion_tokens"] > 10
    deltas = [c["choices"][0]["delta"] for c in chunks[:-1]]
    assert deltas[0] == {"role": "assistant", "content": ""}
    assert "".join(d.get("content") or "" for d in deltas) == "Wörds. " * 30
    calls = [d["tool_calls"][0] for d in deltas if "tool_calls" in d]
    assert (calls[0]["function"]["name"], {c["index"] for c in calls}) == ("shell", {0})
    assert json.loads("".join(c["function"]["arguments"] for c in calls)) == {"command": "ls " * 50}
    assert [c["choices"][0]["finish_reason"] for c in chunks[-2:-1]] == ["tool_calls"]


def test_a_conversation_goes_on_and_its_beginning_is_cached(http: httpx.Client) -> None:
    with ScriptedEndpoint([CALL, {"text": "Done."}]) as endpoint:
        first = ask(http, endpoint, USER).json()
        said = first["choices"][0]["message"]
        result = {"role": "tool", "tool_call_id": said["tool_calls"][0]["id"], "content": "calc.py"}
        last = ask(http, endpoint, USER, said, result).json()
    assert (first["choices"][0]["finish_reason"], last["choices"][0]["message"]["content"]) == ("tool_calls", "Done.")
    assert last["usage"]["prompt_tokens_details"]["cached_tokens"] == first["usage"]["prompt_tokens"]


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([USER, {"role": "tool", "tool_call_id": "gone", "content": "x"}], "unexpected `tool_use_id`"),
        (
            [
                USER,
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
                },
                USER,
            ],
            "without `tool_result` blocks",
        ),
        ([{"role": "robot", "content": "x"}], "is not one of"),
    ],
)
def test_bad_histories_are_refused(http: httpx.Client, messages: list[dict[str, Any]], words: str) -> None:
    with ScriptedEndpoint([{"text": "ok"}]) as endpoint:
        refused = ask(http, endpoint, *messages)
    error = refused.json()["error"]
    assert (refused.status_code, error["type"], words in error["message"]) == (400, "invalid_request_error", True)


def test_only_the_right_key_is_let_in(http: httpx.Client) -> None:
    with ScriptedEndpoint([{"text": "ok"}], key="other") as endpoint:
        assert ask(http, endpoint, USER).status_code == 401


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/v1/messages", [f"anthropic-ratelimit-requests-{what}" for what in ("limit", "remaining", "reset")]),
        ("/v1/chat/completions", [f"x-ratelimit-{what}-requests" for what in ("limit", "remaining", "reset")]),
    ],
)
def test_a_key_that_asks_too_often_is_told_when_to_come_back(http: httpx.Client, path: str, names: list[str]) -> None:
    body = {"model": "m", "max_tokens": 9, "messages": [USER]}
    with ScriptedEndpoint([{"text": "ok", "repeat": True}], limit=Limit(2)) as endpoint:
        answers = [http.post(endpoint.url + path, json=body) for _ in range(3)]
        other = http.post(endpoint.url + path, json=body, headers={"authorization": "Bearer another"})
    assert [a.status_code for a in (*answers, other)] == [200, 200, 429, 200]
    assert [a.headers[names[0]] for a in answers] == ["2"] * 3
    assert [a.headers[names[1]] for a in answers] == ["1", "0", "0"]
    assert all(names[2] in a.headers for a in answers)
    assert 50 < float(answers[2].headers["retry-after"]) <= 60
    assert answers[2].json()["error"]["type"] == "rate_limit_error"
    assert [r.status for r in endpoint.requests] == [200, 200, 429, 200]


def test_the_window_slides() -> None:
    now = [0.0]
    window = Window(Limit(2, minute_s=60.0), clock=lambda: now[0])
    seen = []
    for at in (0.0, 50.0, 55.0, 60.0, 61.0, 110.0):
        now[0] = at
        seen.append(window.ask("k").allowed)
    assert seen == [True, True, False, True, False, True]
