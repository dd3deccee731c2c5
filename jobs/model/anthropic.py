"""Asks the Anthropic Messages API, streamed, with tries and waits of our own.

The library prepares headers, sends, and raises its typed errors; the body is ours, as it would look at every block of
the whole history again for each request, and events stay plain values, as its typed ones cost more than all the rest.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, cast

import httpx2
from anthropic import Anthropic, AnthropicError, APIConnectionError, APIStatusError, APITimeoutError, Stream

from jobs.model.assembly import Assembly
from jobs.model.base import Request
from jobs.model.encode import Encoder, encoded
from jobs.model.endpoint import CUT, Broke, Endpoint
from jobs.model.faults import Fault, retry_after_s, should_retry
from jobs.model.limiter import Limiter
from jobs.model.prices import Prices
from jobs.model.usage import Usage

ENDPOINT = "https://api.anthropic.com"
_PATH = "/v1/messages"
_LEAST_THINKING, _MOST_THINKING = 1024, 4096  # tokens, where a budget must be named


class AnthropicModel(Endpoint):
    """A Model behind the Messages API. Key and address are what is given here, never the environment's."""

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
        timeout = httpx2.Timeout(600.0, connect=10.0, read=180.0)  # a silent stream is dead; pings come sooner
        self._client = Anthropic(
            api_key=api_key, base_url=base_url, max_retries=0, timeout=timeout, open_telemetry=False
        )
        weakref.finalize(self, self._client.close)
        self._encoder = Encoder()
        self._frozen: tuple[object, object, bytes] | None = None  # tools and system of the last request, and their JSON

    def _body(self, request: Request, max_tokens: int) -> bytes:
        head: dict[str, Any] = {"model": self.name, "max_tokens": max_tokens, "stream": True}
        if self.quirks.thinking == "adaptive":
            head["thinking"] = {"type": "adaptive"}
        elif self.quirks.thinking == "manual" and max_tokens > _LEAST_THINKING:
            budget = max(_LEAST_THINKING, min(_MOST_THINKING, max_tokens // 2))
            head["thinking"] = {"type": "enabled", "budget_tokens": budget}
        messages = self._encoder.messages(request.messages)
        return b'%s,%s,"messages":%s}' % (encoded(head)[:-1], self._unchanging(request), messages)

    def _unchanging(self, request: Request) -> bytes:
        """System prompt and tools, which are the same for a whole run."""
        if self._frozen is None or self._frozen[:2] != (request.system, request.tools):
            self._frozen = (request.system, request.tools, _members(system=request.system, tools=request.tools))
        return self._frozen[2]

    def _assembly(self, size: int, most: Usage) -> Assembly:
        return Assembly(most.output)

    @contextmanager
    def _stream(self, body: bytes) -> Iterator[Iterator[Mapping[str, Any]]]:
        try:
            post = self._client.post
            with post(_PATH, content=body, cast_to=object, stream=True, stream_cls=Stream[object]) as stream:
                self._heard(stream.response.headers)
                yield cast(Iterator[Mapping[str, Any]], iter(stream))  # `object` leaves each event as its JSON
        except (AnthropicError, httpx2.HTTPError, ValueError, LookupError, RecursionError) as error:
            if isinstance(error, APIStatusError):
                self._heard(error.response.headers)
            raise Broke(_fault(error)) from error


def _members(**values: Any) -> bytes:
    """Members of a JSON object without its brackets."""
    return encoded(values)[1:-1]


def _fault(error: Exception) -> Fault:
    """What a library's error says, in our words."""
    if isinstance(error, APIStatusError):
        headers = error.response.headers
        return Fault(
            status=error.status_code,
            type=str(error.type or "error"),
            message=error.api_message or error.message,
            after_s=retry_after_s(headers, datetime.now(UTC)),
            should_retry=should_retry(headers),
        )
    if isinstance(error, APITimeoutError | httpx2.TimeoutException):
        return Fault(None, "timeout", "no answer in time")
    if isinstance(error, APIConnectionError):
        return Fault(None, "connection", str(error.__cause__ or error.message))
    if isinstance(error, httpx2.HTTPError):
        return Fault(None, "connection", str(error) or type(error).__name__)
    return CUT
