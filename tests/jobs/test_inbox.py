"""The inbox: one entry for one meaning, kept until it is ended."""

from __future__ import annotations

import asyncio
import time

import pytest
from redis import Redis
from redis.exceptions import RedisError

from jobs import keys
from jobs.connection import connect_async
from jobs.inbox import Accepted, Arrival, Door, Inbox


def _accept(url: str, *arrivals: Arrival) -> list[Accepted]:
    async def all_at_once() -> list[Accepted]:
        client = connect_async(url)
        try:
            return await asyncio.gather(*(Door(client, keep_s=60).accept(a) for a in arrivals))
        finally:
            await client.aclose()

    return asyncio.run(all_at_once())


def _due_now(redis: Redis, entry_id: str) -> None:
    """As if its waiting time were over."""
    redis.zadd(keys.TODO, {entry_id: 0}, xx=True)


def test_delivery_is_accepted_once(redis_url: str, redis: Redis) -> None:
    first, again = (_accept(redis_url, Arrival("d1", "issues", "m1", "{}"))[0] for _ in range(2))
    assert first.new
    assert again == Accepted(first.entry, new=False)
    assert redis.zcard(keys.TODO) == 1


def test_same_meaning_under_another_delivery_is_the_same_entry(redis_url: str) -> None:
    first = _accept(redis_url, Arrival("d1", "issues", "m1", "{}"))[0]
    assert _accept(redis_url, Arrival("d2", "issues", "m1", "{}")) == [Accepted(first.entry, new=False)]


def test_fifty_copies_at_once_make_one_entry(redis_url: str, redis: Redis) -> None:
    accepted = _accept(redis_url, *[Arrival(f"d{i % 5}", "issues", "m", "{}") for i in range(50)])
    assert len({a.entry for a in accepted}) == 1
    assert sum(a.new for a in accepted) == 1
    assert redis.zcard(keys.TODO) == 1


def test_marks_expire_but_the_entry_stays_until_ended(redis_url: str, redis: Redis) -> None:
    entry = _accept(redis_url, Arrival("d1", "issues", "m1", "{}"))[0].entry
    assert 0 < redis.ttl(keys.delivery("d1")) <= 60
    assert 0 < redis.ttl(keys.meaning("m1")) <= 60
    assert redis.ttl(keys.entry(entry)) == -1


def test_taken_entry_comes_back_later_unless_ended(redis_url: str, redis: Redis) -> None:
    inbox = Inbox(redis, keep_s=60)
    entry_id = _accept(redis_url, Arrival("d1", "issue_comment", "m1", '{"a": 1}'))[0].entry
    entry = inbox.take()
    assert entry is not None
    assert (entry.id, entry.delivery, entry.event, entry.trigger) == (entry_id, "d1", "issue_comment", '{"a": 1}')
    assert entry.tries == 1
    assert inbox.take() is None
    _due_now(redis, entry_id)
    again = inbox.take()
    assert again is not None
    assert again.tries == 2
    inbox.end(entry_id, "answered", "help")
    _due_now(redis, entry_id)
    assert inbox.take() is None
    assert inbox.ending(entry_id) == ("answered", "help")
    assert 0 < redis.ttl(keys.entry(entry_id)) <= 60


def test_entry_put_off_was_no_try_and_waits_longer_each_time(redis_url: str, redis: Redis) -> None:
    inbox = Inbox(redis, keep_s=60)
    entry_id = _accept(redis_url, Arrival("d1", "issues", "m1", "{}"))[0].entry
    waits = []
    for n in range(30):
        entry = inbox.take()
        assert entry is not None
        assert (entry.tries, entry.waits) == (1, n)
        waits.append(inbox.later(entry, 15.0))
        assert inbox.take() is None
        due_s = (redis.zscore(keys.TODO, entry_id) or 0) / 1000 - time.time()
        assert waits[-1] - 2 < due_s <= waits[-1]
        _due_now(redis, entry_id)
    assert waits[:7] == [15, 15, 15, 15, 16, 32, 64]
    assert waits[-1] == 300
    entry = inbox.take()
    assert entry is not None
    assert inbox.later(entry, 3600.0) == 3600


def test_entry_given_up_is_taken_as_new_when_it_is_sent_again(redis_url: str, redis: Redis) -> None:
    inbox = Inbox(redis, keep_s=60)
    first = _accept(redis_url, Arrival("d1", "issues", "m1", "{}"))[0]
    entry = inbox.take()
    assert entry is not None
    inbox.give_up(entry, "m1", "GitHub was away")
    assert inbox.ending(first.entry) == ("failed", "GitHub was away")
    assert inbox.waiting() == 0
    again = _accept(redis_url, Arrival("d1", "issues", "m1", "{}"))[0]
    assert again.new
    assert again.entry != first.entry


def test_bell_wakes_a_waiting_taker(redis_url: str, redis: Redis) -> None:
    inbox = Inbox(redis, keep_s=60)
    _accept(redis_url, Arrival("d1", "issues", "m1", "{}"))
    began = time.monotonic()
    inbox.wait(5)
    assert time.monotonic() - began < 1
    assert redis.llen(keys.BELL) == 0


def test_away_redis_raises_instead_of_losing(tmp_path: object) -> None:
    with pytest.raises(RedisError):
        _accept("unix:///nonexistent/valkey.sock", Arrival("d1", "issues", "m1", "{}"))
