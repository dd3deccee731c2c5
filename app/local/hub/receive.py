"""The proc-receive hook of the hub's repositories: asks the hub about each ref of a push. Standard library only.

It is run by git as a script of its own and speaks the packet lines of githooks(5); the hub moves the refs.
"""

from __future__ import annotations

import socket
import sys
from typing import BinaryIO


def read_packets(stream: BinaryIO) -> list[bytes]:
    """The packets up to the next flush."""
    packets = []
    while (length := int(stream.read(4) or b"0", 16)) > 4:
        packets.append(stream.read(length - 4).rstrip(b"\n"))
    return packets


def write_packets(stream: BinaryIO, packets: list[bytes]) -> None:
    """The packets and a flush."""
    for packet in packets:
        stream.write(b"%04x%s" % (len(packet) + 4, packet))
    stream.write(b"0000")
    stream.flush()


def ask(port: int, key: str, lines: list[bytes]) -> list[bytes]:
    """The hub's answer, a line for each ref and for each remark."""
    body = b"\n".join(lines)
    head = f"POST /-/receive HTTP/1.0\r\nHost: 127.0.0.1\r\nX-Key: {key}\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(head.encode() + body)
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    return answer.partition(b"\r\n\r\n")[2].splitlines()


def main() -> None:
    """One push; the arguments are the hub's port and the key of this push."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    offered = read_packets(source)[0].partition(b"\0")[2].split()
    atomic = b"atomic" in offered
    write_packets(target, [b"version=1\0atomic" if atomic else b"version=1"])
    commands = read_packets(source)
    first = b"atomic" if atomic else b"each"
    lines = ask(int(sys.argv[1]), sys.argv[2], [first, *commands])
    for remark in (line for line in lines if line.startswith(b"# ")):
        sys.stderr.buffer.write(remark[2:] + b"\n")
    sys.stderr.flush()
    write_packets(target, [line for line in lines if not line.startswith(b"# ")])


if __name__ == "__main__":
    main()
