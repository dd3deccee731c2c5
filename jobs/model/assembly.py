"""Puts one streamed reply together, event by event, keeping every block exactly as it came. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jobs.model.base import Block
from jobs.model.usage import Usage

_CHARS_A_TOKEN = 3  # of output that a broken stream can no longer tell; an upper estimate


class Assembly:
    """The reply so far. `complete` is True once the stream ended as it should."""

    def __init__(self) -> None:
        self.stop_reason: str | None = None
        self.model = ""
        self.complete = False
        self.broken = False  # a tool call whose input is no JSON
        self._blocks: list[Block] = []
        self._json = ""
        self._usage: dict[str, Any] = {}
        self._chars = 0

    def feed(self, event: Mapping[str, Any]) -> None:
        """Takes one event of the stream."""
        kind = event["type"]
        if kind == "message_start":
            self.model = event["message"].get("model", "")
            self._usage.update(event["message"].get("usage") or {})
        elif kind == "content_block_start":
            self._blocks.append(dict(event["content_block"]))
            self._json = ""
        elif kind == "content_block_delta":
            self._delta(event["delta"])
        elif kind == "content_block_stop":
            self._close()
        elif kind == "message_delta":
            self.stop_reason = event["delta"].get("stop_reason")
            self._usage.update({k: v for k, v in (event.get("usage") or {}).items() if v is not None})
        elif kind == "message_stop":
            self.complete = self.stop_reason is not None

    def _delta(self, delta: Mapping[str, Any]) -> None:
        block = self._blocks[-1]
        for kind, key in (("text_delta", "text"), ("thinking_delta", "thinking"), ("signature_delta", "signature")):
            if delta["type"] == kind:
                block[key] = (block.get(key) or "") + delta[key]
                self._chars += len(delta[key])
        if delta["type"] == "input_json_delta":
            self._json += delta["partial_json"]
            self._chars += len(delta["partial_json"])
        elif delta["type"] == "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta["citation"]]

    def _close(self) -> None:
        block = self._blocks[-1]
        if block.get("type") != "tool_use" or not self._json:
            return
        try:
            block["input"] = json.loads(self._json)
        except ValueError:
            self.broken = True

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks to keep; empty texts are left out, as no endpoint takes them back."""
        return tuple(b for b in self._blocks if b.get("type") != "text" or b.get("text"))

    @property
    def usage(self) -> Usage:
        """Tokens as finally reported; of a broken stream, what is known and an estimate of the output."""
        seen = self._usage
        written = seen.get("cache_creation_input_tokens") or 0
        hour = (seen.get("cache_creation") or {}).get("ephemeral_1h_input_tokens") or 0
        output = seen.get("output_tokens") or 0
        if not self.complete:
            output = max(output, -(-self._chars // _CHARS_A_TOKEN))
        return Usage(
            input=seen.get("input_tokens") or 0,
            output=output,
            cache_read=seen.get("cache_read_input_tokens") or 0,
            cache_write_5m=max(0, written - hour),
            cache_write_1h=hour,
        )
