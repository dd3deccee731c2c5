"""An endpoint that answers at once: it reads a request without parsing it and replies with the next canned message.

`python tests/bench/loop_endpoint.py PORT_FILE TIMES_FILE STREAMED ROUNDS TOOL LAST`: each of ROUNDS replies calls TOOL
with another harmless command; then comes the command LAST, or a last word where LAST is empty. The moments (seconds)
at which whole requests had come are written to TIMES_FILE at the end.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from pathlib import Path
from typing import Any

USAGE = {"input_tokens": 1000, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def message(number: int, tool: str, command: str) -> dict[str, Any]:
    """One whole reply; without a command it is the last word."""
    call = {"type": "tool_use", "id": f"toolu_{number:06}", "name": tool, "input": {"command": command}}
    return {
        "id": f"msg_{number:06}",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [call] if command else [{"type": "text", "text": "Done."}],
        "stop_reason": "tool_use" if command else "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }


def events(whole: dict[str, Any]) -> bytes:
    """The reply as the stream of events in which it would come."""
    block = whole["content"][0]
    if block["type"] == "text":
        begun, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        begun = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    rows = [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
    ]
    return b"".join(f"event: {row['type']}\ndata: {json.dumps(row)}\n\n".encode() for row in rows)


def canned(*, streamed: bool, rounds: int, tool: str, last: str) -> list[bytes]:
    """Every HTTP response, in order."""
    commands = [*(f"true {n}" for n in range(1, rounds + 1)), last]
    made = []
    for number, command in enumerate(commands):
        whole = message(number, tool, command)
        body = events(whole) if streamed else json.dumps(whole).encode()
        kind = "text/event-stream" if streamed else "application/json"
        lines = [
            "HTTP/1.1 200 OK",
            f"content-type: {kind}",
            f"request-id: req_{number}",
            f"content-length: {len(body)}",
        ]
        made.append("\r\n".join([*lines, "", ""]).encode() + body)
    return made


def serve(listener: socket.socket, responses: list[bytes]) -> list[float]:
    """Answers until the last response is sent; when each request had come."""
    times: list[float] = []
    while len(times) < len(responses):
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, connection.makefile("rb") as stream:
            while len(times) < len(responses) and _read(stream):
                times.append(time.perf_counter())
                connection.sendall(responses[len(times) - 1])
    return times


def _read(stream: Any) -> bool:
    """Takes one request; False at the end of the connection."""
    size = 0
    while (line := stream.readline()) not in (b"\r\n", b""):
        if line.lower().startswith(b"content-length:"):
            size = int(line[15:])
    return line == b"\r\n" and len(stream.read(size)) == size


def main(port_file: str, times_file: str, *how: str) -> None:
    """Listens on a free port, writes it down, and serves one contender."""
    streamed, rounds, tool, last = how
    with socket.create_server(("127.0.0.1", 0)) as listener:
        responses = canned(streamed=streamed == "streamed", rounds=int(rounds), tool=tool, last=last)
        Path(f"{port_file}.new").write_text(str(listener.getsockname()[1]))
        Path(f"{port_file}.new").replace(port_file)
        Path(times_file).write_text(json.dumps(serve(listener, responses)))


if __name__ == "__main__":
    main(*sys.argv[1:])
