"""Puts one streamed reply together, event by event, keeping every block exactly as it came. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobs.model.base import Block
from jobs.model.lenient import strict
from jobs.model.usage import Usage, counted

_BYTES_A_TOKEN = 3  # of output that a broken stream can no longer tell; an upper estimate for nearly any script
_PIECES = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
}


class Assembly:
    """The reply so far, of at most `most` tokens. `complete` is True once the stream ended as it should."""

    def __init__(self, most: int) -> None:
        self.stop_reason: str | None = None
        self.model = ""
        self.complete = False
        self.notes: tuple[str, ...] = ()  # nothing here is an estimate once it is complete
        self.begun = False  # the first token was seen
        self.unread: dict[str, str] = {}  # id of a tool call -> its input, where that is no JSON
        self._blocks: list[Block] = []
        self._pieces: dict[str, list[str]] = {}  # of the block that is being written
        self._usage: dict[str, Any] = {}
        self._most = most
        self._bytes = 0

    def feed(self, event: Mapping[str, Any]) -> None:
        """Takes one event of the stream."""
        kind = event["type"]
        if kind == "content_block_delta":
            return self._delta(event["delta"])
        self._close()
        if kind == "message_start":
            self.model = str(event["message"].get("model") or "")
            self._usage.update(event["message"].get("usage") or {})
        elif kind == "content_block_start":
            self._blocks.append(dict(event["content_block"]))
        elif kind == "message_delta":
            self.stop_reason = event["delta"].get("stop_reason")
            self._usage.update({k: v for k, v in (event.get("usage") or {}).items() if v is not None})
        elif kind == "message_stop":
            self.complete = self.stop_reason is not None
        return None

    def _delta(self, delta: Mapping[str, Any]) -> None:
        self.begun = True
        kind = delta["type"]
        if kind == "citations_delta":
            block = self._blocks[-1]
            block["citations"] = [*(block.get("citations") or []), delta["citation"]]
        elif (key := _PIECES.get(kind)) is not None:
            self._pieces.setdefault(key, []).append(delta[key])
            self._bytes += len(delta[key].encode("utf-8", "replace"))

    def _close(self) -> None:
        """Puts the pieces of a block together: once, as a long text would be copied for every piece."""
        for key, pieces in self._pieces.items():
            block, written = self._blocks[-1], "".join(pieces)
            if key != "partial_json":
                block[key] = (block.get(key) or "") + written
            elif block.get("type") == "tool_use" and written:
                try:
                    block["input"] = strict(written)
                except ValueError:
                    self.unread[str(block.get("id"))] = written
        self._pieces = {}

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks to keep; empty texts are left out, as no endpoint takes them back."""
        return tuple(b for b in self._blocks if b.get("type") != "text" or b.get("text"))

    @property
    def usage(self) -> Usage:
        """Tokens as finally reported; of a broken stream, what is known and an estimate of the output."""
        seen = self._usage
        written = counted(seen.get("cache_creation_input_tokens"))
        parts = seen.get("cache_creation")
        hour = counted(parts.get("ephemeral_1h_input_tokens")) if isinstance(parts, Mapping) else 0
        output = counted(seen.get("output_tokens"))
        if not self.complete:
            output = max(output, min(self._most, -(-self._bytes // _BYTES_A_TOKEN)))
        return Usage(
            input=counted(seen.get("input_tokens")),
            output=output,
            cache_read=counted(seen.get("cache_read_input_tokens")),
            cache_write_5m=max(0, written - hour),
            cache_write_1h=hour,
        )
