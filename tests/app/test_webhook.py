"""The receiver: a status and one sentence for whatever comes, and a 202 only for what is safe."""

from __future__ import annotations

import asyncio
import gzip
import hmac
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from npm_packages import fetch
from redis import Redis
from service_receiver import SECRET, comment_payload, deliver, headers, receiver

from app.local.valkey import Valkey, ValkeyFiles
from app.signature import sign
from jobs import keys

EXAMPLES = (
    "@octokit/webhooks-examples",
    "7.6.1",
    "api.github.com/index.json",
    "0dee94dd707a3b70ed09aedb2a008ccd31dd7a8a6aa99e92362bcc6099caeb98"
    "9eaca2f5027348034b644580914bb970193efdd9df8fb3559b7c796ca3a3329d",
)
BODY = json.dumps(comment_payload()).encode()
OLD = "sha1=" + hmac.new(SECRET.encode(), BODY, "sha1").hexdigest()


@pytest.fixture
def url(redis_url: str) -> Iterator[str]:
    with receiver(redis_url) as address:
        yield address


def _post(url: str, body: bytes, change: dict[str, str | bytes | None]) -> httpx.Response:
    sent = {k: v for k, v in {**headers(body, "issue_comment"), **change}.items() if v is not None}
    return httpx.post(f"{url}/webhook", content=body, headers=sent, timeout=10, trust_env=False)  # type: ignore[arg-type]


def test_command_is_accepted_into_the_inbox(url: str, redis: Redis) -> None:
    answer = deliver(url, "issue_comment", comment_payload(), guid="delivery-0001")
    assert answer.status_code == 202
    entry = answer.json()["accepted"]
    assert answer.json() == {"accepted": entry, "new": True}
    assert redis.get(keys.delivery("delivery-0001")) == entry.encode()
    assert redis.zscore(keys.TODO, entry) is not None
    assert json.loads(redis.hget(keys.entry(entry), "trigger") or b"")["verb"] == "fix"


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"x-hub-signature-256": None}, 401, "signature"),
        ({"x-hub-signature-256": "sha256="}, 401, "signature"),
        ({"x-hub-signature-256": sign("wrong", BODY).decode()}, 401, "signature"),
        (
            {
                "x-hub-signature-256": None,
                "x-hub-signature": OLD,
            },
            401,
            "signature",
        ),
        ({"x-hub-signature-256": OLD}, 401, "signature"),
        ({"x-hub-signature-256": "sha256=é".encode()}, 401, "signature"),
        ({"content-type": "application/x-www-form-urlencoded"}, 415, "application/json"),
        ({"content-type": None}, 415, "application/json"),
        ({"x-github-delivery": None}, 400, "X-GitHub-Delivery"),
        ({"x-github-delivery": "a b\tc" * 5}, 400, "X-GitHub-Delivery"),
        ({"x-github-event": "../../x"}, 202, None),
        ({"x-github-event": None}, 202, None),
        ({"x-github-event": "gollum"}, 202, None),
        ({"content-type": "application/json; charset=utf-8"}, 202, None),
    ],
)
def test_headers_decide(
    url: str, redis: Redis, change: dict[str, str | bytes | None], status: int, words: str | None
) -> None:
    answer = _post(url, BODY, change)
    assert answer.status_code == status
    if words is not None:
        assert words in answer.json()["error"]
        assert redis.dbsize() == 0


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe\x00",
        b'{"a": ' + b"9" * 10_000 + b"}",
        gzip.compress(BODY),
    ],
    ids=["brackets", "objects", "empty", "cut", "null", "list", "text", "bytes", "number", "gzip"],
)
def test_signed_nonsense_is_a_400(url: str, redis: Redis, body: bytes) -> None:
    answer = _post(url, body, {})
    assert answer.status_code == 400
    assert "JSON" in answer.json()["error"]
    assert redis.dbsize() == 0


def test_known_event_of_an_unknown_shape_is_ignored_with_the_reason(url: str, redis: Redis) -> None:
    answer = deliver(url, "issue_comment", {"action": "created", "comment": 3})
    assert answer.status_code == 202
    assert "lacks" in answer.json()["ignored"]
    assert redis.dbsize() == 0


def test_smuggled_surrogates_reach_the_inbox_harmlessly(url: str, redis: Redis) -> None:
    assert deliver(url, "issue_comment", comment_payload("/agent fix \ud800 \x00 it")).json()["new"]


def test_too_large_bodies_are_refused_announced_or_not(url: str, redis: Redis) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(30):
            yield b"x" * (1 << 20)

    chunked = httpx.post(f"{url}/webhook", content=chunks(), headers=headers(b"", "push"), timeout=20, trust_env=False)
    assert chunked.status_code == 413
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=5) as raw:
        raw.sendall(b"POST /webhook HTTP/1.1\r\nhost: x\r\ncontent-length: 31457280\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 413")
    assert redis.dbsize() == 0


