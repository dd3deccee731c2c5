"""The conversation: it only grows, but for a cut, and its prefix never changes by a byte."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from jobs.agent import clearing
from jobs.model.base import Block, Message, Request

_HOUR = {"type": "ephemeral", "ttl": "1h"}
_ROLLING = {"type": "ephemeral"}


class History:
    """System prompt and tools are frozen; messages are appended. `tool_bytes` counts what results hold, `size` the
    bytes of everything."""

    def __init__(self, system: str, tools: Sequence[Block]) -> None:
        self._system: tuple[Block, ...] = ({"type": "text", "text": system, "cache_control": _HOUR},)
        self._tools = tuple(tools)
        self._messages: list[Message] = []
        self._marked: int | None = None  # the message that the last request's cache marker stood on
        self._fixed = _size([*self._system, *self._tools])
        self.size = self._fixed
        self._counted = (0, 0)  # (bytes, tokens) of the last request that was answered
        self.tool_bytes = 0

    def __len__(self) -> int:
        return len(self._messages)

    def say(self, text: str) -> None:
        """Appends words of the harness to the model."""
        self._append("user", [{"type": "text", "text": text}])

    def reply(self, blocks: Sequence[Block]) -> None:
        """Appends the model's reply, as it came."""
        self._append("assistant", list(blocks))

    def results(self, results: Sequence[Block], notes: Sequence[str] = ()) -> None:
        """Appends the results of one reply's calls, all in one message; notes stand behind them."""
        self.tool_bytes += sum(len(r["content"].encode()) for r in results)
        self._append("user", [*results, *({"type": "text", "text": note} for note in notes if note)])

    def request(self, max_tokens: int, limit_usd: float | None = None, limit_tokens: int | None = None) -> Request:
        """The next request, with cache markers on the system prompt, on the place marked last time and on the end."""
        last = len(self._messages) - 1
        marks = {last} if self._marked is None else {self._marked, last}
        messages = tuple(_marked(m) if n in marks else m for n, m in enumerate(self._messages))
        known, tokens = self._counted
        return Request(
            self._system, self._tools, messages, max_tokens, limit_usd, self.size, known, tokens, limit_tokens
        )

    def outline(self, max_tokens: int) -> Request:
        """The next request without its messages: enough to bound what it costs, however long it is."""
        known, tokens = self._counted
        return Request(self._system, self._tools, (), max_tokens, None, self.size, known, tokens)

    def sent(self, tokens: int) -> None:
        """The last request was answered: what it held is cached now, and had so many `tokens`."""
        self._marked = len(self._messages) - 1
        self._counted = (self.size, tokens)

    def cut(self, too_many: int, *, least: int, keep: clearing.Keep) -> clearing.Cut | None:
        """Takes about `too_many` tokens of the oldest results out, once; None, and nothing changed, where too few can
        go. From here on the prefix is a new one."""
        done = clearing.cut(self._messages, too_many, least=least, keep=keep)
        if done is not None:
            self._messages = list(done.messages)
            self._marked = None
            self._counted = (0, 0)
            self.size = self._fixed + sum(_size(m) for m in self._messages)
            results = [b for m in self._messages for b in m["content"] if b.get("type") == "tool_result"]
            self.tool_bytes = sum(len(r["content"].encode()) for r in results)
        return done

    def _append(self, role: str, content: list[Block]) -> None:
        message: Message = {"role": role, "content": content}
        self._messages.append(message)
        self.size += _size(message)


def _marked(message: Message) -> Message:
    *earlier, end = message["content"]
    if end.get("type") in ("thinking", "redacted_thinking"):  # takes no marker
        return message
    return {**message, "content": [*earlier, {**end, "cache_control": _ROLLING}]}


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")) + 2
