"""What one sandbox is started with, and how it ended."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from jobs.sandbox.base import Ended

Watch = Callable[[], str | None]  # a sentence if the command uses too much, asked again and again


@dataclass(frozen=True)
class Plan:
    """What to start and how it may end. `argv` is bubblewrap's line without what `run` adds, NUL between its words;
    `limit` gets the id of process 1 of the sandbox before anything of the command runs; `before`, where it is given,
    that of bubblewrap before it begins (the bound on a user's processes must be there when a user name space is made).
    `within` is entered while it is started: what is started there is in its control group. `watches` are made when the
    command begins. A command that `waits` gets its input later, by `Running.hand`.
    """

    bubblewrap: str
    argv: bytes
    command: Sequence[str]
    filter: bytes
    limit: Callable[[int], None]
    before: Callable[[int], None] | None
    watches: Callable[[], tuple[Watch, ...]]
    timeout_s: float
    max_output: int
    stdin: bytes
    within: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    waits: bool = False


@dataclass
class Ending:
    """How it ended. `status` is the command's own, None if it was ended."""

    ended: Ended = "exit"
    reason: str = ""
    status: int | None = None
    output: bytearray = field(default_factory=bytearray)
    seconds: float = 0.0


def joined(words: Iterable[str]) -> bytes:
    """`words` as bubblewrap reads them from a descriptor."""
    return b"".join(os.fsencode(word) + b"\0" for word in words)