def test_body_of_exactly_the_limit_is_read(url: str) -> None:
    body = b'{"a":"' + b"x" * (25 * 1024 * 1024 - 8) + b'"}'
    assert len(body) == 25 * 1024 * 1024
    assert _post(url, body, {"x-github-event": "push"}).status_code == 202


def test_slow_bodies_do_not_hold_up_others_and_are_cut(url: str) -> None:
    port = int(url.rpartition(":")[2])
    slow = [socket.create_connection(("127.0.0.1", port), timeout=15) for _ in range(100)]
    for one in slow:
        one.sendall(b"POST /webhook HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{")
    began = time.monotonic()
    assert deliver(url, "issue_comment", comment_payload()).status_code == 202
    assert time.monotonic() - began < 1
    assert slow[0].recv(100).startswith(b"HTTP/1.1 408")
    assert time.monotonic() - began < 12
    for one in slow:
        one.close()


def test_fifty_copies_at_once_make_one_entry(url: str, redis: Redis) -> None:
    async def all_at_once() -> list[httpx.Response]:
        async with httpx.AsyncClient(trust_env=False, timeout=20) as client:
            sent = headers(BODY, "issue_comment", guid="copy-0001")
            return await asyncio.gather(*(client.post(f"{url}/webhook", content=BODY, headers=sent) for _ in range(50)))

    answers = [a.json() for a in asyncio.run(all_at_once())]
    assert len({a["accepted"] for a in answers}) == 1
    assert sum(a["new"] for a in answers) == 1
    assert redis.zcard(keys.TODO) == 1


def test_redis_away_is_a_503_in_time_and_nothing_half_done(tmp_path: Path) -> None:
    with receiver(f"unix://{tmp_path}/no.sock") as url:
        began = time.monotonic()
        answer = deliver(url, "issue_comment", comment_payload())
        assert (answer.status_code, time.monotonic() - began < 2) == (503, True)
        assert "later" in answer.json()["error"]


def test_hung_redis_is_a_503_in_time(tmp_path: Path) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(5)
        with receiver(f"redis://127.0.0.1:{deaf.getsockname()[1]}/0") as url:
            began = time.monotonic()
            assert deliver(url, "issue_comment", comment_payload()).status_code == 503
            assert time.monotonic() - began < 2


def test_restarted_redis_still_holds_what_was_accepted(url: str, redis: Redis, valkey: Valkey) -> None:
    first = deliver(url, "issue_comment", comment_payload(), guid="kept-0001").json()
    valkey.kill()
    away = deliver(url, "issue_comment", comment_payload("/agent plan"), guid="kept-0002")
    valkey.start()
    again = deliver(url, "issue_comment", comment_payload(), guid="kept-0001").json()
    assert away.status_code == 503
    assert again == {"accepted": first["accepted"], "new": False}


def test_only_post_is_answered(url: str) -> None:
    assert httpx.get(f"{url}/webhook", trust_env=False).status_code == 405
    assert httpx.get(f"{url}/openapi.json", trust_env=False).status_code == 404


def test_health_and_readiness(url: str, tmp_path: Path) -> None:
    assert httpx.get(f"{url}/healthz", trust_env=False).json() == {"alive": True}
    ready = httpx.get(f"{url}/readyz", trust_env=False)
    assert (ready.status_code, ready.json()) == (200, {"ready": True, "reasons": []})
    with receiver(f"unix://{tmp_path}/no.sock") as away:
        red = httpx.get(f"{away}/readyz", trust_env=False)
        assert (red.status_code, "can't be reached" in red.json()["reasons"][0]) == (503, True)
        assert httpx.get(f"{away}/healthz", trust_env=False).status_code == 200


def test_redis_that_may_lose_work_is_not_ready(tmp_path: Path) -> None:
    server = Valkey(ValkeyFiles(tmp_path / "v"), durable=False)
    server.start()
    try:
        Redis.from_url(server.files.url).config_set("maxmemory-policy", "allkeys-lru")
        with receiver(server.files.url) as url:
            red = httpx.get(f"{url}/readyz", trust_env=False)
        assert red.status_code == 503
        assert [r.partition(":")[0] for r in red.json()["reasons"]] == [
            "Redis has no append-only file",
            "Redis may evict keys",
        ]
    finally:
        server.kill()


@pytest.mark.registry
def test_every_real_payload_gets_a_decision(url: str) -> None:
    events = json.loads(fetch(*EXAMPLES).read_bytes())
    sent, accepted = 0, 0
    with httpx.Client(trust_env=False, timeout=30) as client:
        for event in events:
            for example in event["examples"]:
                body = json.dumps(example).encode()
                answer = client.post(f"{url}/webhook", content=body, headers=headers(body, event["name"]))
                assert answer.status_code == 202, (event["name"], answer.text)
                assert ("accepted" in answer.json()) != ("ignored" in answer.json())
                assert "lacks what" not in answer.text, (event["name"], answer.text)
                sent += 1
                accepted += "accepted" in answer.json()
    assert sent == 329
    assert accepted > 0
