"""Real processes of the service for trials: started with an environment of their own, ended by pid."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

_SUPPORT = Path(__file__).parent
WORKER = "from jobs.settings import WorkerSettings, take; from jobs.worker import serve; serve(take(WorkerSettings))"


class Process:
    """One started process; its output goes to `log`."""

    def __init__(self, code: str, env: Mapping[str, str], log: Path) -> None:
        self.log = log
        self._out: IO[bytes] = log.open("ab")
        base = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "PYTHONPATH": str(_SUPPORT)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            env={**base, **env},
            stdout=self._out,
            stderr=self._out,
            stdin=subprocess.DEVNULL,
        )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def signal(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        self._process.send_signal(number)

    def wait(self, timeout_s: float = 10) -> int:
        """Its exit code."""
        return self._process.wait(timeout=timeout_s)

    def kill(self) -> None:
        """kill -9, and its body is collected."""
        self._process.kill()
        self._process.wait()
        self._out.close()

    def end(self) -> None:
        """SIGINT, then SIGKILL if it does not leave."""
        if self.alive:
            self._process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=5)
        self.kill()

    def text(self) -> str:
        """What it printed so far."""
        return self.log.read_text(errors="replace")


@contextlib.contextmanager
def running(code: str, env: Mapping[str, str], log: Path) -> Iterator[Process]:
    """A process for the time of a block."""
    process = Process(code, env, log)
    try:
        yield process
    finally:
        process.end()


def worker_environment(url: str, data: Path, runner: str, **more: str) -> dict[str, str]:
    """What a worker is told."""
    return {
        "GITHUB_APP_ID": "1",
        "GITHUB_APP_PRIVATE_KEY": "no key is needed here",
        "REDIS_URL": url,
        "PATCHWRIGHT_DATA": str(data),
        "PATCHWRIGHT_RUNNER": runner,
        **more,
    }


def children(pid: int) -> list[int]:
    """The living children of a process."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [int(word) for word in text.split()]
    return []


def environment_of(pid: int) -> str:
    """The environment that a process was started with."""
    return Path(f"/proc/{pid}/environ").read_bytes().replace(b"\0", b"\n").decode(errors="replace")


def exists(pid: int) -> bool:
    """Whether a process lives (a body that nobody collected does not)."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def until(true: Callable[[], bool], *, timeout_s: float = 10, every_s: float = 0.02) -> None:
    """Waits until `true()`; fails the test after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while not true():
        if time.monotonic() > deadline:
            raise AssertionError(f"still not true after {timeout_s} s")
        time.sleep(every_s)
