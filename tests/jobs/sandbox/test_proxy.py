from __future__ import annotations

import contextlib
import http.server
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.sandbox.addresses import REFUSED
from jobs.sandbox.proxy import Bounds, Proxy, is_ours

# Loopback stands for the world outside: everything else stays refused.
OUTSIDE = tuple(network for network in REFUSED if str(network) not in ("127.0.0.0/8", "::1/128"))


class Site(http.server.BaseHTTPRequestHandler):
    """Answers with what it was asked and told."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = f"{self.path}|{self.headers.get('Authorization')}|{'x' * 1000}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def site() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


def ask(path: Path, data: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(path))
        client.sendall(data)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while chunk := client.recv(65536):
                answer += chunk
        return answer


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def opened(path: Path, *hosts: tuple[str, int], **more: object) -> Proxy:
    return Proxy(path / "s", set(hosts), networks=OUTSIDE, own=True, **more)  # type: ignore[arg-type]


def test_listed_hosts_are_reached_by_tunnel_and_plainly(tmp_path: Path, site: int) -> None:
    with opened(tmp_path, ("localhost", site)) as proxy:
        inner = b"GET /t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        tunnel = ask(proxy.path, f"CONNECT localhost:{site} HTTP/1.1\r\n\r\n".encode() + inner)
        plain = ask(
            proxy.path,
            f"GET http://localhost:{site}/p HTTP/1.1\r\nHost: x\r\nAuthorization: Basic eA==\r\n\r\n".encode(),
        )
    assert b"/t|None|" in tunnel
    assert b"/p|None|" in plain
    assert proxy.log.down[f"localhost:{site}"] > 2000
    assert proxy.log.blocked == {}


def test_the_client_may_speak_first_and_slowly(tmp_path: Path, site: int) -> None:
    with opened(tmp_path, ("localhost", site)) as proxy, socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(proxy.path))
        for part in (f"CONNECT localhost:{site} HT", "TP/1.1\r\nHost: x\r\n", "\r\n"):
            client.sendall(part.encode())
            time.sleep(0.02)
        assert client.recv(100).startswith(b"HTTP/1.1 200")
        client.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"200 OK" in client.recv(100)


def test_other_hosts_are_blocked_and_noted_with_the_command(tmp_path: Path, site: int) -> None:
    with opened(tmp_path, ("localhost", site)) as proxy:
        proxy.command = "npm ci"
        answers = [
            ask(proxy.path, f"CONNECT {host} HTTP/1.1\r\n\r\n".encode())
            for host in ("evil.example:443", f"localhost:{site + 1}")
        ]
    assert [status(answer) for answer in answers] == [403, 403]
    assert b"evil.example:443" in answers[0]
    assert proxy.log.blocked == {"evil.example:443": "npm ci", f"localhost:{site + 1}": "npm ci"}


def test_inner_addresses_are_refused_though_the_name_is_listed(tmp_path: Path, site: int) -> None:
    hosts = {("localhost", site), ("127.0.0.1", site), ("10.0.0.1", 443)}
    with Proxy(tmp_path / "s", hosts) as proxy:
        answers = [
            status(ask(proxy.path, f"CONNECT {host}:{port} HTTP/1.1\r\n\r\n".encode())) for host, port in sorted(hosts)
        ]
    assert answers == [403, 403, 403]


def test_our_own_addresses_are_refused_in_any_range(tmp_path: Path, site: int) -> None:
    with Proxy(tmp_path / "s", {("localhost", site)}, networks=()) as proxy:
        assert status(ask(proxy.path, f"CONNECT localhost:{site} HTTP/1.1\r\n\r\n".encode())) == 403


def test_own_addresses_are_known() -> None:
    assert is_ours("127.0.0.1")
    assert is_ours("::1") or not socket.has_ipv6
    assert not is_ours("203.0.113.80")


@pytest.mark.parametrize(
    "data", [b"\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\x00\xff\r\n\r\n", b"x" * 40_000 + b"\r\n\r\n"]
)
def test_what_is_no_request_is_told_so(tmp_path: Path, data: bytes) -> None:
    with opened(tmp_path) as proxy:
        assert status(ask(proxy.path, data)) == 400


def test_a_silent_client_does_not_hold_its_place(tmp_path: Path, site: int) -> None:
    bounds = Bounds(connections=1, head_s=0.3)
    with opened(tmp_path, ("localhost", site), bounds=bounds) as proxy, socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(proxy.path))
        time.sleep(0.1)
        request = f"GET http://localhost:{site}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        started = time.monotonic()
        assert status(ask(proxy.path, request)) == 200
        assert 0.1 < time.monotonic() - started < 5


def test_bytes_are_bounded(tmp_path: Path, site: int) -> None:
    with opened(tmp_path, ("localhost", site), bounds=Bounds(down=1500)) as proxy:
        request = f"GET http://localhost:{site}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        assert [b"200 OK" in ask(proxy.path, request) for _ in range(3)] == [True, True, False]


def test_a_host_that_does_not_answer_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with opened(tmp_path, ("localhost", port), ("no-such-name.invalid", 443)) as proxy:
        answers = [
            ask(proxy.path, f"CONNECT {host} HTTP/1.1\r\n\r\n".encode())
            for host in (f"localhost:{port}", "no-such-name.invalid:443")
        ]
    assert [status(answer) for answer in answers] == [502, 502]


def test_a_long_folder_name_is_no_obstacle(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    with Proxy(deep / "egress.sock", set()) as proxy:
        assert proxy.path.is_socket()
    assert not proxy.path.exists()
