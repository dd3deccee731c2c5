"""The chat completions client against raw answers, as endpoints in the field give them."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest

from jobs.model.base import AskFailed, Request
from jobs.model.openai import OpenAIModel

SHELL = {
    "name": "shell",
    "description": "Runs.",
    "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
}
GO = Request((), (SHELL,), ({"role": "user", "content": [{"type": "text", "text": "Go."}]},), 8000)


def answer_once(
    payload: bytes, kind: bytes = b"text/event-stream", status: bytes = b"200 OK"
) -> tuple[Any, list[float]]:
    """What the chat client makes of these bytes after the headers; the second connection is refused."""
    waits: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = OpenAIModel(
            "openai/m", api_key="k", base_url=f"http://127.0.0.1:{server.getsockname()[1]}/v1", sleep=waits.append
        )
        head = b"HTTP/1.1 %s\r\ncontent-type: %s\r\nconnection: close\r\n\r\n" % (status, kind)

        def serve() -> None:
            connection, _ = server.accept()
            with connection, connection.makefile("rb") as told:
                lines = list(iter(told.readline, b"\r\n"))  # what is left unread would tear the connection down
                told.read(
                    next(int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length"))
                )
                connection.sendall(head + payload)
            server.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            return client.ask(GO), waits
        except AskFailed as failed:
            return failed, waits
        finally:
            thread.join()


CHUNK = b'data: {"id":"x","choices":[{"delta":{"content":"a\xe2\x80\xa8b\xc2\x85c"}}]}\n\n'
ENDS = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'


def test_separators_inside_a_text_do_not_break_its_line_and_the_last_blank_line_may_miss() -> None:
    reply, waits = answer_once(CHUNK + ENDS + b"data: [DONE]")
    assert (reply.text, waits) == ("a\u2028b\x85c", [])
    assert reply.usage.input > 0
    assert reply.mended == ("tokens were not reported: estimated",)


@pytest.mark.parametrize(
    "payload",
    [
        CHUNK + ENDS,
        CHUNK + b"data: [DONE]\n\n",
        CHUNK + b"data: {half\n\n",
        b'data: {"error":{"message":"boom","code":502}}\n\n',
        b"data: []\n\n",
    ],
    ids=["no_last_word", "no_reason", "half_a_line", "error", "no_object"],
)
def test_streams_that_say_too_little_are_away(payload: bytes) -> None:
    sent, waits = answer_once(payload)
    assert isinstance(sent, AskFailed)
    assert sent.why == "away"
    assert len(waits) == 7  # the later ones met nobody


def test_an_endpoint_that_cannot_stream_is_understood() -> None:
    call = b'{"id":"a","type":"function","function":{"name":"shell","arguments":"{\\"command\\":\\"ls\\"}"}}'
    choice = b'{"message":{"content":null,"tool_calls":[%s]},"finish_reason":"tool_calls"}' % call
    usage = b'{"prompt_tokens":7,"completion_tokens":3}'
    reply, _ = answer_once(b'{"choices":[%s],"usage":%s}' % (choice, usage), b"application/json; charset=utf-8")
    assert (reply.stop_reason, [c["input"] for c in reply.calls]) == ("tool_use", [{"command": "ls"}])
    assert (reply.usage.input, reply.usage.output, reply.mended) == (7, 3, ())


@pytest.mark.parametrize(
    ("body", "why", "words"),
    [
        (
            b'{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"prompt is too long: 9"}}}',
            "too_long",
            "prompt is too long: 9",
        ),
        (b"<html>Forbidden by the proxy</html>", "refused", "Forbidden by the proxy"),
        (b'{"detail":"Not here"}', "refused", "Not here"),
        (b'"no"', "refused", "no"),
    ],
)
def test_refusals_are_understood_in_any_form(body: bytes, why: str, words: str) -> None:
    failed, waits = answer_once(body, b"application/json", b"400 Bad Request")
    assert (failed.why, words in str(failed), waits) == (why, True, [])


@pytest.mark.parametrize("status", [b"200 OK", b"400 Bad Request"])
@pytest.mark.parametrize("kind", [b"text/event-stream", b"application/json"])
def test_an_answer_that_is_nested_too_deep_is_a_fault(status: bytes, kind: bytes) -> None:
    failed, _ = answer_once(b"data: " * (kind == b"text/event-stream") + b"[" * 99_999, kind, status)
    assert isinstance(failed, AskFailed)


def test_an_error_in_the_place_of_a_chunk_is_told() -> None:
    told = b'data: {"object":"error","message":"maximum context length is 4096","type":"BadRequest","code":400}\n\n'
    failed, waits = answer_once(told + b"data: [DONE]\n\n")
    assert (failed.why, waits) == ("too_long", [])
