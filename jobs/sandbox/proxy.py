"""Set-up's way out: a proxy on a unix socket that reaches listed hosts, at addresses that are nobody's inside.

It resolves names itself and connects to the very address it judged. What it carries is bounded in bytes, time and
connections, and passes as it is, but for requests to a host whose credentials it has: these it reads, as that host by a
certificate of this set-up's own authority, and adds the credentials if they only read.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path

from jobs.sandbox.addresses import REFUSED, Network, refused
from jobs.sandbox.ask import Ask, BadAsk, HostPort, allows, parse, signed
from jobs.sandbox.authority import Authority

_CHUNK = 1 << 16
_HEAD = 16 << 10


@dataclass(frozen=True)
class Bounds:
    """Bytes are of the whole set-up, seconds of one connection."""

    down: int = 8 << 30
    up: int = 64 << 20
    connections: int = 64
    head_s: float = 10.0
    connect_s: float = 15.0
    idle_s: float = 120.0


@dataclass
class Log:
    """What passed and what was refused, by host:port; refusals with the command that asked."""

    down: Counter[str] = field(default_factory=Counter)
    up: Counter[str] = field(default_factory=Counter)
    blocked: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Credentials:
    """Authorization `headers` by host and port; `roots` (PEM) say whom to believe that it is that host, None: whom this
    machine believes."""

    headers: Mapping[HostPort, str] = field(repr=False)
    roots: Path | None = None


class Proxy:
    """Serves from entering to leaving. `command` names what runs now, for the log."""

    def __init__(
        self,
        path: Path,
        hosts: Set[HostPort],
        *,
        networks: tuple[Network, ...] = REFUSED,
        own: bool = False,
        bounds: Bounds | None = None,
        credentials: Credentials | None = None,
    ) -> None:
        """`own` lets it connect to addresses of this machine itself (no product code does)."""
        self._credentials = credentials or Credentials({})
        self.authority = Authority() if credentials else None
        self.path, self.hosts, self.log, self.command = path, hosts, Log(), ""
        self._networks, self._own, self._bounds = networks, own, bounds or Bounds()
        self._room = threading.BoundedSemaphore(self._bounds.connections)
        self._closed = threading.Event()

    def __enter__(self) -> Proxy:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:  # a socket's address holds 107 bytes; a data folder's may be longer
            self._listener.bind(f"/proc/self/fd/{folder}/{self.path.name}")
        finally:
            os.close(folder)
        self.path.chmod(0o666)  # the folder it lies in is for us alone; a cell gets the socket itself
        self._listener.listen(128)
        self._listener.settimeout(0.5)
        threading.Thread(target=self._accept, name="egress", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._listener.close()
        self.path.unlink(missing_ok=True)

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                client, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            while not self._room.acquire(timeout=0.5):  # the others wait in the listener's queue
                if self._closed.is_set():
                    return
            threading.Thread(target=self._serve, args=(client,), name="egress-client", daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            with client:
                client.settimeout(self._bounds.head_s)
                self._answer(client)
        except OSError:  # a client or a host that went away ends its connection, nothing else
            pass
        finally:
            self._room.release()

    def _answer(self, client: socket.socket) -> None:
        head, early = self._head(client)
        try:
            ask = parse(head)
        except BadAsk as bad:
            _refuse(client, 400, str(bad))
            return
        if not allows(self.hosts, ask):
            self._block(client, ask, "is not one of the hosts that set-up may reach")
            return
        upstream = self._connect(client, ask)
        if upstream is None:
            return
        header = self._credentials.headers.get(ask.target)
        with upstream:
            if header is not None and self.authority is not None and not ask.head:
                self._sign(client, upstream, ask, header)
                return
            if ask.head:
                upstream.sendall(ask.head)
            else:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            upstream.sendall(early)
            self._carry(client, upstream, ask.shown)

    def _sign(self, client: socket.socket, upstream: socket.socket, ask: Ask, header: str) -> None:
        """Serves one request of a tunnel as the host itself, with its credentials."""
        assert self.authority is not None
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        with self.authority.context(ask.target[0]).wrap_socket(client, server_side=True) as inner:
            inner.settimeout(self._bounds.head_s)
            try:
                request = signed(self._head(inner)[0], ask.target, header)
            except BadAsk as bad:
                _refuse(inner, 403, f"{ask.shown} is for reading: {bad}")
                return
            trusted = ssl.create_default_context(cafile=self._credentials.roots)
            with trusted.wrap_socket(upstream, server_hostname=ask.target[0]) as outer:
                outer.settimeout(self._bounds.idle_s)
                outer.sendall(request)
                self.log.up[ask.shown] += len(request)
                while not self._closed.is_set() and not self._full() and (chunk := outer.recv(_CHUNK)):
                    self.log.down[ask.shown] += len(chunk)
                    inner.sendall(chunk)

    def _head(self, client: socket.socket) -> tuple[bytes, bytes]:
        """The request's head, and what came after it already."""
        data, until = b"", time.monotonic() + self._bounds.head_s
        while b"\r\n\r\n" not in data and len(data) < _HEAD and time.monotonic() < until:
            chunk = client.recv(_CHUNK)
            if not chunk:
                break
            data += chunk
        head, _, early = data.partition(b"\r\n\r\n")
        return head, early

    def _block(self, client: socket.socket, ask: Ask, why: str) -> None:
        self.log.blocked.setdefault(ask.shown, self.command)
        _refuse(client, 403, f"{ask.shown} {why}")

    def _connect(self, client: socket.socket, ask: Ask) -> socket.socket | None:
        host, port = ask.target
        try:
            found = [info[4][0] for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        except OSError:
            _refuse(client, 502, f"{host} has no address here")
            return None
        reachable = [address for address in map(str, found) if not self._forbidden(address)]
        if not reachable:
            self._block(client, ask, "is at an address of an inner network")
            return None
        for address in reachable:
            with contextlib.suppress(OSError):
                return socket.create_connection((address, port), timeout=self._bounds.connect_s)
        _refuse(client, 502, f"{ask.shown} does not answer")
        return None

    def _forbidden(self, address: str) -> bool:
        return refused(address, self._networks) or (not self._own and is_ours(address))

    def _carry(self, client: socket.socket, upstream: socket.socket, shown: str) -> None:
        """Both directions until both have ended, somebody is silent for long, or the bounds are reached."""
        ways = {client: (upstream, self.log.up), upstream: (client, self.log.down)}
        with selectors.DefaultSelector() as events:
            for end in ways:
                end.settimeout(self._bounds.idle_s)
                events.register(end, selectors.EVENT_READ)
            while events.get_map() and not self._closed.is_set() and not self._full():
                ready = events.select(self._bounds.idle_s)
                if not ready:
                    return
                for key, _ in ready:
                    source: socket.socket = key.fileobj  # type: ignore[assignment] # only sockets are registered
                    target, count = ways[source]
                    chunk = source.recv(_CHUNK)
                    if chunk:
                        count[shown] += len(chunk)
                        target.sendall(chunk)
                    else:
                        events.unregister(source)
                        target.shutdown(socket.SHUT_WR)

    def _full(self) -> bool:
        return self.log.down.total() > self._bounds.down or self.log.up.total() > self._bounds.up


def is_ours(address: str) -> bool:
    """True if `address` is one of this machine's: then the kernel would speak to it from that same address.

    Nothing is sent to find out.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 9))
            return str(probe.getsockname()[0]) == address
    except OSError:
        return False


def _refuse(client: socket.socket, status: int, text: str) -> None:
    reason = {400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway"}[status]
    body = f"Patchwright: {text}.\n".encode()
    fields = ("Content-Type: text/plain", f"Content-Length: {len(body)}", "Connection: close")
    head = "\r\n".join((f"HTTP/1.1 {status} {reason}", *fields, "", ""))
    with contextlib.suppress(OSError):
        client.sendall(head.encode() + body)
