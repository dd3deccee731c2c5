"""What the client makes of a GitHub that limits, fails, lies or is not there."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import replace

import pytest
from github_world import NAME, QUICK, WANTED, World, routes

from jobs.errors import EnvironmentFault, Retry
from jobs.github.auth import Tokens
from jobs.github.checks import CheckReport
from jobs.github.client import GitHub
from jobs.github.errors import NotFound, RateLimited, Rejected, Unclear

LOST = ("bad_gateway_after_write", "cut")
NOT_DONE = ("bad_gateway", "unavailable", "server_error")


@pytest.fixture
def number(gh: World) -> int:
    """An issue; the client has its token already."""
    made = gh.hub.open_issue(NAME, "ann", "Broken")
    gh.github.issue(made)
    return made


@pytest.mark.parametrize("kind", [*LOST, *NOT_DONE])
def test_a_comment_is_there_once_after_a_lost_answer(gh: World, number: int, kind: str) -> None:
    gh.hub.fault("POST", "/repos/*/comments", kind)
    said = gh.github.comment(number, "Hello")
    assert [c["id"] for c in gh.hub.comments(NAME, number)] == [said.id]


@pytest.mark.parametrize("kind", [*LOST, *NOT_DONE])
def test_a_pull_request_is_there_once_after_a_lost_answer(gh: World, kind: str) -> None:
    gh.hub.push(NAME, "agent/fix-1", {"tool.py": "x = 1\n"}, "ann")
    gh.hub.fault("POST", "/repos/*/pulls", kind)
    made = gh.github.create_pull(head="agent/fix-1", base="main", title="T", body="B")
    assert [p["number"] for p in gh.hub.pulls(NAME)] == [made.number]


@pytest.mark.parametrize("kind", LOST)
def test_a_check_run_is_there_once_after_a_lost_answer(gh: World, kind: str) -> None:
    sha = str(gh.github.branch_head("main"))
    gh.hub.fault("POST", "/repos/*/check-runs", kind)
    made = gh.github.create_check(sha, "r-1", CheckReport("in_progress", "Working", "…"))
    assert [c["id"] for c in gh.hub.checks(NAME, sha)] == [made.id]


def test_saying_the_same_twice_on_purpose_says_it_twice(gh: World, number: int) -> None:
    first, second = gh.github.comment(number, "Hello"), gh.github.comment(number, "Hello")
    assert first.id != second.id


def test_a_comment_is_there_once_after_an_answer_that_came_too_late(gh: World) -> None:
    number = gh.hub.open_issue(NAME, "ann", "Broken")
    hasty = Tokens(gh.tokens.key, gh.hub.url, patience=replace(QUICK, answer_s=0.5, first_delay_s=0.3))
    github = GitHub(hasty, gh.hub.url, gh.repository_id, NAME, gh.hub.installation_id(NAME), WANTED)
    github.is_ours(github.issue(number).author)
    gh.hub.fault("POST", "/repos/*/comments", "slow", seconds=0.9)
    said = github.comment(number, "Hello")
    assert [c["id"] for c in gh.hub.comments(NAME, number)] == [said.id]


def test_a_write_that_stays_unclear_is_a_retry(gh: World, number: int) -> None:
    gh.hub.fault("POST", "/repos/*/comments", "bad_gateway", times=9)
    with pytest.raises(Unclear):
        gh.github.comment(number, "Hello")
    assert len([r for r in routes(gh.hub, "POST") if r.endswith("/comments")]) == 2


@pytest.mark.parametrize("kind", NOT_DONE)
def test_reads_are_tried_three_times(gh: World, number: int, kind: str) -> None:
    gh.hub.fault("GET", f"/repos/{NAME}/issues/{number}", kind, times=2)
    assert gh.github.issue(number).title == "Broken"
    gh.hub.fault("GET", f"/repos/{NAME}/issues/{number}", kind, times=3)
    with pytest.raises(Retry):
        gh.github.issue(number)


@pytest.mark.parametrize("kind", ["secondary", "primary"])
def test_a_short_limit_is_waited_for(gh: World, number: int, kind: str) -> None:
    gh.hub.fault("POST", "/repos/*/comments", kind, retry_after=1)
    gh.github.comment(number, "Hello")
    assert len(gh.hub.comments(NAME, number)) == 1


def test_a_long_limit_is_told_with_its_time(gh: World, number: int) -> None:
    for kind, seconds in (("secondary", 40), ("primary", 900)):
        gh.hub.fault("GET", f"/repos/{NAME}/issues/{number}", kind, retry_after=seconds)
        with pytest.raises(RateLimited) as limited:
            gh.github.issue(number)
        assert limited.value.after_s == pytest.approx(seconds, abs=2)


def test_a_limit_without_a_time_is_known_by_its_words(gh: World, number: int) -> None:
    gh.hub.fault("POST", "/repos/*/comments", "secondary")
    with pytest.raises(RateLimited) as limited:
        gh.github.comment(number, "Hello")
    assert limited.value.after_s == 60.0
    assert gh.hub.comments(NAME, number) == []


def test_a_limit_is_never_longer_than_an_hour(gh: World, number: int) -> None:
    gh.hub.fault("GET", f"/repos/{NAME}/issues/{number}", "primary", retry_after=90_000)
    with pytest.raises(RateLimited) as limited:
        gh.github.issue(number)
    assert limited.value.after_s == 3600.0


def test_other_refusals_are_typed(gh: World, number: int) -> None:
    path = f"/repos/{NAME}/issues/{number}"
    gh.hub.fault("GET", path, "not_found")
    with pytest.raises(NotFound):
        gh.github.issue(number)
    gh.hub.fault("GET", path, "unprocessable")
    with pytest.raises(Rejected) as refused:
        gh.github.issue(number)
    assert refused.value.says("refused on demand")
    gh.hub.fault("GET", path, "forbidden")
    with pytest.raises(EnvironmentFault, match="Resource not accessible"):
        gh.github.issue(number)


def test_nobody_there_is_a_retry(gh: World) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(Unclear) as away:
        Tokens(gh.tokens.key, address, patience=QUICK).identity()
    assert not away.value.sent


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<h1>Proxy</h1>",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]",
    ],
    ids=["page", "list"],
)
def test_something_that_is_not_github_is_told(gh: World, answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_answer, args=(server, answer))
        thread.start()
        with pytest.raises(EnvironmentFault, match="GITHUB_API_URL"):
            Tokens(gh.tokens.key, f"http://127.0.0.1:{server.getsockname()[1]}", patience=QUICK).identity()
        thread.join(5)


def _answer(server: socket.socket, answer: bytes) -> None:
    connection, _ = server.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(answer)
        time.sleep(0.05)
