"""The oracle itself: it must see what is wrong, or its silence says nothing."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hub_fixture import REPO, WRITER, hub, rest
from npm_packages import fetch
from openapi_oracle import check

from app.local.hub.recorder import Recorded
from app.local.hub.server import Hub

__all__ = ["hub"]
pytestmark = pytest.mark.registry


@pytest.fixture
def good(hub: Hub) -> Recorded:
    """A comment that was written as it should be."""
    number = hub.open_issue(REPO, WRITER, "Wrong")
    with rest(hub, base="/api/v3") as client:
        client.post(f"/repos/{REPO}/issues/{number}/comments", json={"body": "Working"})
    return hub.requests[-1]


def without(recorded: Recorded, name: str) -> bytes:
    """The answer without one field."""
    body: dict[str, Any] = json.loads(recorded.response)
    del body[name]
    return json.dumps(body).encode()


def test_a_good_exchange_has_no_problem(good: Recorded) -> None:
    assert check(good) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"path": "/repos/acme/calc/issues/1/remarks"}, "no such operation"),
        ({"path": "/repos/acme/calc/issues/one/comments"}, "parameter issue_number"),
        ({"query": "verbose=1"}, "parameter verbose is unknown"),
        ({"body": b'{"text": "x"}'}, "'body' is a required property"),
        ({"body": b'{"body": 5}'}, "5 is not of type 'string'"),
        ({"body": b'{"body": "x", "colour": "red"}'}, "unknown field colour"),
        ({"body": b""}, "the body is missing"),
        ({"status": 200}, ""),
        ({"status": 302}, "status 302 is not described"),
        ({"response": b"{}"}, "is a required property"),
    ],
    ids=["path", "path parameter", "query", "body field missing", "body type", "body unknown", "no body",
         "other status", "undescribed status", "empty answer"],
)  # fmt: skip
def test_each_kind_of_mistake_is_seen(good: Recorded, change: dict[str, Any], words: str) -> None:
    problems = check(dataclasses.replace(good, **change))
    assert problems
    assert any(words in problem for problem in problems)


@pytest.mark.parametrize("name", ["id", "node_id", "user", "issue_url", "created_at"])
def test_each_required_field_of_an_answer_is_missed(good: Recorded, name: str) -> None:
    problems = check(dataclasses.replace(good, response=without(good, name)))
    assert any(f"'{name}' is a required property" in problem for problem in problems)


def test_a_time_that_is_none_is_seen(good: Recorded) -> None:
    body = json.loads(good.response) | {"created_at": "yesterday"}
    problems = check(dataclasses.replace(good, response=json.dumps(body).encode()))
    assert any("'yesterday' is not a 'date-time'" in problem for problem in problems)


def test_another_archive_than_the_pinned_one_is_not_used() -> None:
    with pytest.raises(AssertionError, match="is not the pinned archive"):
        fetch("@octokit/webhooks-schemas", "7.6.1", "schema.json", "0" * 128)
