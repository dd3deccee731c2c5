"""Credentials of private registries: the way out adds them to reads, and nothing inside ever holds them."""

from __future__ import annotations

import http.server
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.errors import UserError
from jobs.registries import load
from jobs.sandbox.addresses import REFUSED
from jobs.sandbox.ask import BadAsk, signed
from jobs.sandbox.authority import Authority
from jobs.sandbox.proxy import Credentials, Proxy

OUTSIDE = tuple(network for network in REFUSED if str(network) not in ("127.0.0.0/8", "::1/128"))
CANARY = "canary-registry-token"


class Registry(http.server.BaseHTTPRequestHandler):
    """Answers who asked it with what, and to whom it redirects."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        known = self.headers.get("Authorization") == f"Bearer {CANARY}"
        body = f"{self.path} {'known' if known else 'unknown'} {self.headers.get('Cookie')}".encode()
        self.send_response(200 if known else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_POST = do_GET

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """A registry on TLS as localhost, and the certificates that prove it."""
    authority = Authority()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    server.socket = authority.context("localhost").wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    roots = tmp_path / "roots.pem"
    roots.write_bytes(authority.certificate)
    yield server.server_address[1], roots
    server.shutdown()
    thread.join()
    server.server_close()


def way_out(tmp_path: Path, port: int, roots: Path, header: str = f"Bearer {CANARY}") -> Proxy:
    place = ("localhost", port)
    added = Credentials({place: header}, roots)
    return Proxy(tmp_path / "egress.sock", {place}, networks=OUTSIDE, own=True, credentials=added)


def through(proxy: Proxy, port: int, request: bytes) -> bytes:
    """What a client inside gets that believes the authority of this set-up."""
    assert proxy.authority is not None
    believes = ssl.create_default_context(cadata=proxy.authority.certificate.decode())
    with socket.socket(socket.AF_UNIX) as plain:
        plain.settimeout(10)
        plain.connect(str(proxy.path))
        plain.sendall(f"CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert b" 200 " in plain.recv(1000)
        with believes.wrap_socket(plain, server_hostname="localhost") as inside:
            inside.sendall(request)
            answer = b""
            while chunk := inside.recv(65536):
                answer += chunk
            return answer


def test_a_read_goes_out_with_the_credentials_and_without_the_clients_own(
    tmp_path: Path, registry: tuple[int, Path]
) -> None:
    port, roots = registry
    with way_out(tmp_path, port, roots) as proxy:
        own = b"GET /simple/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic eA==\r\nCookie: a=b\r\n\r\n"
        answer = through(proxy, port, own)
        assert answer.endswith(b"/simple/x known None")
        assert CANARY.encode() not in answer
        assert proxy.log.down[f"localhost:{port}"] > 0


@pytest.mark.parametrize(
    "line", [b"POST /upload HTTP/1.1", b"PUT /x HTTP/1.1", b"GET http://other/ HTTP/1.1", b"GET /"]
)
def test_what_does_not_only_read_goes_nowhere(tmp_path: Path, registry: tuple[int, Path], line: bytes) -> None:
    port, roots = registry
    with way_out(tmp_path, port, roots) as proxy:
        answer = through(proxy, port, line + b"\r\nHost: localhost\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 403 ")
        assert not proxy.log.up


def test_a_host_that_can_not_prove_itself_gets_no_credentials(tmp_path: Path, registry: tuple[int, Path]) -> None:
    port, _ = registry
    stranger = tmp_path / "stranger.pem"
    stranger.write_bytes(Authority().certificate)
    with way_out(tmp_path, port, stranger) as proxy:
        with pytest.raises((ssl.SSLError, AssertionError, OSError, EOFError)):
            assert through(proxy, port, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert not proxy.log.up


SMUGGLED = (
    b"AUTHORIZATION: mine",
    b"authorization : mine",
    b"Host: evil",
    b"X-HTTP-Method-Override: PUT",
    b" folded",
)


def test_nothing_goes_along_that_chooses_who_answers_or_what_is_done() -> None:
    head = b"\r\n".join([b"GET /x HTTP/1.1", *SMUGGLED, b"Accept: a/b", b"If-None-Match: 1"])
    made = signed(head, ("a.example", 8443), "Bearer t")
    assert made.split(b"\r\n") == [
        b"GET /x HTTP/1.1", b"Host: a.example:8443", b"Authorization: Bearer t", b"Accept: a/b", b"If-None-Match: 1",
        b"Connection: close", b"", b"",
    ]  # fmt: skip
    with pytest.raises(BadAsk):
        signed(b"GET /x y HTTP/1.1", ("a.example", 443), "Bearer t")


FILE = f"""
[[registry]]
host = "Pypi.Corp.example"
user = "agent"
password = "{CANARY}"

[[registry]]
host = "npm.corp.example:8443"
token = "{CANARY}"
installations = [7]
"""


def test_each_installation_has_its_registries(tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text(FILE)
    known = load(tmp_path / "r.toml")
    assert set(known.of(None)) == set(known.of(8)) == {("pypi.corp.example", 443)}
    assert known.of(7)[("npm.corp.example", 8443)] == f"Bearer {CANARY}"
    assert CANARY in known.secrets
    assert CANARY not in repr(known)
    assert all(header.partition(" ")[2] in known.secrets for header in known.of(7).values())
    assert load(None).of(7) == {}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[registry]]\nhost = 'a'\n", "it needs either `token`, or `user` and `password`"),
        (f"[[registry]]\nhost = 'a'\ntoken = '{CANARY}'\nuser = 'u'\npassword = 'p'\n", "either `token`"),
        (f"[[registry]]\nhost = 'a b'\ntoken = '{CANARY}'\n", "no host name"),
        (f"[[registry]]\nhots = 'a'\ntoken = '{CANARY}'\n", "host: Field required"),
        (f"[[registries]]\nhost = 'a'\ntoken = '{CANARY}'\n", "unknown key 'registries'"),
        (f"registry = '{CANARY}'", "[[registry]]"),
        ("host =", "no TOML file"),
    ],
)
def test_a_wrong_file_is_one_sentence_without_its_secrets(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "r.toml").write_text(text)
    with pytest.raises(UserError) as told:
        load(tmp_path / "r.toml")
    assert why in str(told.value)
    assert CANARY not in str(told.value)
    with pytest.raises(UserError, match="can't be read"):
        load(tmp_path / "nowhere.toml")
