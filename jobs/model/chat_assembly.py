"""Puts one streamed chat completion together, in the form of the Messages API. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jobs.model.base import Block
from jobs.model.lenient import strict
from jobs.model.usage import Usage, counted

DONE: Mapping[str, Any] = {"done": True}  # the stream's last word
_BYTES_A_TOKEN = 3  # of what was never reported; an upper estimate
_STOPS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}


@dataclass
class _Call:
    """One call as its pieces come."""

    id: str = ""
    name: str = ""
    written: list[str] = field(default_factory=list)


class ChatAssembly:
    """The reply so far to a body of `size` bytes, which can cost at most `most` tokens, read and written. `complete` is
    True once it was said why it ended, and either what it cost or that nothing follows."""

    def __init__(self, size: int, most: Usage) -> None:
        self.model = ""
        self.begun = False
        self.unread: dict[str, str] = {}
        self._size = size
        self._most = most
        self._id = ""
        self._text: list[str] = []
        self._refused: list[str] = []
        self._calls: list[_Call] = []
        self._newest: dict[int | None, _Call] = {}  # by index; None: of all
        self._finish: str | None = None
        self._done = self._came = False
        self._usage: Mapping[str, Any] | None = None
        self._chars = 0

    def feed(self, event: Mapping[str, Any]) -> None:
        """Takes one chunk, or DONE."""
        self._came = True
        if event is DONE:
            self._done = True
            return
        self._id = self._id or str(event.get("id") or "")
        self.model = self.model or str(event.get("model") or "")
        if isinstance(usage := event.get("usage"), Mapping) and counted(usage.get("prompt_tokens")):
            self._usage = usage
        for choice in event.get("choices") or ():
            if isinstance(finish := choice.get("finish_reason"), str) and finish:
                self._finish = finish
            self._delta(choice.get("delta") or choice.get("message") or {})

    def _delta(self, delta: Mapping[str, Any]) -> None:
        for key, texts in (("content", self._text), ("refusal", self._refused)):
            if piece := _words(delta.get(key)):
                texts.append(piece)
                self._count(piece)
        self._count(_words(delta.get("reasoning_content") or delta.get("reasoning")))
        for piece in delta.get("tool_calls") or ():
            self._called(piece)

    def _called(self, piece: Mapping[str, Any]) -> None:
        """A piece of a call."""
        function = piece.get("function") or {}
        call = self._call_of(piece, function)
        call.id = call.id or str(piece.get("id") or "")
        call.name = call.name or str(function.get("name") or "")
        if arguments := function.get("arguments"):
            written = arguments if isinstance(arguments, str) else json.dumps(arguments)
            call.written.append(written)
            self._count(written)
        self.begun = True

    def _call_of(self, piece: Mapping[str, Any], function: Mapping[str, Any]) -> _Call:
        """The call that a piece belongs to: by index; another id, or without index and id a name, begins a new one."""
        index, ident = piece.get("index"), piece.get("id")
        known = self._newest.get(index)
        name = function.get("name")
        if index is None and known is not None and name and (not ident or name != known.name):
            known = None
        if known is None or (ident and known.id != ident and (known.id or index is None)):
            known = _Call()
            self._calls.append(known)
        self._newest[index] = self._newest[None] = known
        return known

    def _count(self, piece: str) -> None:
        self.begun = self.begun or bool(piece)
        self._chars += len(piece.encode("utf-8", "replace"))

    @property
    def complete(self) -> bool:
        """Whether it ended as it should."""
        return self._finish is not None and (self._done or self._usage is not None)

    @property
    def stop_reason(self) -> str | None:
        """Why it ended, in the words of the Messages API."""
        if self._finish is None:
            return None
        stop = "refusal" if self._refused else _STOPS.get(self._finish, "end_turn")
        return "tool_use" if stop == "end_turn" and self._calls else stop

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The text, then the calls."""
        text = "".join(self._text) or "".join(self._refused)
        said: list[Block] = [{"type": "text", "text": text}] if text else []
        return (*said, *(self._block(n, call) for n, call in enumerate(self._calls)))

    def _block(self, number: int, call: _Call) -> Block:
        written, ident = "".join(call.written), call.id or f"call_{_short(self._id, repr(self._text))}_{number}"
        block: Block = {"type": "tool_use", "id": ident, "name": call.name, "input": {}}
        if not written.strip():
            return block
        try:
            return {**block, "input": strict(written)}
        except ValueError:
            self.unread[ident] = written
            return block

    @property
    def usage(self) -> Usage:
        """Tokens as reported; where nothing was, upper estimates from what was sent and what came."""
        if self._usage is None:
            return self._estimated() if self._came else Usage()
        seen = self._usage
        details = seen.get("prompt_tokens_details")
        within = counted(details.get("cached_tokens")) if isinstance(details, Mapping) else 0
        cached = within or counted(seen.get("prompt_cache_hit_tokens"))
        prompt, written = counted(seen.get("prompt_tokens")), counted(seen.get("completion_tokens"))
        return Usage(input=max(0, prompt - cached), output=written, cache_read=cached)

    def _estimated(self) -> Usage:
        read, written = self._size // _BYTES_A_TOKEN, -(-self._chars // _BYTES_A_TOKEN)
        return Usage(input=min(read, self._most.total_input), output=min(written, self._most.output))

    @property
    def notes(self) -> tuple[str, ...]:
        """That the tokens are an estimate, where they are."""
        return () if self._usage is not None else ("tokens were not reported: estimated",)


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    return "".join(str(p.get("text") or "") for p in parts if isinstance(p, Mapping))


def _short(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:12]
