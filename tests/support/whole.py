"""The whole product on embedded parts, as `patchwright up` runs it, with the local GitHub and the scripted model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from redis import Redis
from redis.exceptions import RedisError
from scripted_fix import BILLING, replies

from app.local.free_port import free_port
from app.local.hub.server import Hub
from app.local.model import ScriptedEndpoint
from app.local.valkey import ValkeyFiles
from jobs.connection import connect
from jobs.runs import Run, Runs

REPO, PERSON = "acme/billing", "ann"
KEY = "canary-model-key-0123456789"
PARTS = ("valkey", "receiver", "control", "worker", "horse")


@dataclass
class Whole:
    """Everything that is up. `root` holds data and log."""

    hub: Hub
    model: ScriptedEndpoint
    root: Path
    receiver: str
    up: subprocess.Popen[bytes]
    redis: Redis
    asked: dict[int, int] = field(default_factory=dict)  # issue -> comment

    @property
    def runs(self) -> Runs:
        """Run records."""
        return Runs(self.redis, keep_s=86_400)

    @property
    def log(self) -> str:
        """What the parts logged."""
        return (self.root / "up.log").read_text(errors="replace")

    def ask(self, command: str = "/agent fix") -> int:
        """Opens an issue and writes the command on it; the issue's number."""
        title, _, body = (BILLING / "issue.md").read_text().partition("\n")
        number = self.hub.open_issue(REPO, PERSON, title.lstrip("# "), body)
        self.asked[number] = self.hub.comment(REPO, number, PERSON, command)
        return number

    def run_of(self, number: int) -> Run | None:
        """The run of an issue, once there is one."""
        with suppress(RedisError):
            return next((r for r in self.runs.recent(500) if r.job.issue == number), None)
        return None

    def wait(self, what: Callable[[], Any], timeout_s: float = 120.0) -> Any:
        """The first true value of `what`; fails with the log's end after `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if found := what():
                return found
            time.sleep(0.05)
        raise AssertionError("\n".join(self.log.splitlines()[-60:]))

    def finished(self, number: int, timeout_s: float = 120.0) -> Run:
        """The run of an issue, when it has ended and its people were told."""

        def ended() -> Run | None:
            run = self.run_of(number)
            return run if run is not None and run.state == "finished" and run.told else None

        run: Run = self.wait(ended, timeout_s)
        return run

    def pid(self, part: str) -> int:
        """The process of a part: of PARTS; `horse` is the work horse below the worker of people's jobs. 0: none now."""
        if part == "horse":
            return next(iter(children(self.pid("worker"))), 0)
        sign = {"receiver": " serve ", "control": " control", "worker": " --queue now", "valkey": "valkey-server"}[part]
        return next((pid for pid in children(self.up.pid) if sign in f"{_cmdline(pid)} "), 0)

    def kill(self, part: str) -> int:
        """kill -9 of a part that is there; its pid, 0 if it was gone."""
        pid = self.pid(part)
        if pid:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return pid

    def receipts(self, number: int) -> tuple[int, int]:
        """How many pull requests and status comments an issue has."""
        pulls = [p for p in self.hub.pulls(REPO) if f"fix-{number}-" in p["head"]["ref"]]
        status = [c for c in self.hub.comments(REPO, number) if "patchwright:run=" in c["body"]]
        return len(pulls), len(status)


def children(pid: int) -> list[int]:
    """Processes whose parent is `pid`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = entry.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(entry.parent.name))
    return found


def _cmdline(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    return ""


def settings(hub: Hub, model: ScriptedEndpoint, root: Path) -> dict[str, str]:
    """The environment that an operator would give."""
    passed = ("PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV", "SSL_CERT_FILE", "SSL_CERT_DIR")
    return {
        **{name: os.environ[name] for name in passed if name in os.environ},
        "GITHUB_APP_ID": str(hub.app_id),
        "GITHUB_APP_PRIVATE_KEY": hub.private_key,
        "GITHUB_WEBHOOK_SECRET": hub.webhook_secret,
        "GITHUB_API_URL": hub.url,
        "GITHUB_SERVER_URL": hub.url,
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": model.url,
        "PATCHWRIGHT_DATA": str(root / "data"),
    }


@contextmanager
def whole(
    *,
    script: list[dict[str, Any]] | None = None,
    files: Mapping[str, str] | None = None,
    env: Mapping[str, str] | None = None,
) -> Iterator[Whole]:
    """Hub with the demo's repository (and `files` over it), model and `patchwright up`; `env` over the settings."""
    with tempfile.TemporaryDirectory(prefix="pw", dir="/tmp", ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        own = {str(p.relative_to(BILLING / "repository")): p.read_bytes() for p in _files(BILLING / "repository")}
        added = {name: text.encode() for name, text in (files or {}).items()}
        with Hub(root / "hub") as hub, ScriptedEndpoint(script or replies(), key=KEY) as model:
            hub.add_user(PERSON)
            hub.add_repository(REPO, {**own, **added})
            hub.grant(REPO, PERSON, "maintain")
            receiver = f"http://127.0.0.1:{free_port()}"
            hub.webhook_to(f"{receiver}/webhook")
            with _up(root, receiver, {**settings(hub, model, root), **(env or {})}) as up:
                redis = connect(ValkeyFiles(root / "data" / "valkey").url)
                try:
                    yield Whole(hub, model, root, receiver, up, redis)
                finally:
                    redis.close()


def _files(root: Path) -> list[Path]:
    return [p for p in root.rglob("*") if p.is_file() and p.suffix != ".pyc"]


@contextmanager
def _up(root: Path, receiver: str, env: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    with (root / "up.log").open("wb") as log:
        command = (sys.executable, "-P", "-m", "app.cli", "up", "--port", receiver.rpartition(":")[2])
        up = subprocess.Popen(command, env=dict(env), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        _wait_ready(receiver, up, root / "up.log")
        yield up
    finally:
        up.send_signal(signal.SIGINT)
        try:
            up.wait(timeout=30)
        except subprocess.TimeoutExpired:
            up.kill()
            up.wait()


def _wait_ready(receiver: str, up: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        assert up.poll() is None, log.read_text()
        with suppress(httpx.HTTPError):
            if httpx.get(f"{receiver}/readyz", timeout=2).status_code == 200:
                return
        time.sleep(0.1)
    raise AssertionError(log.read_text())
