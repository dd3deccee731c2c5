"""One machine for real: embedded Valkey, receiver, control and workers as supervised children."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TextIO

from app.local import valkey
from app.local.supervise import Part, Supervisor
from app.settings import ControlSettings, ReceiverSettings
from jobs.github.auth import read_key
from jobs.queue import QUEUES
from jobs.settings import WorkerSettings, check, child_environment, forget_secrets, told, variables

_PYTHON = (sys.executable, "-P", "-m", "app.cli")


def run(*, host: str | None = None, port: int | None = None, out: TextIO | None = None) -> int:
    """Runs everything until Ctrl-C; returns the exit code.

    REDIS_URL is used where it is set, else Valkey is started below PATCHWRIGHT_DATA. Raises UserError for missing or
    wrong settings before anything is started, EnvironmentFault if Valkey does not come up.
    """
    files = valkey.ValkeyFiles(check(WorkerSettings, redis_url="unix://").data / "valkey")
    url = told("REDIS_URL")
    told_where = check(
        ReceiverSettings, webhook_secret="unread", redis_url="unix://"
    )  # its other values are checked below
    host, port = host or told_where.host, told_where.port if port is None else port
    supervisor = Supervisor(parts(url or files.url, host, port, files=None if url else files), out or sys.stderr)
    forget_secrets()
    return supervisor.run()


def parts(url: str, host: str, port: int, *, files: valkey.ValkeyFiles | None) -> list[Part]:
    """The children in the order of their start, each with its own secrets only. `files`: an embedded Valkey too."""
    check(ReceiverSettings, redis_url=url)
    check(ControlSettings, redis_url=url)
    read_key(check(WorkerSettings, redis_url=url).private_key)
    redis = {"REDIS_URL": url}
    receiver = child_environment(variables(ReceiverSettings)) | redis
    receiver |= {"PATCHWRIGHT_HOST": host, "PATCHWRIGHT_PORT": str(port)}
    control = child_environment(variables(ControlSettings)) | redis
    worker = child_environment(variables(WorkerSettings)) | redis
    return [
        *([_server(files)] if files else []),
        Part("receiver", (*_PYTHON, "serve", "--host", host, "--port", str(port)), receiver),
        Part("control", (*_PYTHON, "control"), control),
        # SIGINT: leave the run to whoever comes next instead of finishing it first.
        *(_worker(queue, (*_PYTHON, "worker", "--queue", queue), worker) for queue in QUEUES),
    ]


def _worker(queue: str, argv: Sequence[str], env: Mapping[str, str]) -> Part:
    return Part(f"worker {queue}", argv, env, farewell=signal.SIGINT)


def _server(files: valkey.ValkeyFiles) -> Part:
    return Part(
        "valkey",
        valkey.command(files),
        valkey.environment(),
        prepare=partial(valkey.prepare, files),
        ready=lambda alive: valkey.wait_until_up(files, timeout_s=60, alive=alive),
    )
