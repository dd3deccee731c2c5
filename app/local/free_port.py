"""A port on loopback that is free now."""

from __future__ import annotations

import socket


def free_port() -> int:
    """The port's number; whoever binds it first has it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
        return number
