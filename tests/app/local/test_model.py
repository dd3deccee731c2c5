"""The scripted endpoint, spoken to by plain HTTP: what a faithful Messages API gives and refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.local.model import ScriptedEndpoint
from app.local.model_cache import BadMarkers, PromptCache
from app.local.model_script import BadScript, load

HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
USER = {"role": "user", "content": "Fix it."}


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    with httpx.Client(headers=HEADERS, timeout=10) as client:
        yield client


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "claude-sonnet-5-5", "max_tokens": 100, "messages": list(messages), **more}


def ask(http: httpx.Client, endpoint: ScriptedEndpoint, *messages: dict[str, Any], **more: Any) -> httpx.Response:
    return http.post(f"{endpoint.url}/v1/messages?beta=true", json=body(*messages, **more))


def tool_result(ident: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": ident, "content": "done", **more}]}


CALL = {"calls": [{"name": "shell", "input": {"command": "ls " * 50}}]}


def test_events_come_in_order_and_carry_the_reply(http: httpx.Client) -> None:
    with ScriptedEndpoint([{"thinking": "Hm. " * 40, "text": "Words. " * 30, **CALL}]) as endpoint:
        raw = ask(http, endpoint, USER, stream=True).text
    events = [(e.split("\n")[0][7:], json.loads(e.split("\n")[1][6:])) for e in raw.strip().split("\n\n")]
    assert all(name == data["type"] for name, data in events)
    kinds = [name for name, _ in events]
    assert kinds[:3] == ["message_start", "ping", "content_block_start"]
    assert kinds[-2:] == ["message_delta", "message_stop"]
    deltas = [data["delta"] for name, data in events if name == "content_block_delta"]
    assert "".join(d["text"] for d in deltas if d["type"] == "text_delta") == "Words. " * 30
    assert next(d["partial_json"] for d in deltas if d["type"] == "input_json_delta") == ""
    assert (
        json.loads("".join(d["partial_json"] for d in deltas if d["type"] == "input_json_delta"))["command"]
        == "ls " * 50
    )
    assert events[-2][1]["delta"]["stop_reason"] == "tool_use"
    assert events[-2][1]["usage"]["output_tokens"] > 1


def test_whole_replies_need_no_stream(http: httpx.Client) -> None:
    with ScriptedEndpoint([{"text": "Hello."}]) as endpoint:
        reply = ask(http, endpoint, USER).json()
    assert (reply["content"][0]["text"], reply["stop_reason"], reply["type"]) == ("Hello.", "end_turn", "message")


def test_replies_follow_the_history_not_the_order_of_requests(http: httpx.Client) -> None:
    with ScriptedEndpoint([CALL, {"text": "Done."}]) as endpoint:
        first = ask(http, endpoint, USER).json()
        begun_again = ask(http, endpoint, USER).json()
        assert first["content"] == begun_again["content"]
        turn = {"role": "assistant", "content": first["content"]}
        last = ask(http, endpoint, USER, turn, tool_result(first["content"][0]["id"])).json()
    assert last["content"][0]["text"] == "Done."


def test_conditions_and_values_out_of_the_request(http: httpx.Client) -> None:
    script = [
        {"when": {"contains": "blue"}, "text": "blue"},
        {
            "when": {"regex": r"number \d+", "not_contains": ["red"]},
            "extract": {"N": r"number (\d+)"},
            "text": "It is <<N>>.",
        },
    ]
    with ScriptedEndpoint(script) as endpoint:
        said = [ask(http, endpoint, {"role": "user", "content": c}) for c in ("number 42", "number 1 is red", "blue")]
    assert [r.json().get("content", [{}])[0].get("text") for r in said] == ["It is 42.", None, "blue"]
    assert said[1].status_code == 400
    assert "No reply of the script fits this request" in said[1].json()["error"]["message"]
    assert [(r.step, r.status) for r in endpoint.requests] == [(1, 200), (None, 400), (0, 200)]


TURN = {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {}}]}


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([USER, TURN, USER], "`tool_use` ids were found without `tool_result` blocks immediately after"),
        ([USER, tool_result("toolu_9")], "unexpected `tool_use_id` found in `tool_result` blocks"),
        (
            [USER, TURN, {"role": "user", "content": tool_result("toolu_1")["content"] * 2}],
            "each tool_use must have a single result",
        ),
        ([TURN], "first message must use the user role"),
        ([USER, {"role": "assistant", "content": []}, USER], "all messages must have non-empty content"),
        ([{"role": "user", "content": [{"type": "text", "text": ""}]}], "text content blocks must be non-empty"),
        (
            [USER, {"role": "assistant", "content": [{"type": "thinking", "thinking": "x", "signature": "y"}]}],
            "Invalid `signature`",
        ),
    ],
)
def test_bad_histories_are_refused(http: httpx.Client, messages: list[dict[str, Any]], words: str) -> None:
    with ScriptedEndpoint([{"text": "ok"}]) as endpoint:
        refused = ask(http, endpoint, *messages)
    assert (refused.status_code, words in refused.json()["error"]["message"]) == (400, True)
    assert refused.headers["request-id"] == refused.json()["request_id"]


def test_a_turn_whose_thinking_was_left_out_is_refused(http: httpx.Client) -> None:
    with ScriptedEndpoint([{"thinking": "Hm.", **CALL}, {"text": "ok"}]) as endpoint:
        thought, asked = ask(http, endpoint, USER).json()["content"]
        kept, lost = ([thought, asked], [asked])
        answers = [
            ask(http, endpoint, USER, {"role": "assistant", "content": c}, tool_result(asked["id"]))
            for c in (kept, lost)
        ]
    assert [r.status_code for r in answers] == [200, 400]
    assert "must remain as they were" in answers[1].json()["error"]["message"]


@pytest.mark.parametrize(
    ("fault", "status", "kind"),
    [
        ("overloaded", 529, "overloaded_error"),
        ("rate_limited", 429, "rate_limit_error"),
        ("unauthorized", 401, "authentication_error"),
        ("server_error", 500, "api_error"),
        ("too_long", 400, "invalid_request_error"),
    ],
)
def test_faults_come_as_often_as_asked_and_then_pass(http: httpx.Client, fault: str, status: int, kind: str) -> None:
    with ScriptedEndpoint([{"fault": fault, "times": 2, "seconds": 7}, {"text": "ok"}]) as endpoint:
        answers = [ask(http, endpoint, USER) for _ in range(3)]
    assert [r.status_code for r in answers] == [status, status, 200]
    assert (answers[0].json()["error"]["type"], answers[0].headers["retry-after"]) == (kind, "7")


def test_streams_break_where_asked(http: httpx.Client) -> None:
    script = [{"fault": "cut", "text": "x" * 900}, {"fault": "mid_stream_overloaded", "text": "x" * 900}]
    with ScriptedEndpoint(script) as endpoint:
        cut, overloaded = (ask(http, endpoint, USER, stream=True).text for _ in range(2))
    assert "message_stop" not in cut + overloaded
    assert overloaded.strip().split("\n\n")[-1].startswith("event: error\ndata: ")


def test_only_the_right_key_is_let_in(http: httpx.Client) -> None:
    with ScriptedEndpoint([{"text": "ok"}], key="right") as endpoint:
        address = f"{endpoint.url}/v1/messages"
        ways = [
            {"x-api-key": "right"},
            {"authorization": "Bearer right", "x-api-key": ""},
            {"x-api-key": "wrong"},
            {"x-api-key": ""},
        ]
        assert [http.post(address, json=body(USER), headers=h).status_code for h in ways] == [200, 200, 401, 401]


def test_other_addresses(http: httpx.Client) -> None:
    with ScriptedEndpoint([{"text": "ok"}]) as endpoint:
        assert http.post(f"{endpoint.url}/v1/messages/count_tokens", json=body(USER)).json()["input_tokens"] > 5
        assert http.get(f"{endpoint.url}/v1/models").json()["data"] == []
        assert http.post(f"{endpoint.url}/v1/complete", json={}).status_code == 404
        assert (
            http.post(f"{endpoint.url}/v1/messages", content=b"{").json()["error"]["message"] == "the body is not JSON"
        )


def test_scripts_are_files_too(tmp_path: Path, http: httpx.Client) -> None:
    (tmp_path / "script.yml").write_text("- when: {turn: 0}\n  text: From a file.\n")
    with ScriptedEndpoint(tmp_path / "script.yml") as endpoint:
        assert ask(http, endpoint, USER).json()["content"][0]["text"] == "From a file."


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ({"text": "x"}, "is a list"),
        ([{"txt": "x"}], "unknown keys: txt"),
        ([{"fault": "boom"}], "unknown fault 'boom'"),
    ],
)
def test_bad_scripts_are_told(script: Any, words: str) -> None:
    with pytest.raises(BadScript, match=words):
        load(script)


def cached(life: str = "5m") -> dict[str, Any]:
    return {"cache_control": {"type": "ephemeral", "ttl": life}}


def test_the_cache_reads_the_longest_known_prefix_and_forgets_in_time() -> None:
    now = [0.0]
    cache = PromptCache(minimum=100, clock=lambda: now[0])
    system = [{"type": "text", "text": "s" * 4000, **cached("1h")}]
    one = {"role": "user", "content": [{"type": "text", "text": "u" * 4000, **cached()}]}
    bare = {"role": "user", "content": [{"type": "text", "text": "u" * 4000}]}
    two = {"role": "user", "content": [{"type": "text", "text": "v" * 400, **cached()}]}
    first = cache.count(body(one, system=system))
    assert (first.read, first.fresh) == (0, 0)
    assert first.written_1h > 1000
    assert first.written_5m > 1000
    second = cache.count(body(bare, two, system=system))
    assert second.read == first.written_1h + first.written_5m
    assert 100 < second.written_5m < 150
    now[0] = 400.0
    third = cache.count(body(bare, two, system=system))
    assert third.read == first.written_1h
    assert cache.count(body(one, system=system) | {"model": "other"}).read == 0


def test_what_is_below_the_minimum_is_not_cached() -> None:
    cache = PromptCache(minimum=1024)
    short = body({"role": "user", "content": [{"type": "text", "text": "u" * 400, **cached()}]})
    assert [cache.count(short).read for _ in range(2)] == [0, 0]


@pytest.mark.parametrize(("lives", "words"), [(["5m"] * 5, "maximum of 4"), (["5m", "1h"], "must not come after")])
def test_marker_rules(http: httpx.Client, lives: list[str], words: str) -> None:
    content = [{"type": "text", "text": "x", **cached(life)} for life in lives]
    with pytest.raises(BadMarkers, match=words):
        PromptCache().count(body({"role": "user", "content": content}))
    with ScriptedEndpoint([{"text": "ok"}]) as endpoint:
        assert ask(http, endpoint, {"role": "user", "content": content}).status_code == 400
