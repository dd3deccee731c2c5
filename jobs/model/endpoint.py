"""What any model endpoint shares: tries, waits and turns, the price of all of them, and replies put right."""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from jobs.model.base import AskFailed, Block, Ceiling, Reply, Request
from jobs.model.encode import encoded
from jobs.model.faults import UNREADABLE, Fault, wait_s
from jobs.model.lenient import flat
from jobs.model.limiter import Limiter, Unlimited
from jobs.model.limits import limits_of
from jobs.model.normalise import Mended, Unreadable, normalise
from jobs.model.prices import Prices
from jobs.model.quirks import Quirks, quirks_of
from jobs.model.usage import Usage

_TOKENS_A_BYTE = 0.5  # an upper estimate: text of nearly any language has fewer; a denser one is learned from replies
_DENSER, _DENSEST = 1.1, 2.0
_TELLING = 4000  # bytes; fewer say too little of a script
_OVERHEAD_TOKENS = 1000
_BYTES_A_TOKEN = 4  # what a turn is taken for: the likely size, not the largest
CUT = Fault(None, "connection", "the stream ended before the reply was complete")


class Broke(Exception):
    """One try failed."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.sentence)
        self.fault = fault


class Assembled(Protocol):
    """A reply that is being put together from the events of a stream."""

    model: str
    unread: dict[str, str]  # id of a call -> its arguments, where those are no JSON; known once `blocks` was read

    @property
    def stop_reason(self) -> str | None:
        """Why it ended, in the words of the Messages API; None while it has not."""
        ...

    @property
    def complete(self) -> bool:
        """Whether it ended as it should."""
        ...

    @property
    def begun(self) -> bool:
        """Whether the first token was seen."""
        ...

    def feed(self, event: Mapping[str, Any]) -> None:
        """Takes one event."""
        ...

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks, in the form of the Messages API."""
        ...

    @property
    def usage(self) -> Usage:
        """Tokens as finally reported, or an upper estimate of a broken stream's."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not as the endpoint should have sent it."""
        ...


@dataclass
class _Tries:
    """What the tries of one request have cost so far. `most` are the tokens that one of them can cost."""

    began: float
    most: Usage
    made: int = 0
    waited_s: float = 0.0
    usage: Usage = field(default_factory=Usage)
    usd: float | None = None


