"""Asks the Anthropic Messages API, streamed, with tries and waits of our own."""

from __future__ import annotations

import json
import random
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

import httpx2
from anthropic import Anthropic, APIConnectionError, APIStatusError, APITimeoutError

from jobs.model.assembly import Assembly
from jobs.model.base import AskFailed, Reply, Request
from jobs.model.faults import Fault, retry_after_s, wait_s
from jobs.model.prices import Prices
from jobs.model.quirks import quirks_of
from jobs.model.usage import Usage

ENDPOINT = "https://api.anthropic.com"
_BYTES_A_TOKEN = 2  # an upper estimate of tokens: text of any language has more bytes than that for each
_OVERHEAD_TOKENS = 1000
_CUT = Fault(None, "connection", "the stream ended before the reply was complete")


@dataclass
class _Tries:
    """What the tries of one request have cost so far."""

    began: float
    made: int = 0
    waited_s: float = 0.0
    usage: Usage = field(default_factory=Usage)
    usd: float | None = None


class _Failed(Exception):
    """One try failed after `usage` was spent."""

    def __init__(self, fault: Fault, usage: Usage) -> None:
        super().__init__(fault.sentence)
        self.fault = fault
        self.usage = usage


class AnthropicModel:
    """A Model behind the Messages API. Key and address are what is given here, never the environment's."""

    def __init__(
        self,
        name: str,
        *,
        api_key: str,
        base_url: str = ENDPOINT,
        prices: Prices | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self.quirks = quirks_of(name)
        self.price = (prices or Prices.load()).of(name)
        self._sleep = sleep
        timeout = httpx2.Timeout(600.0, connect=10.0, read=180.0)  # a silent stream is dead; pings come sooner
        self._client = Anthropic(
            api_key=api_key, base_url=base_url, max_retries=0, timeout=timeout, open_telemetry=False
        )
        weakref.finalize(self, self._client.close)

    def ceiling(self, request: Request) -> float | None:
        """An upper bound in dollars for one try; None where the model has no price."""
        if self.price is None:
            return None
        size = len(json.dumps([request.system, request.tools, request.messages], ensure_ascii=False).encode())
        return self.price.most(size // _BYTES_A_TOKEN + _OVERHEAD_TOKENS, self._max_tokens(request))

    def ask(self, request: Request) -> Reply:
        """The reply. Raises AskFailed (an EnvironmentFault) with what was spent in vain."""
        tries = _Tries(time.monotonic())
        while True:
            tries.made += 1
            try:
                return self._once(request, tries)
            except _Failed as failed:
                self._charge(tries, failed.usage)
                self._wait(request, failed.fault, tries)

    def _wait(self, request: Request, fault: Fault, tries: _Tries) -> None:
        """Waits before the next try, or raises AskFailed."""
        failed = partial(AskFailed, usage=tries.usage, usd=tries.usd)
        if fault.kind == "too_long":
            raise failed(fault.sentence, why="too_long")
        wait = wait_s(fault, tries=tries.made, waited_s=tries.waited_s, jitter=random.random())
        if wait is None:
            raise failed(fault.sentence, why="away" if fault.kind == "temporary" else "refused")
        bound = self.ceiling(request)
        if request.limit_usd is not None and bound is not None and (tries.usd or 0.0) + bound > request.limit_usd:
            raise failed(f"{fault.sentence} Another try could pass the budget.", why="limit")
        tries.waited_s += wait
        self._sleep(wait)

    def _charge(self, tries: _Tries, usage: Usage) -> None:
        tries.usage += usage
        if self.price is not None:
            tries.usd = (tries.usd or 0.0) + self.price.cost(usage)

    def _once(self, request: Request, tries: _Tries) -> Reply:
        started, first = time.monotonic(), None
        assembly, size = Assembly(), 0
        try:
            with self._client.messages.create(**self._body(request)) as stream:
                size = len(stream.response.request.content)
                for event in stream:
                    if first is None and event.type == "content_block_delta":
                        first = time.monotonic()
                    assembly.feed(event.to_dict(mode="json"))
        except (APIStatusError, APIConnectionError, httpx2.HTTPError, ValueError) as error:
            raise _Failed(_fault(error), assembly.usage) from error
        if not assembly.complete or (assembly.broken and assembly.stop_reason == "tool_use"):
            raise _Failed(_CUT, assembly.usage)
        now = time.monotonic()
        self._charge(tries, assembly.usage)
        return Reply(
            blocks=assembly.blocks,
            stop_reason=str(assembly.stop_reason),
            usage=tries.usage,
            usd=tries.usd,
            model=assembly.model or self.name,
            request_bytes=size,
            first_token_ms=round(((first or now) - started) * 1000),
            seconds=now - tries.began,
            writing_s=now - (first or now),
        )

    def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.name,
            "max_tokens": self._max_tokens(request),
            "system": request.system,
            "tools": request.tools,
            "messages": request.messages,
            "stream": True,
        }
        if self.quirks.thinking == "adaptive":
            body["thinking"] = {"type": "adaptive"}
        return body

    def _max_tokens(self, request: Request) -> int:
        return min(request.max_tokens, self.quirks.max_output)


def _fault(error: Exception) -> Fault:
    """What a library's error says, in our words."""
    if isinstance(error, APIStatusError):
        asked = error.response.headers.get("x-should-retry")
        return Fault(
            status=error.status_code,
            type=str(error.type or "error"),
            message=error.api_message or error.message,
            after_s=retry_after_s(error.response.headers, datetime.now(UTC)),
            should_retry={"true": True, "false": False}.get(asked or ""),
        )
    if isinstance(error, APITimeoutError | httpx2.TimeoutException):
        return Fault(None, "timeout", "no answer in time")
    if isinstance(error, APIConnectionError):
        return Fault(None, "connection", str(error.__cause__ or error.message))
    if isinstance(error, httpx2.HTTPError):
        return Fault(None, "connection", str(error) or type(error).__name__)
    return _CUT
