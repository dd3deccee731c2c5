"""The conversation: it only grows, and its prefix never changes by a byte."""

from __future__ import annotations

from collections.abc import Sequence

from jobs.model.base import Block, Message, Request

_HOUR = {"type": "ephemeral", "ttl": "1h"}
_ROLLING = {"type": "ephemeral"}


class History:
    """System prompt and tools are frozen; messages are appended. `tool_bytes` counts what results hold."""

    def __init__(self, system: str, tools: Sequence[Block]) -> None:
        self._system = system
        self._tools = tuple(tools)
        self._messages: list[Message] = []
        self._marked: int | None = None  # the message that the last request's cache marker stood on
        self.tool_bytes = 0

    def __len__(self) -> int:
        return len(self._messages)

    def say(self, text: str) -> None:
        """Appends words of the harness to the model."""
        self._messages.append({"role": "user", "content": [{"type": "text", "text": text}]})

    def reply(self, blocks: Sequence[Block]) -> None:
        """Appends the model's reply, as it came."""
        self._messages.append({"role": "assistant", "content": list(blocks)})

    def results(self, results: Sequence[Block], note: str = "") -> None:
        """Appends the results of one reply's calls, all in one message; a note stands behind them."""
        self.tool_bytes += sum(len(r["content"].encode()) for r in results)
        words = [{"type": "text", "text": note}] if note else []
        self._messages.append({"role": "user", "content": [*results, *words]})

    def request(self, max_tokens: int, limit_usd: float | None = None) -> Request:
        """The next request, with cache markers on the system prompt, on the place marked last time and on the end."""
        last = len(self._messages) - 1
        marks = {last} if self._marked is None else {self._marked, last}
        messages = tuple(_marked(m) if n in marks else m for n, m in enumerate(self._messages))
        system: Block = {"type": "text", "text": self._system, "cache_control": _HOUR}
        return Request((system,), self._tools, messages, max_tokens, limit_usd)

    def sent(self) -> None:
        """The last request was answered: what it held is cached now."""
        self._marked = len(self._messages) - 1


def _marked(message: Message) -> Message:
    *earlier, end = message["content"]
    return {**message, "content": [*earlier, {**end, "cache_control": _ROLLING}]}