class Endpoint(ABC):
    """A Model behind some protocol, whose subclass makes bodies, opens streams and names faults."""

    settings = "ANTHROPIC"  # how the names of the settings begin that lead here
    limits_cached = False  # whether what the endpoint has cached counts towards its limit of tokens

    def __init__(
        self,
        name: str,
        address: str,
        *,
        prices: Prices | None,
        sleep: Callable[[float], None],
        limiter: Limiter | None,
    ) -> None:
        self.name = name
        self.address = address
        self.quirks: Quirks = quirks_of(name)
        self.plays = self.quirks.played_opening
        self.price = (prices or Prices.load()).of(name)
        self._sleep = sleep
        self._limiter: Limiter = limiter or Unlimited()
        self._density = _TOKENS_A_BYTE
        self._read = 0  # tokens of the last request that was answered
        self._head: tuple[object, int] | None = None  # system and tools of the last request, and their bytes
        self._answered = 0  # bytes of the last request that was answered
        self._open: _Tries | None = None

    @abstractmethod
    def _body(self, request: Request, max_tokens: int) -> bytes:
        """The request as it is sent."""

    @abstractmethod
    def _assembly(self, size: int, most: Usage) -> Assembled:
        """An empty reply to a body of `size` bytes, which can cost at most `most` tokens."""

    @abstractmethod
    def _stream(self, body: bytes) -> AbstractContextManager[Iterator[Mapping[str, Any]]]:
        """Sends, and gives the events that come back. Raises Broke, also while they are read."""

    def ceiling(self, request: Request) -> Ceiling:
        """An upper bound for one try."""
        return self._priced(self._most(request))

    def _most(self, request: Request) -> Usage:
        """The most tokens that one try can read and write."""
        size = request.size or len(encoded([request.system, request.tools, request.messages]))
        # What was counted once, as a prefix that stays, need not be guessed.
        unknown = max(0, size - request.known_size)
        tokens = request.known_tokens + int(unknown * self._density) + _OVERHEAD_TOKENS
        # Only what stands before the messages is marked to be cached for an hour.
        hour = min(tokens, int(self._head_size(request) * self._density) + _OVERHEAD_TOKENS)
        return Usage(input=tokens - hour, cache_write_1h=hour, output=self._max_tokens(request))

    def _head_size(self, request: Request) -> int:
        """Bytes of system prompt and tools, which are the same for a whole run."""
        head = request.system, request.tools
        if self._head is None or self._head[0] != head:
            self._head = (head, len(encoded(head)))
        return self._head[1]

    def _priced(self, most: Usage) -> Ceiling:
        read = most.total_input
        usd = None if self.price is None else self.price.most(read, most.output, most.cache_write_1h)
        return Ceiling(read + most.output, usd)

    def ask(self, request: Request) -> Reply:
        """The reply. Raises AskFailed (an EnvironmentFault) with what was spent in vain."""
        self._open = tries = _Tries(time.monotonic(), self._most(request))
        try:
            reply = self._tried(request, tries)
        except AskFailed:
            self._open = None
            raise
        self._open = None
        return reply

    def in_vain(self) -> tuple[Usage, float | None]:
        """What the last `ask` cost if neither a reply nor AskFailed told it: a stop or Ctrl-C ended it."""
        return (self._open.usage, self._open.usd) if self._open else (Usage(), None)

    def _tried(self, request: Request, tries: _Tries) -> Reply:
        body = self._body(request, self._max_tokens(request))
        if not self._within(request, tries):
            raise AskFailed("The request could pass the budget.", why="limit", usage=tries.usage, usd=tries.usd)
        while True:
            tries.made += 1
            try:
                return self._once(request, body, tries)
            except Broke as broke:
                self._wait(request, replace(broke.fault, settings=self.settings), tries)

    def _once(self, request: Request, body: bytes, tries: _Tries) -> Reply:
        fresh = len(body) - (0 if self.limits_cached else self._answered)
        if turn := self._limiter.turn(max(0, fresh) // _BYTES_A_TOKEN + 1):
            self._sleep(turn)
        started, first = time.monotonic(), None
        assembly = self._assembly(len(body), tries.most)
        try:
            with self._stream(body) as events:
                for event in events:
                    _fed(assembly, event)
                    if first is None and assembly.begun:
                        first = time.monotonic()
            mended = self._complete(request, assembly)
        finally:
            self._charge(tries, assembly.usage)
        now = time.monotonic()
        self._learn(assembly.usage, len(body))
        return Reply(
            blocks=mended.blocks,
            stop_reason=mended.stop_reason,
            usage=tries.usage,
            answered=assembly.usage,
            usd=tries.usd,
            model=assembly.model or self.name,
            request_bytes=len(body),
            first_token_ms=round(((first or now) - started) * 1000),
            seconds=now - tries.began,
            writing_s=now - (first or now),
            mended=(*assembly.notes, *mended.notes),
        )

    def _complete(self, request: Request, assembly: Assembled) -> Mended:
        """The reply as the loop sees it. Raises Broke for one that ended too early, or whose calls can't be read."""
        if not assembly.complete or not isinstance(assembly.stop_reason, str):
            raise Broke(CUT)
        try:
            blocks, in_text = _sound(assembly.blocks), self.quirks.calls_in_text
            return normalise(blocks, assembly.stop_reason, assembly.unread, request, in_text=in_text)
        except Unreadable as unreadable:
            raise Broke(Fault(None, UNREADABLE, str(unreadable))) from None

    def _heard(self, headers: Mapping[str, str]) -> None:
        """A response's headers, for everybody who has the same key."""
        if (limits := limits_of(headers)) is not None:
            self._limiter.learn(limits)

    def _wait(self, request: Request, fault: Fault, tries: _Tries) -> None:
        """Waits before the next try, or raises AskFailed."""
        failed = partial(AskFailed, usage=tries.usage, usd=tries.usd)
        if fault.kind == "too_long":
            raise failed(fault.sentence, why="too_long")
        wait = wait_s(fault, tries=tries.made, waited_s=tries.waited_s, jitter=random.random())
        if wait is None:
            raise failed(fault.sentence, why="away" if fault.kind == "temporary" else "refused")
        if not self._within(request, tries):
            raise failed(f"{fault.sentence} Another try could pass the budget.", why="limit")
        tries.waited_s += wait
        if fault.status == 429:
            self._limiter.refused(wait)
        self._sleep(wait)

    def _within(self, request: Request, tries: _Tries) -> bool:
        """Whether one more try keeps all of them within the limits."""
        bound, used = self._priced(tries.most), tries.usage.total_input + tries.usage.output
        if request.limit_tokens is not None and used + bound.tokens > request.limit_tokens:
            return False
        return request.limit_usd is None or bound.usd is None or (tries.usd or 0.0) + bound.usd <= request.limit_usd

    def _charge(self, tries: _Tries, usage: Usage) -> None:
        tries.usage += usage
        if self.price is not None:
            tries.usd = (tries.usd or 0.0) + self.price.cost(usage)

    def _learn(self, usage: Usage, size: int) -> None:
        """Some scripts have more tokens a byte than the usual bound: what was seen once holds for the next request."""
        more, fresh = usage.total_input - self._read, size - self._answered
        seen = max(0, usage.total_input - _OVERHEAD_TOKENS) / size
        if self._read and fresh >= _TELLING:  # what came last may be denser than the whole
            seen = max(seen, more / fresh)
        self._density = min(_DENSEST, max(self._density, seen * _DENSER))
        self._answered, self._read = size, usage.total_input

    def _max_tokens(self, request: Request) -> int:
        return min(request.max_tokens, self.quirks.max_output)


def _fed(assembly: Assembled, event: Mapping[str, Any]) -> None:
    """Takes one event. Raises Broke for one that is not as its protocol has it."""
    try:
        assembly.feed(event)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as odd:
        raise Broke(Fault(None, "malformed_stream", f"an event of the stream can't be read ({odd!r})")) from odd


def _sound(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """`blocks`, if each has what its kind needs. Raises Broke."""
    needs = {"text": ("text",), "tool_use": ("id", "name"), "thinking": ("thinking",)}
    for block in blocks:
        kind = block.get("type")
        names = needs.get(kind, ()) if isinstance(kind, str) else ("type",)
        if not all(isinstance(block.get(name), str) for name in names):
            raise Broke(Fault(None, UNREADABLE, f"a block of the kind {kind!r} is not complete."))
        try:
            flat(block)
        except ValueError as deep:
            raise Broke(Fault(None, UNREADABLE, f"a block of the kind {kind!r} is {deep}.")) from None
    return blocks
