"""The embedded Valkey: durable, closed to others, told nothing, gone with its parent."""

from __future__ import annotations

import signal
import socket
import stat
from pathlib import Path

import pytest
from redis import Redis
from service_processes import Process, children, environment_of, exists, until

from app.local.valkey import Valkey, ValkeyFiles, environment
from jobs.connection import durable
from jobs.errors import EnvironmentFault


def test_it_is_durable_and_closed(redis: Redis, valkey: Valkey) -> None:
    assert durable(redis) == ()
    assert [*redis.config_get("appendfsync").values()] in ([b"everysec"], ["everysec"])
    assert stat.S_IMODE(valkey.files.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(valkey.files.socket.stat().st_mode) == 0o700
    assert int(redis.config_get("port")["port"]) == 0


def test_environment_of_the_server_holds_nothing_of_ours(valkey: Valkey) -> None:
    # The server wipes what /proc shows of it; what it was given is what counts.
    assert environment() == {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    assert environment_of(valkey.pid).strip() in ("", "PATH=/usr/bin:/bin\nLC_ALL=C")


def test_what_was_written_survives_a_kill(redis: Redis, valkey: Valkey) -> None:
    for n in range(500):
        redis.set(f"k{n}", n)
    valkey.kill()
    valkey.start()
    assert redis.dbsize() == 500


def test_it_dies_with_its_parent(tmp_path: Path) -> None:
    code = (
        "import time; from pathlib import Path; from app.local.valkey import Valkey, ValkeyFiles, environment; "
        f"Valkey(ValkeyFiles(Path({str(tmp_path / 'v')!r}))).start(); time.sleep(60)"
    )
    parent = Process(code, {}, tmp_path / "log")
    until(lambda: len(children(parent.pid)) == 1 and (tmp_path / "v" / "valkey.sock").exists())
    (server,) = children(parent.pid)
    parent.signal(signal.SIGKILL)
    until(lambda: not exists(server), timeout_s=2)
    parent.kill()


def test_server_that_does_not_come_up_says_why(tmp_path: Path) -> None:
    taken = Valkey(ValkeyFiles(tmp_path / "a", port=_free_port()))
    taken.start()
    with pytest.raises(EnvironmentFault, match="did not come up"):
        Valkey(ValkeyFiles(tmp_path / "b", port=taken.files.port)).start()
    taken.stop()


def test_too_long_a_path_is_told(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="too long for a socket"):
        Valkey(ValkeyFiles(tmp_path / ("x" * 120))).start()


def test_server_that_may_lose_work_is_named(tmp_path: Path) -> None:
    server = Valkey(ValkeyFiles(tmp_path / "v"), durable=False)
    server.start()
    assert "no append-only file" in durable(Redis.from_url(server.files.url))[0]
    server.stop()
    assert "can't be reached" in durable(Redis.from_url(server.files.url))[0]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
