"""Asks an OpenAI-compatible endpoint for chat completions, streamed: plain HTTP, as that is one POST.

The vendor's library would be a large dependency for it, with retries and typed events that we would have to turn off.
"""

from __future__ import annotations

import json
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import httpx

from jobs.model.base import Request
from jobs.model.chat_assembly import DONE, ChatAssembly
from jobs.model.chat_body import chat_message, chat_system, chat_tools
from jobs.model.encode import Encoder, encoded
from jobs.model.endpoint import CUT, Broke, Endpoint
from jobs.model.faults import Fault, retry_after_s, should_retry
from jobs.model.limiter import Limiter
from jobs.model.prices import Prices
from jobs.model.quirks import PREFIX
from jobs.model.sse import data
from jobs.model.usage import Usage

ENDPOINT = "https://api.openai.com/v1"
_LONGEST_ERROR = 2000  # characters of an answer that is no JSON


class OpenAIModel(Endpoint):
    """A Model behind chat completions; `name` may begin with `openai/`, which is not sent."""

    settings = "OPENAI"
    limits_cached = True

    def __init__(
        self,
        name: str,
        *,
        api_key: str,
        base_url: str = ENDPOINT,
        prices: Prices | None = None,
        sleep: Callable[[float], None] = time.sleep,
        limiter: Limiter | None = None,
    ) -> None:
        super().__init__(name, base_url, prices=prices, sleep=sleep, limiter=limiter)
        timeout = httpx.Timeout(600.0, connect=10.0, read=180.0)
        self._client = httpx.Client(timeout=timeout, headers={"authorization": f"Bearer {api_key}"})
        weakref.finalize(self, self._client.close)
        self._encoder = Encoder(chat_message)

    def _body(self, request: Request, max_tokens: int) -> bytes:
        head: dict[str, Any] = {
            "model": self.name.removeprefix(PREFIX),
            self.quirks.output_key: max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            head["tools"] = chat_tools(request.tools)
        messages = self._encoder.messages(request.messages)
        system = encoded(chat_system(request.system))[1:-1]
        comma = b"," if system and messages != b"[]" else b""
        return b'%s,"messages":[%s%s%s}' % (encoded(head)[:-1], system, comma, messages[1:])

    def _assembly(self, size: int, most: Usage) -> ChatAssembly:
        return ChatAssembly(size, most)

    @contextmanager
    def _stream(self, body: bytes) -> Iterator[Iterator[Mapping[str, Any]]]:
        address = f"{self.address.rstrip('/')}/chat/completions"
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        try:
            with self._client.stream("POST", address, content=body, headers=headers) as response:
                self._heard(response.headers)
                if response.status_code != 200:
                    response.read()
                    raise Broke(_refusal(response))
                yield _events(response)
        except (httpx.HTTPError, ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
            raise Broke(_fault(error)) from error


def _events(response: httpx.Response) -> Iterator[Mapping[str, Any]]:
    """The chunks, then DONE if the endpoint says it. Raises Broke for an error among them.

    An endpoint that can't stream answers with the whole completion.
    """
    if response.headers.get("content-type", "").startswith("application/json"):
        yield _checked(response.read())
        yield DONE
        return
    for text in data(response.iter_bytes()):
        if text.strip() == b"[DONE]":
            yield DONE
            return
        yield _checked(text)


def _checked(text: bytes) -> Mapping[str, Any]:
    event: Mapping[str, Any] = json.loads(text)
    if error := event.get("error") or (event.get("object") == "error" and event):
        raise Broke(_told(error, 200))
    return event


def _refusal(response: httpx.Response) -> Fault:
    """An error response as a fault."""
    try:
        error = response.json()
        error = error.get("error", error)
    except (ValueError, AttributeError, RecursionError):
        error = response.text[:_LONGEST_ERROR]
    told = _told(error, response.status_code)
    return Fault(
        response.status_code,
        told.type,
        told.message,
        after_s=retry_after_s(response.headers, datetime.now(UTC)),
        should_retry=should_retry(response.headers),
    )


def _told(error: Any, status: int) -> Fault:
    """What an error object says; its code may be a status, or more exact than its type."""
    if not isinstance(error, Mapping):
        return Fault(status, "error", str(error))
    code = error.get("code")
    if status == 200 and isinstance(code, int) and code >= 400:
        status = code
    kind = code if isinstance(code, str) and code else error.get("type")
    behind = error.get("metadata")  # what the provider behind a router said
    more = f" {str(behind['raw'])[:_LONGEST_ERROR]}" if isinstance(behind, Mapping) and behind.get("raw") else ""
    return Fault(status, str(kind or "error"), f"{error.get('message') or error}{more}")


def _fault(error: Exception) -> Fault:
    if isinstance(error, httpx.TimeoutException):
        return Fault(None, "timeout", "no answer in time")
    if isinstance(error, httpx.HTTPError):
        return Fault(None, "connection", str(error) or type(error).__name__)
    return CUT
