"""Faults on demand, as a client meets them."""

from __future__ import annotations

import re
import time

import httpx
import pytest
from hub_fixture import REPO, WRITER, hub, rest

from app.local.hub.server import Hub

__all__ = ["hub"]
BASE = f"/repos/{REPO}"


@pytest.mark.parametrize(
    ("kind", "status"),
    [("unauthorized", 401), ("forbidden", 403), ("not_found", 404), ("unprocessable", 422), ("bad_gateway", 502)],
)
def test_a_refusal_takes_the_request_s_place_as_often_as_asked(hub: Hub, kind: str, status: int) -> None:
    hub.fault("POST", "/repos/*/issues", kind, times=2)
    with rest(hub, base="/api/v3") as client:
        statuses = [client.post(f"{BASE}/issues", json={"title": f"n{n}"}).status_code for n in range(3)]
    assert statuses == [status, status, 201]
    assert [issue["title"] for issue in hub.issues(REPO)] == ["n2"]
    assert hub.faults_left == []


def test_rate_limits_with_and_without_a_time(hub: Hub) -> None:
    hub.fault("GET", BASE, "secondary")
    hub.fault("GET", BASE, "secondary", retry_after=7)
    hub.fault("GET", re.compile(r"/repos/[^/]+/[^/]+"), "primary", retry_after=30)
    with rest(hub) as client:
        bare, timed, primary = (client.get(BASE) for _ in range(3))
    assert (bare.status_code, "retry-after" in bare.headers) == (403, False)
    assert "secondary rate limit" in bare.json()["message"]
    assert timed.headers["retry-after"] == "7"
    assert primary.headers["x-ratelimit-remaining"] == "0"
    assert 25 <= int(primary.headers["x-ratelimit-reset"]) - time.time() <= 31


@pytest.mark.parametrize("kind", ["bad_gateway_after_write", "cut"])
def test_some_faults_come_after_the_work_is_done(hub: Hub, kind: str) -> None:
    number = hub.open_issue(REPO, WRITER, "Wrong")
    hub.fault("POST", f"{BASE}/issues/{number}/comments", kind)
    with rest(hub) as client:
        if kind == "cut":
            with pytest.raises(httpx.RemoteProtocolError):
                client.post(f"{BASE}/issues/{number}/comments", json={"body": "done"})
        else:
            assert client.post(f"{BASE}/issues/{number}/comments", json={"body": "done"}).status_code == 502
        assert client.get(f"{BASE}/issues/{number}").status_code == 200
    assert [comment["body"] for comment in hub.comments(REPO, number)] == ["done"]
    assert [r.fault for r in hub.requests if r.method == "POST"] == [kind]


def test_slow_answers_are_slow_and_hold_nobody_else_up(hub: Hub) -> None:
    hub.fault("GET", BASE, "slow", seconds=4)
    with rest(hub) as client, pytest.raises(httpx.ReadTimeout):
        client.get(BASE, timeout=0.2)
    started = time.monotonic()
    with rest(hub) as client:
        assert client.get(BASE).status_code == 200
    assert time.monotonic() - started < 2


def test_a_fault_that_does_not_exist_is_named(hub: Hub) -> None:
    with pytest.raises(ValueError, match="no such fault: banana"):
        hub.fault("GET", "*", "banana")


def test_requests_are_recorded_before_the_client_has_its_answer(hub: Hub) -> None:
    with rest(hub) as client:
        for n in range(20):
            client.get(f"{BASE}/issues", params={"page": n})
            assert hub.requests[-1].query == f"page={n}"
    last = hub.requests[-1]
    assert (last.route, last.status, last.response_json) == (f"{BASE}/issues", 200, [])
    assert last.headers["authorization"].startswith("Bearer ghs_")
