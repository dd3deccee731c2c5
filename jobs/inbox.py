"""The durable inbox: what was accepted stays until somebody has dealt with it."""

from __future__ import annotations

from dataclasses import dataclass

from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from ulid import ULID

from jobs import keys
from jobs.clock import now_ms
from jobs.connection import text
from jobs.lua import source

# A taken entry comes back after this long if its taker died; each further try waits twice as long.
_FIRST_DELAY_MS, _LONGEST_DELAY_MS = 3_000, 60_000
# So does one that was put off, however long that goes on.
_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 300.0


@dataclass(frozen=True)
class Arrival:
    """One verified delivery that asks for something. `meaning` is the same for every delivery that says the same
    thing; `trigger` is JSON that only control reads; `dates` is a key that gets the time of arrival if it has none."""

    delivery: str
    event: str
    meaning: str
    trigger: str
    dates: str = ""


@dataclass(frozen=True)
class Accepted:
    """`entry` is the id of the entry, and of the run if it becomes one; `new` is False for what was known."""

    entry: str
    new: bool


@dataclass(frozen=True)
class Entry:
    """An accepted arrival on its way. `at_ms` is when it was accepted, `tries` how often it was taken without being
    ended or put off (this time included), `waits` how often it was put off."""

    id: str
    delivery: str
    event: str
    trigger: str
    at_ms: int
    tries: int
    waits: int

    @property
    def age_s(self) -> float:
        """Seconds since it was accepted."""
        return (now_ms() - self.at_ms) / 1000


def new_id() -> str:
    """A fresh run id; ids sort by the time they were made."""
    return f"r-{ULID()}"


class Door:
    """The receiver's side: lets arrivals in. Marks of what was accepted are kept for `keep_s` seconds."""

    def __init__(self, redis: AsyncRedis, *, keep_s: int) -> None:
        self.redis = redis
        self._keep_s = keep_s
        self._accept = redis.register_script(source("accept"))

    async def accept(self, arrival: Arrival) -> Accepted:
        """Writes delivery mark, meaning mark, entry and its place in the todo list in one step.

        Raises RedisError if that could not be confirmed; then it is safe to deliver the same again.
        """
        entry_id = new_id()
        names = [
            keys.delivery(arrival.delivery),
            keys.meaning(arrival.meaning),
            keys.entry(entry_id),
            keys.TODO,
            keys.BELL,
            *([arrival.dates] if arrival.dates else []),
        ]
        fields = ["delivery", arrival.delivery, "event", arrival.event, "trigger", arrival.trigger]
        new, known = await self._accept(keys=names, args=[entry_id, now_ms(), self._keep_s, *fields])
        return Accepted(known.decode(), bool(new))


class Inbox:
    """Control's side: takes entries and says how each ended. `keep_s` is how long an ended entry stays readable."""

    def __init__(self, redis: Redis, *, keep_s: int) -> None:
        self._redis = redis
        self._keep_s = keep_s
        self._take = redis.register_script(source("take"))

    def wait(self, timeout_s: float) -> None:
        """Sleeps until something arrives, `timeout_s` at most."""
        self._redis.blpop([keys.BELL], timeout=timeout_s)

    def take(self) -> Entry | None:
        """The entry that is due first, or None. It comes back later unless it is ended."""
        while found := self._take(
            keys=[keys.TODO], args=[now_ms(), _FIRST_DELAY_MS, _LONGEST_DELAY_MS, keys.entry("")]
        ):
            if found[1]:  # else the entry outlived its keep time
                return _entry(found[0].decode(), found[1])
        return None

    def later(self, entry: Entry, after_s: float = 0.0) -> float:
        """Puts off an entry just taken, which then was no try; says for how many seconds: `after_s` at least, and
        longer from one time to the next."""
        wait_s = max(after_s, min(_FIRST_WAIT_S * 2.0 ** min(entry.waits, 20), _LONGEST_WAIT_S))
        with self._redis.pipeline(transaction=True) as pipe:
            pipe.zadd(keys.TODO, {entry.id: now_ms() + int(wait_s * 1000)}, xx=True)
            pipe.hincrby(keys.entry(entry.id), "tries", -1)
            pipe.hincrby(keys.entry(entry.id), "waits", 1)
            pipe.execute()
        return wait_s

    def end(self, entry_id: str, ending: str, reason: str) -> None:
        """Takes the entry off the list. `ending`: run | answered | refused | ignored."""
        self._end(entry_id, ending, reason, marks=())

    def give_up(self, entry: Entry, meaning: str, reason: str) -> None:
        """Ends the entry as `failed` and forgets its delivery and its meaning: sent again, it is taken as new."""
        self._end(entry.id, "failed", reason, marks=(keys.delivery(entry.delivery), keys.meaning(meaning)))

    def ending(self, entry_id: str) -> tuple[str, str] | None:
        """(ending, reason) of an ended entry, None while it is not."""
        ending, reason = self._redis.hmget(keys.entry(entry_id), ["ending", "reason"])
        return None if ending is None else (text(ending), text(reason))

    def waiting(self) -> int:
        """How many entries are not ended."""
        return int(self._redis.zcard(keys.TODO))

    def _end(self, entry_id: str, ending: str, reason: str, *, marks: tuple[str, ...]) -> None:
        with self._redis.pipeline(transaction=True) as pipe:
            pipe.zrem(keys.TODO, entry_id)
            pipe.hset(keys.entry(entry_id), mapping={"ending": ending, "reason": reason})
            pipe.expire(keys.entry(entry_id), self._keep_s)
            if marks:
                pipe.delete(*marks)
            pipe.execute()


def _entry(entry_id: str, flat: list[bytes]) -> Entry:
    fields = {k.decode(): v.decode() for k, v in zip(flat[::2], flat[1::2], strict=True)}
    return Entry(
        id=entry_id,
        delivery=fields["delivery"],
        event=fields["event"],
        trigger=fields["trigger"],
        at_ms=int(fields["at"]),
        tries=int(fields["tries"]),
        waits=int(fields.get("waits", 0)),
    )
