"""Runs one sandbox to its end: starts it under limits, reads it, ends it in time, leaves nothing alive."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import select
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence

from jobs.errors import EnvironmentFault
from jobs.sandbox.base import Ended
from jobs.sandbox.plan import Ending, Plan, Watch

_CHUNK = 1 << 16
_TICK_S = 0.25
_GONE_S = 1.5  # what is killed must be gone by then
# Waits for a line, then becomes bubblewrap; the rest of its input is the command's.
_WAITING = ("/bin/sh", "-c", 'read -r go && exec "$@"', "sh")


def run(plan: Plan) -> Ending:
    """Runs `plan`. Raises EnvironmentFault with bubblewrap's own words if the sandbox did not start."""
    started = time.monotonic()
    with Running(plan) as running:
        return running.work(started)


def _readable(descriptors: Sequence[int], timeout_s: float) -> list[int]:
    """Which of `descriptors` can be read, or have ended, within the time."""
    asked = select.poll()
    for descriptor in descriptors:
        asked.register(descriptor, select.POLLIN)
    return [ready for ready, _ in asked.poll(timeout_s * 1000)]


def _unstarted(said: str) -> int:
    """The status of a command that does not exist, as a shell gives it. Raises EnvironmentFault where the sandbox
    itself did not come about."""
    if said.startswith("bwrap: execvp "):
        return 127
    raise EnvironmentFault(f"The sandbox could not be started: {said[-600:]}")


def _memory(content: bytes) -> int:
    """A file in memory: what it holds is seen by whoever has the descriptor, and in no list of processes."""
    descriptor = os.memfd_create("patchwright", os.MFD_CLOEXEC)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


