from __future__ import annotations

import random

import pytest

from jobs.sandbox.ask import Ask, BadAsk, allows, host_port, parse


def test_a_tunnel_is_asked_for() -> None:
    assert parse(b"CONNECT Files.Example.:443 HTTP/1.1\r\nHost: files.example:443") == Ask(("files.example", 443))


def test_a_plain_request_goes_on_without_what_is_secret() -> None:
    fields = b"Host: a.example:8080\r\nAuthorization: Basic eA==\r\nProxy-Connection: close\r\nAccept: */*"
    asked = parse(b"GET http://a.example:8080/x?y=1 HTTP/1.1\r\n" + fields)
    assert asked.target == ("a.example", 8080)
    assert asked.head == b"GET /x?y=1 HTTP/1.1\r\nHost: a.example:8080\r\nAccept: */*\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    "head",
    [
        b"", b"\r\n", b"GET", b"GET / HTTP/1.1", b"GET http://a.example/ HTTP/2", b"POST http://a.example/ HTTP/1.1",
        b"PUT http://a.example/ HTTP/1.1", b"GET https://a.example/ HTTP/1.1", b"GET http://u:p@a.example/ HTTP/1.1",
        b"GET http://[::1/ HTTP/1.1", b"GET file:///etc/passwd HTTP/1.1", b"CONNECT a.example HTTP/1.1",
        b"CONNECT a.example:0 HTTP/1.1", b"CONNECT a.example:65536 HTTP/1.1", b"CONNECT a.example:44x HTTP/1.1",
        b"CONNECT [::1]:443 HTTP/1.1", b"CONNECT a..example:443 HTTP/1.1", b"CONNECT -a.example:443 HTTP/1.1",
        "CONNECT ä.example:443 HTTP/1.1".encode(), b"CONNECT a.example:99999999999 HTTP/1.1",
        b"CONNECT " + b"a" * 300 + b":443 HTTP/1.1", b"CONNECT a.example/x:443 HTTP/1.1",
        "CONNECT a.example:４４３ HTTP/1.1".encode(),
    ],
)  # fmt: skip
def test_other_heads_are_refused(head: bytes) -> None:
    with pytest.raises(BadAsk):
        parse(head)


def test_noise_is_refused_and_never_more_than_that() -> None:
    noise = random.Random(4)
    good = b"CONNECT files.example:443 HTTP/1.1\r\nHost: x"
    for _ in range(3000):
        head = bytearray(good)
        for _ in range(noise.randint(1, 6)):
            head[noise.randrange(len(head))] = noise.randrange(256)
        try:
            asked = parse(bytes(head))
        except BadAsk:
            continue
        assert isinstance(asked.target[1], int)


def test_host_and_port_must_match_exactly() -> None:
    hosts = {("a.example", 443)}
    targets = [
        "a.example:443",
        "A.EXAMPLE.:443",
        "a.example:444",
        "b.a.example:443",
        "a.example.evil:443",
        "xa.example:443",
    ]
    assert [allows(hosts, Ask(host_port(target))) for target in targets] == [True, True, False, False, False, False]
