"""Takes turns at one key with everybody else on this machine who uses it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from jobs.model.limits import Limits, Taken, next_turn

logger = logging.getLogger(__name__)

MINUTE_S = 60.0
_MOST_BYTES = 1 << 20  # of the file
LONGEST_TURN_S = 120.0  # then the request goes out all the same: a refusal says how long to wait


class Limiter(Protocol):
    """Who shares a key shares one of these."""

    def turn(self, tokens: int) -> float:
        """Takes the next turn for a request of about `tokens`; the seconds until it begins."""
        ...

    def learn(self, limits: Limits) -> None:
        """What the endpoint said of its limits."""
        ...

    def refused(self, after_s: float) -> None:
        """The endpoint was asked too often: nobody's turn begins before `after_s` seconds are over."""
        ...


class Unlimited:
    """Everybody's turn is now."""

    def turn(self, tokens: int) -> float:
        """No wait."""
        return 0.0

    def learn(self, limits: Limits) -> None:
        """Forgets it."""

    def refused(self, after_s: float) -> None:
        """Forgets it."""


class FileLimiter:
    """Turns in a file of `folder`, locked while it is changed: threads and processes of one machine share it. Its name
    is a hash of the key. A file that can't be used never stops a request."""

    def __init__(
        self, folder: Path, key: str, *, minute_s: float = MINUTE_S, clock: Callable[[], float] = time.time
    ) -> None:
        self._path = folder / f"{key_hash(key)}.json"
        self._minute_s = minute_s
        self._clock = clock
        self._told = False

    def turn(self, tokens: int) -> float:
        """As the protocol says."""
        now = self._clock()
        with self._state() as state:
            # What is further ahead than any turn was taken while the clock was wrong.
            earliest, latest = now - self._minute_s, now + LONGEST_TURN_S
            taken = [Taken(at, size) for at, size in state["taken"] if earliest < at <= latest]
            if state["until"] > latest:
                state["until"] = 0.0
            at = next_turn(taken, Limits(*state["limits"]), tokens, now=now, minute_s=self._minute_s)
            wait: float = min(max(0.0, at - now, state["until"] - now), LONGEST_TURN_S)
            state["taken"] = [[t.at, t.tokens] for t in (*taken, Taken(now + wait, tokens))]
            return wait
        return 0.0

    def learn(self, limits: Limits) -> None:
        """As the protocol says."""
        with self._state() as state:
            state["limits"] = [limits.requests, limits.tokens]

    def refused(self, after_s: float) -> None:
        """As the protocol says."""
        with self._state() as state:
            state["until"] = max(state["until"], self._clock() + min(after_s, LONGEST_TURN_S))

    @contextmanager
    def _state(self) -> Iterator[dict[str, Any]]:
        """The state, written back at the end; an empty one that goes nowhere where the file can't be used."""
        file = self._opened()
        if file is None:
            yield _empty()
            return
        state = _read(_text(file))
        try:
            yield state
        finally:
            self._write(file, state)

    def _write(self, file: BinaryIO, state: dict[str, Any]) -> None:
        """Writes the state and closes the file. On a full disk the turn is taken all the same, only not told."""
        try:
            with file:
                file.seek(0)
                file.truncate()
                file.write(json.dumps(state).encode())
        except OSError as broken:
            self._tell(broken)

    def _opened(self) -> BinaryIO | None:
        """The file, locked."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = self._path.open("a+b")
        except OSError as broken:
            self._tell(broken)
            return None
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as broken:
            file.close()
            self._tell(broken)
            return None
        return file

    def _tell(self, broken: OSError) -> None:
        """Says once that turns are not shared."""
        if not self._told:
            logger.warning("turns at the model key are not shared", extra={"cause": str(broken)})
        self._told = True


def key_hash(key: str) -> str:
    """Names a key without telling it."""
    return hashlib.sha256(f"limits:{key}".encode()).hexdigest()[:24]


def _text(file: BinaryIO) -> str:
    try:
        file.seek(0)
        return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _empty() -> dict[str, Any]:
    return {"taken": [], "limits": [None, None], "until": 0.0}


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(number)
    return number


def _read(text: str) -> dict[str, Any]:
    """What a limiter wrote, nothing for anything else (a machine that lost power leaves half a file)."""
    try:
        state = json.loads(text)
        requests, tokens = (None if limit is None else int(limit) for limit in state["limits"])
        return {
            "taken": sorted([_finite(at), int(size)] for at, size in state["taken"]),
            "limits": [requests, tokens],
            "until": _finite(state["until"]),
        }
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return _empty()
