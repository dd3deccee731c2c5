"""Keeps child processes running: starts them, restarts what fell, tells their lines apart, leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import IO, TextIO

from jobs.outcome import EXIT_OK, EXIT_USAGE
from jobs.parent import die_with

_POLL_S = 0.1
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.2, 15.0
_STEADY_S = 5.0  # a part that ran this long could start: it fell for a reason of its own
_GRACE_S = 8.0


@dataclass(frozen=True)
class Part:
    """One child. `prepare` runs before each start, `ready` after the first and may raise; `farewell` is the signal
    that asks it to leave. A part that exits with 2 was told something wrong: nothing restarts that."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str]
    prepare: Callable[[], None] = field(default=lambda: None)
    ready: Callable[[Callable[[], bool]], None] = field(default=lambda _alive: None)
    farewell: signal.Signals = signal.SIGTERM


class Supervisor:
    """Runs `parts` in order until told to stop; each line they print goes to `out` behind their name."""

    def __init__(self, parts: Sequence[Part], out: TextIO) -> None:
        self._out = out
        self._stop = threading.Event()
        self._printing = threading.Lock()
        width = max(len(part.name) for part in parts)
        self._children = [_Child(part, partial(self._say, part.name.ljust(width))) for part in parts]

    def run(self) -> int:
        """Blocks until SIGINT, SIGTERM or `stop`; returns 0, or 2 if a part can't run as it was told to.

        Call it in the main thread: the children's lives hang on the thread that starts them.
        """
        old = {s: signal.signal(s, lambda *_: self._stop.set()) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            return self._watch()
        finally:
            for child in reversed(self._children):
                child.end()
            for number, handler in old.items():
                signal.signal(number, handler)

    def stop(self) -> None:
        """Makes `run` return, from any thread or signal."""
        self._stop.set()

    def pids(self) -> dict[str, int]:
        """The running children by name."""
        return {child.part.name: child.pid for child in self._children if child.pid}

    def _watch(self) -> int:
        for child in self._children:
            if self._stop.is_set():
                return EXIT_OK
            child.start()
            child.part.ready(child.alive)
        while not self._stop.wait(_POLL_S):
            if any(child.misled for child in self._children):
                return EXIT_USAGE
            for child in self._children:
                child.tend()
        return EXIT_OK

    def _say(self, name: str, line: str) -> None:
        with self._printing:
            self._out.write(f"{name} | {line}\n")
            self._out.flush()


class _Child:
    def __init__(self, part: Part, say: Callable[[str], None]) -> None:
        self.part = part
        self._say = say
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._began = 0.0
        self._falls = 0
        self._due: float | None = None

    @property
    def pid(self) -> int:
        return self._process.pid if self._process is not None and self.alive() else 0

    @property
    def misled(self) -> bool:
        """It left because of what it was told, right after it started."""
        return self._process is not None and self._process.poll() == EXIT_USAGE

    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        self.part.prepare()
        parent = os.getpid()
        # A session of its own: Ctrl-C in a terminal reaches only the supervisor, which then ends all in order.
        self._process = subprocess.Popen(
            list(self.part.argv),
            env=dict(self.part.env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=lambda: die_with(parent),
        )
        self._began, self._due = time.monotonic(), None
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()

    def tend(self) -> None:
        """Starts it again if it fell, after a while that grows with each fall."""
        if self.alive() or self._process is None:
            return
        now = time.monotonic()
        if self._due is None:
            self._falls = 1 if now - self._began > _STEADY_S else self._falls + 1
            wait = min(_FIRST_WAIT_S * 2 ** (self._falls - 1), _LONGEST_WAIT_S)
            self._due = now + wait
            self._say(f"ended ({self._process.returncode}); starts again in {wait:.1f} s")
        elif now >= self._due:
            self.start()

    def end(self) -> None:
        if self._process is None:
            return
        if self.alive():
            self._process.send_signal(self.part.farewell)
            try:
                self._process.wait(timeout=_GRACE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()
        if self._reader is not None:
            self._reader.join(timeout=1)
        self._process = None

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            for line in pipe:
                self._say(line.decode("utf-8", "replace").rstrip("\n"))
