"""A real Valkey for a test session, emptied before each test; import `valkey` and `redis` into a test module."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from app.local.valkey import Valkey, ValkeyFiles
from jobs.connection import connect_quick

__all__ = ["redis", "redis_url", "valkey"]


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    """The session's server, append-only file on."""
    with tempfile.TemporaryDirectory(prefix="pw-v-") as folder:
        server = Valkey(ValkeyFiles(Path(folder)))
        server.start()
        yield server
        server.stop()


@pytest.fixture
def redis(valkey: Valkey) -> Iterator[Redis]:
    """A connection to the emptied server."""
    connection = connect_quick(valkey.files.url)
    connection.flushall()
    yield connection
    connection.close()


@pytest.fixture
def redis_url(redis: Redis, valkey: Valkey) -> str:
    """The emptied server's address."""
    return valkey.files.url
