"""Turns at one key: what is shared, what is learned, and ten runs at once under a limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis
from service_valkey import redis, redis_url, valkey

from app.local.model import Limit, ScriptedEndpoint
from jobs.connection import connect_quick
from jobs.model.anthropic import AnthropicModel
from jobs.model.base import Reply, Request
from jobs.model.limiter import FileLimiter, Limiter
from jobs.model.limits import Limits, Taken, limits_of, next_turn
from jobs.model.openai import OpenAIModel
from jobs.model.shared import RedisLimiter

__all__ = ["redis", "redis_url", "valkey"]

MINUTE_S = 1.0
RUNS, ROUNDS, ALLOWED = 10, 9, 50
Make = Callable[[], Limiter]


@pytest.fixture(params=["file", "redis"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Makes one run's own limiter; all share the same key's turns."""
    if request.param == "file":
        return lambda: FileLimiter(tmp_path / "turns", "secret-key", minute_s=MINUTE_S)
    server: Redis = request.getfixturevalue("redis")
    return lambda: RedisLimiter(server, "secret-key", minute_s=MINUTE_S)


def conversation(said: int) -> Request:
    messages = [{"role": "user", "content": [{"type": "text", "text": "Go."}]}]
    for n in range(said):
        messages.append({"role": "assistant", "content": [{"type": "text", "text": "ok"}]})
        messages.append({"role": "user", "content": [{"type": "text", "text": f"More {n}."}]})
    return Request((), (), tuple(messages), 1000)


@pytest.mark.parametrize("kind", [AnthropicModel, OpenAIModel])
def test_ten_runs_on_one_limited_key_all_complete(make: Make, kind: type[AnthropicModel] | type[OpenAIModel]) -> None:
    replies: list[Reply] = []
    limit = Limit(ALLOWED, minute_s=MINUTE_S)
    with ScriptedEndpoint([{"text": "ok", "repeat": True}], key="key", limit=limit) as endpoint:
        address = endpoint.url if kind is AnthropicModel else f"{endpoint.url}/v1"

        def run() -> None:
            client = kind("claude-sonnet-5-5", api_key="key", base_url=address, limiter=make())
            replies.extend([client.ask(conversation(n)) for n in range(ROUNDS)])

        threads = [threading.Thread(target=run) for _ in range(RUNS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        refused = sum(r.status == 429 for r in endpoint.requests)
    assert [r.text for r in replies] == ["ok"] * RUNS * ROUNDS
    assert refused <= RUNS  # none but those that came before the limit was known, or between two windows
    assert max(r.seconds for r in replies) > MINUTE_S / 4  # who waited counts it


def test_turns_are_given_in_order_and_only_as_many_as_a_minute_has(make: Make) -> None:
    one, other = make(), make()
    assert [one.turn(1), other.turn(1)] == [0.0, 0.0]
    one.learn(Limits(requests=4))
    waits = [limiter.turn(1) for limiter in (other, one, other, one)]
    assert waits[0] == 0.0  # three of four: some room is left to others
    assert all(MINUTE_S * 0.8 < wait <= MINUTE_S for wait in waits[1:])


def test_tokens_are_counted_too(make: Make) -> None:
    limiter = make()
    limiter.learn(Limits(tokens=1000))
    waits = [limiter.turn(n) for n in (400, 400, 400)]
    assert waits[:2] == [0.0, 0.0]
    assert waits[2] > MINUTE_S * 0.8


def test_a_refusal_holds_for_everybody(make: Make) -> None:
    one, other = make(), make()
    one.refused(5.0)
    one.refused(0.1)
    assert 4.5 < other.turn(1) <= 5.0


def test_no_wait_is_longer_than_the_longest(make: Make) -> None:
    limiter = make()
    limiter.refused(4000.0)
    assert limiter.turn(1) == pytest.approx(120.0, abs=0.1)


def test_the_key_itself_is_kept_nowhere(tmp_path: Path, redis: Redis) -> None:
    FileLimiter(tmp_path, "secret-key").turn(1)
    shared = RedisLimiter(redis, "secret-key")
    shared.turn(1)
    shared.refused(1.0)
    files = [str(path) + path.read_text() for path in tmp_path.iterdir()]
    named = [key.decode() for key in redis.keys("*")]
    assert (len(files), len(named)) == (1, 2)
    assert not [text for text in files + named if "secret" in text]
    assert all(redis.pttl(key) > 0 for key in named)


def test_a_spoiled_file_begins_anew_and_an_impossible_folder_stops_nobody(tmp_path: Path) -> None:
    limiter = FileLimiter(tmp_path, "k")
    limiter.turn(1)
    (file,) = tmp_path.iterdir()
    file.write_text('{"taken": [[1')
    assert limiter.turn(1) == 0.0
    assert FileLimiter(file / "below", "k").turn(1) == 0.0


def test_a_redis_that_is_gone_stops_nobody() -> None:
    gone = RedisLimiter(connect_quick("redis://127.0.0.1:1/0"), "k")
    gone.learn(Limits(requests=1))
    gone.refused(9.0)
    assert gone.turn(1) == 0.0


def test_both_keep_the_same_turns(tmp_path: Path, redis: Redis) -> None:
    """The rule in Lua and the one in Python, over a long row of uneven requests."""
    sizes = [(n * 37) % 97 + 1 for n in range(60)]
    limits = Limits(requests=7, tokens=300)
    file, shared = FileLimiter(tmp_path, "k", minute_s=2.0), RedisLimiter(redis, "k", minute_s=2.0)
    begun = time.time()
    for limiter in (file, shared):
        limiter.learn(limits)
    pairs = [(file.turn(size), shared.turn(size)) for size in sizes]
    drift = time.time() - begun
    assert max(abs(one - other) for one, other in pairs) <= 0.05 + drift
    assert pairs[-1][0] > 10


def test_the_next_turn_leaves_room_in_every_minute() -> None:
    taken: list[Taken] = []
    for n in range(40):
        at = next_turn(taken, Limits(requests=10, tokens=500), 30 + n, now=100.0, minute_s=60.0)
        taken.append(Taken(at, 30 + n))
    for turn in taken:
        window = [t for t in taken if turn.at - 60.0 < t.at <= turn.at]
        assert len(window) <= 9
        assert sum(t.tokens for t in window) <= 475


def test_a_request_larger_than_the_limit_waits_for_an_empty_minute() -> None:
    assert next_turn([], Limits(tokens=10), 99, now=5.0, minute_s=60.0) == 5.0
    assert next_turn([Taken(1.0, 9)], Limits(tokens=10), 99, now=5.0, minute_s=60.0) == 61.0


@pytest.mark.parametrize(
    ("headers", "limits"),
    [
        ({"anthropic-ratelimit-requests-limit": "50", "anthropic-ratelimit-input-tokens-limit": "30000"}, (50, 30_000)),
        ({"x-ratelimit-limit-requests": "500"}, (500, None)),
        ({"x-ratelimit-limit-tokens": "nope", "anthropic-ratelimit-tokens-limit": "80"}, (None, 80)),
        ({"x-ratelimit-limit-requests": "0"}, None),
        ({}, None),
    ],
)
def test_limits_are_read_from_headers(headers: dict[str, str], limits: tuple[int | None, int | None] | None) -> None:
    assert limits_of(headers) == (None if limits is None else Limits(*limits))
