"""Load by hand: prepared signed deliveries over a few kept connections, at a fixed rate or as fast as answered."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from dataclasses import dataclass

from service_receiver import comment_payload, headers


@dataclass(frozen=True)
class Latencies:
    """Milliseconds of each answer, sorted, and the seconds of the whole."""

    ms: tuple[float, ...]
    seconds: float

    def at(self, share: float) -> float:
        """The latency below which `share` of the answers were."""
        return self.ms[min(len(self.ms) - 1, int(len(self.ms) * share))]

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.ms) / self.seconds


def deliveries(count: int, secret: str, size: int = 10_000) -> list[bytes]:
    """Whole HTTP requests, each a new comment with a command, bodies of about `size` bytes."""
    return [_request(secret, number, size) for number in range(count)]


def _request(secret: str, number: int, size: int) -> bytes:
    payload = comment_payload(comment={**comment_payload()["comment"], "id": uuid.uuid4().int >> 64})
    payload["filler"] = "x" * (size - len(json.dumps(payload)))
    body = json.dumps(payload).encode()
    head = "".join(f"{k}: {v}\r\n" for k, v in headers(body, "issue_comment", secret=secret).items())
    return f"POST /webhook HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n{head}\r\n".encode() + body


class _Connection(asyncio.Protocol):
    """One kept connection, one request at a time."""

    def __init__(self) -> None:
        self._waiter: asyncio.Future[bytes] | None = None
        self._got = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, end, body = self._got.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
        if end and len(body) >= length and self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(self._got)
            self._got = b""

    async def ask(self, request: bytes) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        answer = await asyncio.wait_for(self._waiter, 10)
        assert answer.startswith(b"HTTP/1.1 202"), answer[:200]


async def _pool(port: int, size: int) -> asyncio.Queue[_Connection]:
    pool: asyncio.Queue[_Connection] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    for _ in range(size):
        _, connection = await loop.create_connection(_Connection, "127.0.0.1", port)
        pool.put_nowait(connection)
    return pool


async def steady(port: int, requests: list[bytes], per_s: float, *, connections: int = 16) -> Latencies:
    """Sends at a fixed rate, whatever the answers do; a late answer counts from when it should have been asked."""
    pool = await _pool(port, connections)
    ms: list[float] = []
    began = time.perf_counter()

    async def one(at: float, request: bytes) -> None:
        connection = await pool.get()
        await connection.ask(request)
        ms.append((time.perf_counter() - at) * 1000)
        pool.put_nowait(connection)

    async with asyncio.TaskGroup() as tasks:
        for number, request in enumerate(requests):
            at = began + number / per_s
            await asyncio.sleep(max(0.0, at - time.perf_counter()))
            tasks.create_task(one(at, request))
    return Latencies(tuple(sorted(ms)), time.perf_counter() - began)


async def flood(port: int, requests: list[bytes], *, connections: int = 16) -> Latencies:
    """Sends as fast as it is answered, `connections` at a time."""
    pool = await _pool(port, connections)
    left = iter(requests)
    ms: list[float] = []
    began = time.perf_counter()

    async def keep_asking() -> None:
        connection = await pool.get()
        for request in left:
            at = time.perf_counter()
            await connection.ask(request)
            ms.append((time.perf_counter() - at) * 1000)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(connections):
            tasks.create_task(keep_asking())
    return Latencies(tuple(sorted(ms)), time.perf_counter() - began)
