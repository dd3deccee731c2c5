"""How fast the receiver acknowledges a 10 KB delivery while a worker works, beside bare uvicorn with the HMAC alone.

    python tests/bench/receiver.py [ROUNDS]

Prints throughput (16 connections) and p50/p99 at 100 requests a second; exits 1 if p99 is 25 ms or more.
"""

from __future__ import annotations

import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import uvloop
from service_jobs import job
from service_load import Latencies, deliveries, flood, steady
from service_processes import Process, until, worker_environment
from service_receiver import SECRET

from app.local.valkey import Valkey, ValkeyFiles
from jobs.connection import connect_quick
from jobs.queue import dispatch

RATE, SECONDS, FLOOD, LIMIT_MS = 100, 15, 6000, 25.0
WORKER = "from jobs.settings import WorkerSettings, take; from jobs.worker import serve; serve(take(WorkerSettings))"


def main(rounds: int) -> int:
    """Measures both in turn and prints the table."""
    with tempfile.TemporaryDirectory(prefix="pw-bench-") as name:
        folder = Path(name)
        valkey = Valkey(ValkeyFiles(folder / "v"))
        valkey.start()
        try:
            with _working(valkey.files.url, folder), _servers(valkey.files.url, folder) as ports:
                return _measure(ports, rounds)
        finally:
            valkey.stop()


def _measure(ports: dict[str, int], rounds: int) -> int:
    worst = 0.0
    print(f"{'':18}{'req/s':>8}{'p50 ms':>9}{'p99 ms':>9}   at {RATE}/s: {'p50 ms':>8}{'p99 ms':>9}{'max ms':>9}")
    for turn in range(rounds):
        for name, port in ports.items():
            fast: Latencies = uvloop.run(flood(port, deliveries(FLOOD, SECRET)))
            calm: Latencies = uvloop.run(steady(port, deliveries(RATE * SECONDS, SECRET), RATE))
            if name == "receiver":
                worst = max(worst, calm.at(0.99))
            print(
                f"{turn + 1} {name:16}{fast.rate:8.0f}{fast.at(0.5):9.2f}{fast.at(0.99):9.2f}"
                f"   {'':9}{calm.at(0.5):8.2f}{calm.at(0.99):9.2f}{calm.ms[-1]:9.2f}"
            )
    print(f"worst p99 at {RATE}/s: {worst:.2f} ms, limit {LIMIT_MS} ms")
    return 0 if worst < LIMIT_MS else 1


@contextmanager
def _servers(url: str, folder: Path) -> Iterator[dict[str, int]]:
    ports = {"receiver": _free_port(), "bare HMAC": _free_port()}
    env = {"GITHUB_WEBHOOK_SECRET": SECRET, "REDIS_URL": url}
    code = f"from app.main import serve; serve(port={ports['receiver']})"
    bare = f"import runpy, sys; sys.argv = ['bare', '{ports['bare HMAC']}', {SECRET!r}]; " + (
        "runpy.run_module('service_bare', run_name='__main__')"
    )
    started = [Process(code, env, folder / "receiver.log"), Process(bare, {}, folder / "bare.log")]
    try:
        until(lambda: all(map(_listens, ports.values())), timeout_s=30)
        yield ports
    finally:
        for process in started:
            process.end()


@contextmanager
def _working(url: str, folder: Path) -> Iterator[None]:
    """A worker that keeps one core busy with what workers do: starting interpreters and waiting for them."""
    busy = job(text="600")
    dispatch(connect_quick(url), busy)
    process = Process(WORKER, worker_environment(url, folder, "service_runners:busy"), folder / "worker.log")
    try:
        yield
    finally:
        process.end()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
