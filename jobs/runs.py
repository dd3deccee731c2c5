"""The record of each run: state, attempt, ending and money; every write of a worker is fenced by its holder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from redis import Redis
from redis.typing import EncodableT

from jobs import keys
from jobs.clock import now_ms
from jobs.connection import text
from jobs.job import Job
from jobs.lua import source
from jobs.model.usage import Usage
from jobs.outcome import Outcome


@dataclass(frozen=True)
class Finished:
    """How a run ended. `result` is its receipt as JSON values; `told` is False where the people who asked still
    have to be told by somebody."""

    outcome: Outcome
    reason: str
    result: dict[str, Any] = field(default_factory=dict)
    told: bool = True


@dataclass(frozen=True)
class Run:
    """One record. `state` is queued (dispatched, nobody owns it), running, waiting (a temporary refusal, until
    `due_ms`) or finished. `attempt` counts dispatches; `holder` is the owner's fencing token, '' for none; `lost` is
    '1' or '0' where the owner is known to be gone (died, left), else ''; `deaths` counts owners that died, `waits`
    temporary refusals. `usd`, `usage`, `rounds` and `agent_s` (seconds of the agent's work) are those of all attempts;
    `kept` is what an attempt left for a later one. Times are epoch milliseconds."""

    id: str
    job: Job
    state: str
    attempt: int
    holder: str
    lost: str
    deaths: int
    waits: int
    stop: str
    outcome: Outcome | None
    reason: str
    result: dict[str, Any]
    told: bool
    usd: float
    usage: Usage
    rounds: int
    agent_s: float
    kept: dict[str, Any]
    created_ms: int
    started_ms: int | None
    due_ms: int | None
    finished_ms: int | None

    @property
    def due(self) -> bool:
        """True if a waiting run may go on."""
        return now_ms() >= (self.due_ms or 0)


class Runs:
    """Reads records, and writes what does not need to own the run. `keep_s` is how long a finished one stays."""

    def __init__(self, redis: Redis, *, keep_s: int) -> None:
        self.redis = redis
        self.keep_s = keep_s
        self._stop = redis.register_script(source("stop"))
        self._finish = redis.register_script(source("finish"))

    def get(self, run_id: str) -> Run | None:
        """The record, or None if there is none (any more)."""
        fields = self.redis.hgetall(keys.run(run_id))
        return _run(run_id, {text(k): text(v) for k, v in fields.items()}) if b"job" in fields else None

    def open(self) -> tuple[Run, ...]:
        """Runs that are not finished."""
        return tuple(self._some(sorted(map(text, self.redis.smembers(keys.OPEN)))))

    def untold(self) -> tuple[Run, ...]:
        """Finished runs whose ending nobody was told."""
        return tuple(self._some(sorted(map(text, self.redis.smembers(keys.UNTOLD)))))

    def recent(self, limit: int = 50) -> tuple[Run, ...]:
        """The newest runs, newest first."""
        return tuple(self._some(self._newest(keys.RUNS, limit)))

    def of_thread(self, repository_id: int, issue: int) -> tuple[Run, ...]:
        """The runs of one issue or pull request, newest first."""
        return tuple(self._some(self._newest(keys.thread(repository_id, issue), 50)))

    def owned(self, run_id: str) -> bool:
        """True while somebody holds a live lease on it."""
        return bool(self.redis.exists(keys.lease(run_id)))

    def stop(self, run_id: str, reason: str) -> bool:
        """Asks the run to stop; False if it is not open."""
        return bool(self._stop(keys=[keys.run(run_id)], args=[reason]))

    def finish(self, run_id: str, holder: str, finished: Finished) -> bool:
        """Records the one ending; False if `holder` does not own the run (any more)."""
        names = [keys.run(run_id), keys.lease(run_id), keys.OPEN, keys.UNTOLD]
        told = "1" if finished.told else "0"
        result = json.dumps(finished.result)
        ending = [str(finished.outcome), printable(finished.reason), result]
        args: list[EncodableT] = [holder, run_id, now_ms(), told, self.keep_s, *ending]
        return bool(self._finish(keys=names, args=args))

    def tell(self, run_id: str) -> None:
        """Notes that people were told how the run ended."""
        with self.redis.pipeline(transaction=True) as pipe:
            pipe.srem(keys.UNTOLD, run_id)
            pipe.hset(keys.run(run_id), "told", "1")
            pipe.expire(keys.run(run_id), self.keep_s)
            pipe.execute()

    def forget(self) -> None:
        """Drops runs older than `keep_s` from the list (their records expire by themselves)."""
        self.redis.zremrangebyscore(keys.RUNS, "-inf", now_ms() - self.keep_s * 1000)

    def _newest(self, name: str, limit: int) -> list[str]:
        return [text(cast("bytes", member)) for member in self.redis.zrevrange(name, 0, limit - 1)]

    def _some(self, ids: Iterable[str]) -> Iterator[Run]:
        for run_id in ids:
            if (run := self.get(run_id)) is not None:
                yield run


def printable(text: str) -> str:
    """`text` without what UTF-8 can't carry (lone surrogates, which JSON can smuggle in)."""
    return text.encode("utf-8", "replace").decode()


def _run(run_id: str, fields: dict[str, str]) -> Run:
    def number(name: str) -> int | None:
        return int(fields[name]) if fields.get(name) else None

    return Run(
        id=run_id,
        job=Job.from_json(fields["job"]),
        state=fields["state"],
        attempt=int(fields["attempt"]),
        holder=fields.get("holder", ""),
        lost=fields.get("lost", ""),
        deaths=number("deaths") or 0,
        waits=number("waits") or 0,
        stop=fields.get("stop", ""),
        outcome=Outcome(fields["outcome"]) if fields.get("outcome") else None,
        reason=fields.get("reason", ""),
        result=json.loads(fields.get("result") or "{}"),
        told=fields.get("told") == "1",
        usd=float(fields.get("usd", 0)),
        usage=Usage(**{name: number(name) or 0 for name in Usage.__dataclass_fields__}),
        rounds=number("rounds") or 0,
        agent_s=float(fields.get("agent_s", 0)),
        kept=json.loads(fields.get("kept") or "{}"),
        created_ms=int(fields["created_at"]),
        started_ms=number("started_at"),
        due_ms=number("due_at"),
        finished_ms=number("finished_at"),
    )
