"""What a client asks of the way out: one request's head, and whether the list allows it. Pure."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from urllib.parse import urlsplit

HostPort = tuple[str, int]

_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
# What may go along with credentials: nothing that chooses who answers, or what the request does.
_FIELD = re.compile(
    rb"(?:accept|accept-encoding|accept-language|user-agent|range|if-[a-z-]+|cache-control):[^\r\n]*\Z", re.I
)
_DROPPED = (b"proxy-", b"connection:", b"keep-alive:", b"authorization:", b"cookie:")


class BadAsk(ValueError):
    """The head is no request that can be served; the text says why."""


@dataclass(frozen=True)
class Ask:
    """A tunnel to `target` (`head` is empty), or one plain request for it with the head to send."""

    target: HostPort
    head: bytes = b""

    @property
    def shown(self) -> str:
        """host:port."""
        return f"{self.target[0]}:{self.target[1]}"


def parse(head: bytes) -> Ask:
    """The request of `head`, which ends with an empty line. Raises BadAsk."""
    lines = head.split(b"\r\n")
    try:
        method, where, version = lines[0].decode("ascii").split(" ")
    except ValueError:
        raise BadAsk("not a request line") from None
    if not version.startswith("HTTP/1."):
        raise BadAsk("not HTTP/1")
    if method == "CONNECT":
        return Ask(host_port(where))
    if method not in ("GET", "HEAD"):
        raise BadAsk(f"{method} is not for reading")
    return _plain(method, where, lines[1:])


def host_port(text: str, default: int | None = None) -> HostPort:
    """`host:port` in one spelling: lower case, no dot at the end. Raises BadAsk for what is no such name."""
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = text, str(default or "")
    host = host.lower().removesuffix(".")
    if not (
        _NAME.fullmatch(host) and len(host) <= 253 and port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536
    ):
        raise BadAsk("not a host and port")
    return host, int(port)


def allows(hosts: Set[HostPort], ask: Ask) -> bool:
    """True if exactly that host and port is listed."""
    return ask.target in hosts


def signed(head: bytes, host: HostPort, authorization: str) -> bytes:
    """One request of a tunnel to `host` with our authorization, and of its own fields those that only say what it
    takes; it is the connection's only one.

    Raises BadAsk for what does not only read.
    """
    first, *headers = head.split(b"\r\n")
    words = first.split(b" ")
    if len(words) != 3 or words[0] not in (b"GET", b"HEAD") or words[2] != b"HTTP/1.1" or not words[1].startswith(b"/"):
        raise BadAsk("not a request to read something")
    kept = [line for line in headers if _FIELD.match(line)]
    own = [f"Host: {_shown(host)}".encode(), f"Authorization: {authorization}".encode("latin-1", "replace")]
    return b"\r\n".join([first, *own, *kept, b"Connection: close", b"", b""])


def _shown(host: HostPort) -> str:
    return host[0] if host[1] == 443 else f"{host[0]}:{host[1]}"


def _plain(method: str, where: str, headers: list[bytes]) -> Ask:
    try:
        parts = urlsplit(where)
    except ValueError:
        raise BadAsk("not an address") from None
    if parts.scheme != "http" or "@" in parts.netloc:
        raise BadAsk("not a plain address")
    target = host_port(parts.netloc, 80)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = [line for line in headers if line and not line.lower().startswith(_DROPPED)]
    head = [f"{method} {path} HTTP/1.1".encode("ascii", "replace"), *kept, b"Connection: close", b"", b""]
    return Ask(target, b"\r\n".join(head))
