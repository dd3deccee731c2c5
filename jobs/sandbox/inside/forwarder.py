"""Runs a command with a local port that leads to the way out: `forwarder.py PORT SOCKET COMMAND…`.

Runs inside a set-up cell: tools speak to a proxy on 127.0.0.1, the proxy listens on a unix socket of the
harness. Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading

_CHUNK = 1 << 16


def carry(source: socket.socket, target: socket.socket) -> None:
    """Copies bytes until `source` ends, then tells `target` that no more come."""
    with contextlib.suppress(OSError):
        while chunk := source.recv(_CHUNK):
            target.sendall(chunk)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def connect(client: socket.socket, way_out: str) -> None:
    """Joins one client to the way out, both directions."""
    with client, socket.socket(socket.AF_UNIX) as upstream:
        try:
            upstream.connect(way_out)
        except OSError:
            return
        back = threading.Thread(target=carry, args=(upstream, client), daemon=True)
        back.start()
        carry(client, upstream)
        back.join()


def serve(listener: socket.socket, way_out: str) -> None:
    """Takes clients for ever."""
    while True:
        client, _ = listener.accept()
        threading.Thread(target=connect, args=(client, way_out), daemon=True).start()


def main(argv: list[str]) -> int:
    """The command's exit code; 128 and the signal if one killed it."""
    listener = socket.create_server(("127.0.0.1", int(argv[1])), backlog=128)
    threading.Thread(target=serve, args=(listener, argv[2]), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = subprocess.call(argv[3:])
    except OSError as missing:
        sys.stderr.write(f"{argv[3]}: {missing.strerror}\n")
        code = 127
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    code = main(sys.argv)
    sys.stdout.flush()
    os._exit(code)  # threads of open connections are not waited for
