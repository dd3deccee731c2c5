"""A whole deployment for trials: hub, recorder, and everything that `up` starts, each a real process to be killed."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
from redis.exceptions import RedisError
from service_processes import Process, children, exists, until
from service_recorder import Recorder

from app.local.hub.server import Hub
from app.local.valkey import ValkeyFiles
from jobs.connection import connect_quick
from jobs.outcome import Outcome
from jobs.runs import Run, Runs

REPO, PERSON = "acme/calc", "alice"
VICTIMS = ("horse", "worker", "control", "receiver", "valkey")
_UP = "import sys; from app.local.up import run; sys.exit(run(port={port}))"
_WORDS = {
    "worker": ("app.cli worker", "now"),
    "control": ("app.cli control",),
    "receiver": ("app.cli serve",),
    "valkey": ("valkey-server",),
}


@dataclass(frozen=True)
class Round:
    """One kill. `recovery_s`: from the kill until the work was going on again (or done, if it came first)."""

    victim: str
    run: str
    recovery_s: float
    attempts: int


class Deployment:
    """Everything at work; `killed(victim)` is one trial."""

    def __init__(self, hub: Hub, repository_id: int, recorder: Recorder, folder: Path, up: Process) -> None:
        self.hub = hub
        self.recorder = recorder
        self.up = up
        self._repository_id = repository_id
        self._redis = connect_quick(ValkeyFiles(folder / "valkey").url)
        self._runs = Runs(self._redis, keep_s=3600)

    def ask(self, seconds: float) -> int:
        """A person's command on a new issue, for work of that length; the issue's number."""
        issue = self.hub.open_issue(REPO, PERSON, "It breaks", "x")
        self.hub.comment(REPO, issue, PERSON, f"/agent fix {self.recorder.url} {seconds}")
        return issue

    def run_of(self, issue: int) -> Run | None:
        """The newest run of an issue, None if there is none or Redis is away."""
        with contextlib.suppress(RedisError):
            found = self._runs.of_thread(self._repository_id, issue)
            return found[0] if found else None
        return None

    def pid(self, victim: str) -> int:
        """The process of a part that runs now."""
        parts = children(self.up.pid)
        if victim == "horse":
            return children(self._find(parts, _WORDS["worker"]))[0]
        return self._find(parts, _WORDS[victim])

    def killed(self, victim: str, dice: random.Random, *, work_s: float = 1.5) -> Round:
        """Asks for work, kills `victim` at a random moment, waits for the end, checks it."""
        issue = self.ask(work_s)
        if victim in ("horse", "worker"):
            until(lambda: self._started(issue) > 0, timeout_s=20)
            time.sleep(dice.uniform(0, work_s + 0.3))
        elif victim == "valkey":
            assert self.hub.settle()
            time.sleep(dice.uniform(0, work_s + 0.5))
        elif victim == "receiver":
            assert self.hub.settle()  # each delivery has its 202
        else:
            time.sleep(dice.uniform(0, 0.4))
        before = self._started(issue)
        at = time.monotonic()
        with contextlib.suppress(IndexError):  # the horse was quicker
            os.kill(self.pid(victim), signal.SIGKILL)
        until(lambda: self._started(issue) > before or self._ended(issue), timeout_s=60, every_s=0.05)
        recovery_s = time.monotonic() - at
        if victim == "receiver":
            until(self._receives, timeout_s=30)
            recovery_s = time.monotonic() - at
        until(lambda: self._ended(issue), timeout_s=60, every_s=0.05)
        return self._checked(victim, issue, recovery_s)

    def _checked(self, victim: str, issue: int, recovery_s: float) -> Round:
        run = self.run_of(issue)
        assert run is not None
        runs = self._runs.of_thread(self._repository_id, issue)
        assert [r.id for r in runs] == [run.id], "one command, one run"
        assert (run.state, run.outcome) == ("finished", Outcome.FIXED), (victim, run)
        counts = self.recorder.counts(run.id)
        assert (counts["branch"], counts["pull"], counts["comment"]) == (1, 1, 1), (victim, counts)
        assert run.usd >= 0.01
        return Round(victim, run.id, recovery_s, run.attempt)

    def _started(self, issue: int) -> int:
        run = self.run_of(issue)
        return self.recorder.counts(run.id).get("started", 0) if run else 0

    def _ended(self, issue: int) -> bool:
        run = self.run_of(issue)
        return run is not None and run.state == "finished"

    def _receives(self) -> bool:
        with contextlib.suppress(httpx.HTTPError):
            return httpx.get(f"{self.url}/healthz", trust_env=False).status_code == 200
        return False

    @staticmethod
    def _find(pids: list[int], words: tuple[str, ...]) -> int:
        for pid in pids:
            with contextlib.suppress(OSError):
                command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
                if all(word in command for word in words):
                    return pid
        raise IndexError(f"no process with {words}")

    url: str = ""


@contextlib.contextmanager
def deployed(**more: str) -> Iterator[Deployment]:
    """A deployment that is up, until the block ends; then nothing of it is left."""
    with tempfile.TemporaryDirectory(prefix="pw-up-") as name, Recorder() as recorder:
        folder = Path(name)
        with Hub(folder / "hub") as hub:
            hub.add_user("acme", kind="Organization")
            repository_id = hub.add_repository(REPO, {"calc.py": "x = 1\n"})
            hub.grant(REPO, PERSON, "write")
            port = _free_port()
            env = _environment(hub, folder) | more
            up = Process(_UP.format(port=port), env, folder / "log")
            deployment = Deployment(hub, repository_id, recorder, folder, up)
            deployment.url = f"http://127.0.0.1:{port}"
            hub.webhook_to(f"{deployment.url}/webhook")
            try:
                until(lambda: _ready(deployment), timeout_s=60, every_s=0.1)
                yield deployment
            except BaseException as failed:
                failed.add_note(up.text()[-8000:])
                raise
            finally:
                left = [pid for child in children(up.pid) for pid in (child, *children(child))]
                up.end()
                until(lambda: not any(map(exists, left)), timeout_s=10)


def _environment(hub: Hub, folder: Path) -> dict[str, str]:
    return {
        "GITHUB_APP_ID": str(hub.app_id),
        "GITHUB_APP_PRIVATE_KEY": hub.private_key,
        "GITHUB_WEBHOOK_SECRET": hub.webhook_secret,
        "GITHUB_API_URL": hub.url,
        "PATCHWRIGHT_DATA": str(folder),
        "PATCHWRIGHT_RUNNER": "service_runners:work",
    }


def _ready(deployment: Deployment) -> bool:
    """Receiver, control and the worker for people are up."""
    if not deployment._receives():
        return False
    with contextlib.suppress(RedisError):
        redis = deployment._redis
        workers = [redis.hget(key, "queues") for key in redis.keys("rq:worker:*")]
        return bool(redis.exists("patchwright:leader")) and b"now" in workers
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
