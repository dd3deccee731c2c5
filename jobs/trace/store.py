"""Where a run's events are kept: a JSON Lines file in local mode, a Redis Stream in service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from redis import Redis
from redis.typing import EncodableT

from jobs import keys
from jobs.clock import iso, now_ms
from jobs.errors import Fenced
from jobs.lease import Lease
from jobs.lua import source
from jobs.redact import Redactor
from jobs.trace.events import FILE_ONLY, Event

_Item = tuple[bytes, dict[bytes, bytes]]

# About as many as a run of some hundred rounds can make; the oldest go first.
_LONGEST = 20_000


class FileTrace:
    """Writes `path` anew, one event a line, each on disk (written out) before `emit` returns."""

    def __init__(self, path: Path, run: str, redactor: Redactor, *, attempt: int = 1) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w", encoding="utf-8")
        self._events = _Numbered(run, attempt, redactor)

    def emit(self, type: str, **fields: Any) -> None:
        """Appends one event."""
        self._file.write(self._events.line(type, fields) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


class StreamTrace:
    """Appends to the run's stream while the lease's holder owns it, `keep_s` after the last event. What is for files
    only is dropped: a live page would get all of it."""

    def __init__(self, lease: Lease, redactor: Redactor, *, keep_s: int) -> None:
        self._lease = lease
        self._keep_s = keep_s
        self._append = lease.redis.register_script(source("append"))
        self._events = _Numbered(lease.run, lease.attempt, redactor)

    def emit(self, type: str, **fields: Any) -> None:
        """Appends one event. Raises Fenced if another attempt owns the run now."""
        if type in FILE_ONLY:
            return
        run = self._lease.run
        line = self._events.line(type, fields)
        args: list[EncodableT] = [self._lease.holder, _LONGEST, self._keep_s, line]
        if not self._append(keys=[keys.run(run), keys.trace(run)], args=args):
            raise Fenced(f"Attempt {self._lease.attempt} of {run} may not write any more.")


class _Numbered:
    """Makes whole events: time, run, attempt and a number that grows by one, secrets masked."""

    def __init__(self, run: str, attempt: int, redactor: Redactor) -> None:
        self._run, self._attempt, self._redactor, self._seq = run, attempt, redactor, 0

    def line(self, type: str, fields: dict[str, Any]) -> str:
        self._seq += 1
        head = {"at": iso(now_ms()), "run": self._run, "attempt": self._attempt, "seq": self._seq, "type": type}
        return json.dumps({**self._redactor.value(fields), **head}, default=str)


def read_file(path: Path) -> Iterator[Event]:
    """The events of a JSON Lines file; a last line that was cut off is left out."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                yield json.loads(line)


def read(redis: Redis, run: str, *, after: str = "-") -> Iterator[Event]:
    """The events of a run in Redis, oldest first. An event that was sent twice appears once.

    `after` is a stream id to begin behind; each event carries its own as `id`.
    """
    seen: set[tuple[int, int]] = set()
    start = after if after == "-" else f"({after}"
    for stream_id, fields in cast("list[_Item]", redis.xrange(keys.trace(run), min=start)):
        event = json.loads(fields[b"event"])
        if (number := (event["attempt"], event["seq"])) not in seen:
            seen.add(number)
            yield {**event, "id": stream_id.decode()}