class Running:
    """One started sandbox: its pipes, and the process 1 inside whose death ends all others there.

    Process 1 needs the system call filter before it starts the command, and the filter comes through a pipe: it is
    written when the limits are set. Should we die before, the pipe ends empty, which is no filter: bubblewrap fails.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.ending = Ending()
        self._left = b"\n" + plan.stdin if plan.before else plan.stdin
        self._told = b""
        self._inner: int | None = None  # pidfd of process 1
        self._gate: int | None = None  # where the filter is written
        self._watches: tuple[Watch, ...] = ()
        self._next_tick = time.monotonic() + _TICK_S
        self._events = selectors.DefaultSelector()

    def __enter__(self) -> Running:
        self._status, theirs = os.pipe()
        filtered, self._gate = os.pipe()
        words = _memory(self.plan.argv)
        told = ["--seccomp", str(filtered), "--json-status-fd", str(theirs), "--args", str(words)]
        try:
            with self.plan.within():
                self._process = subprocess.Popen(
                    [*(_WAITING if self.plan.before else ()), self.plan.bubblewrap, *told, "--", *self.plan.command],
                    stdin=subprocess.PIPE if self._left or self.plan.waits else subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    pass_fds=(filtered, theirs, words),
                    start_new_session=True,
                    env={},
                    cwd="/",
                )
        except OSError as failed:
            os.close(self._status)
            self._shut_gate()
            raise EnvironmentFault(f"The sandbox could not be started: {failed}.") from failed
        finally:
            for given in (filtered, theirs, words):
                os.close(given)
        self._outer = os.pidfd_open(self._process.pid)
        self._listen()
        return self

    def _shut_gate(self) -> None:
        if self._gate is not None:
            os.close(self._gate)
            self._gate = None

    def _listen(self) -> None:
        assert self._process.stdout
        self._stdout = self._process.stdout.fileno()
        for descriptor in (self._stdout, self._status):
            os.set_blocking(descriptor, False)
        if self._process.stdin:
            os.set_blocking(self._process.stdin.fileno(), False)
        if self._process.stdin and self._left:
            self._events.register(self._process.stdin, selectors.EVENT_WRITE, self._write)
        self._events.register(self._stdout, selectors.EVENT_READ, self._read)
        self._events.register(self._status, selectors.EVENT_READ, self._hear)
        self._events.register(self._outer, selectors.EVENT_READ)

    def __exit__(self, *_: object) -> None:
        self._shut_gate()
        self._kill()
        self._events.close()
        with contextlib.suppress(OSError):  # buffered input for a reader that is gone
            if self._process.stdin:
                self._process.stdin.close()
        self._process.stdout.close()  # type: ignore[union-attr] # made with pipes
        self._process.wait()
        for descriptor in (self._outer, self._status, self._inner):
            if descriptor is not None:
                os.close(descriptor)

    def stand(self, timeout_s: float) -> bool:
        """Until all walls are up and a command that waits was let go; False if that did not come about in time."""
        until = time.monotonic() + timeout_s
        while self._gate is not None and (left := until - time.monotonic()) > 0:
            for key, _ in self._events.select(left):
                if key.data:
                    key.data()
                elif key.fd == self._outer:
                    return False
        return self._gate is None and self._stands()

    def hand(self, content: bytes, *, timeout_s: float, max_output: int) -> Ending | None:
        """Gives a command that waits its whole input and follows it to its end; None if it is gone already."""
        if not self._stands():
            return None
        assert self._process.stdin
        self.plan = dataclasses.replace(self.plan, timeout_s=timeout_s, max_output=max_output)
        self._left = content
        self._events.register(self._process.stdin, selectors.EVENT_WRITE, self._write)
        return self.work(time.monotonic())

    def _stands(self) -> bool:
        return self._inner is not None and not _readable([self._inner, self._outer], 0)

    def work(self, started: float) -> Ending:
        """Follows the command, whose time began at `started`, to its end."""
        self._watches = self.plan.watches()
        self.follow(started + self.plan.timeout_s)
        self.finish()
        self.ending.seconds = time.monotonic() - started
        return self.ending

    def follow(self, deadline: float) -> None:
        """Until the command has exited, time is up, or it took too much."""
        if self.plan.before:
            self.plan.before(self._process.pid)
        while self.ending.ended == "exit":
            now = time.monotonic()
            if now >= deadline:
                self._stop("timeout", f"It ran longer than {self.plan.timeout_s:g} s.")
                return
            ready = self._events.select(min(deadline - now, _TICK_S))
            for key, _ in ready:
                if key.data:
                    key.data()
            if any(key.fd == self._outer for key, _ in ready):
                return
            self._look(now)

    def finish(self) -> None:
        """Kills what is left, takes the last output, and tells a command that failed from a sandbox that did."""
        self._hear()
        self._kill()
        code = self._process.wait()
        if self.ending.ended == "exit":
            while self._stdout in self._events.get_map() and self._read():
                pass
        self._hear()
        if self.ending.ended != "exit":
            return
        self.ending.status = self._exit_code()
        if self.ending.status is None and code < 0:
            self._stop("killed", f"Its sandbox was killed by signal {-code}.")
        elif self.ending.status is None:
            self.ending.status = _unstarted(self.ending.output.decode("utf-8", "replace").strip() or f"exit {code}")

    def _stop(self, ended: Ended, reason: str) -> None:
        self.ending.ended, self.ending.reason = ended, reason

    def _look(self, now: float) -> None:
        if now < self._next_tick or self.ending.ended != "exit":
            return
        self._next_tick = now + _TICK_S
        for watch in self._watches:
            if reason := watch():
                self._stop("killed", reason)
                return

    def _read(self) -> bool:
        """Takes what is there; False at the end or when nothing is."""
        try:
            chunk = os.read(self._stdout, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._events.unregister(self._stdout)
            return False
        room = self.plan.max_output - len(self.ending.output)
        self.ending.output += chunk[:room]
        if len(chunk) > room:
            self._stop("output", f"It wrote more than {self.plan.max_output} bytes.")
            return False
        return True

    def _write(self) -> None:
        assert self._process.stdin
        try:
            self._left = self._left[os.write(self._process.stdin.fileno(), self._left) :]
        except BlockingIOError:
            return
        except OSError:  # the command reads no more
            self._left = b""
        if not self._left:
            self._events.unregister(self._process.stdin)
            self._process.stdin.close()

    def _hear(self) -> None:
        """Bubblewrap's own words: first which process is number 1 inside, at the end how the command exited."""
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self._status, _CHUNK):
                self._told += chunk
        pid = None if self._inner is not None else self._said("child-pid")
        if pid is None:
            return
        if self._status in self._events.get_map():
            self._events.unregister(self._status)
        with contextlib.suppress(ProcessLookupError):  # it failed and is gone: its words tell why
            self._inner = os.pidfd_open(pid)
            if self._gate is not None:
                self.plan.limit(pid)
                self._open_gate(self._gate)

    def _open_gate(self, gate: int) -> None:
        with contextlib.suppress(BrokenPipeError):  # as above
            os.write(gate, self.plan.filter)
        self._shut_gate()

    def _await_inner(self) -> None:
        """Bubblewrap that is ended between making process 1 and its first words leaves process 1 waiting for ever: so
        its words, or its own end without a filter, are waited for."""
        self._shut_gate()
        with contextlib.suppress(OSError):
            if self._process.stdin:  # what waits for a line to become bubblewrap ends by itself
                self._process.stdin.close()
        until = time.monotonic() + _GONE_S
        while self._inner is None and (left := until - time.monotonic()) > 0:
            if self._outer in _readable([self._status, self._outer], left):
                return
            self._hear()

    def _exit_code(self) -> int | None:
        return self._said("exit-code")

    def _said(self, name: str) -> int | None:
        for line in self._told.splitlines():
            with contextlib.suppress(ValueError):
                value = json.loads(line).get(name)
                if isinstance(value, int):
                    return value
        return None

    def _kill(self) -> None:
        """Process 1 first: it is gone only when all others of its name space are. Then bubblewrap outside."""
        if self._inner is None:
            self._await_inner()
        if self._inner is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._inner, signal.SIGKILL)
            waiting = selectors.DefaultSelector()
            waiting.register(self._inner, selectors.EVENT_READ)
            waiting.select(_GONE_S)
            waiting.close()
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._outer, signal.SIGKILL)
