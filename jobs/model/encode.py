"""The JSON bytes of a growing conversation, of which each message is encoded once. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from jobs.model.base import Message


def encoded(value: Any) -> bytes:
    """`value` as JSON. Half a surrogate pair, which no endpoint takes, becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


class Encoder:
    """Remembers the bytes of the messages of the last request, by which object each is: a history gives the same
    objects again and again. `encode` makes one message's bytes, elements of a JSON array without its brackets."""

    def __init__(self, encode: Callable[[Message], bytes] = encoded) -> None:
        self._encode = encode
        # A message is held beside its bytes: while it lives here, no other object has its id.
        self._known: dict[int, tuple[Message, bytes]] = {}

    def messages(self, messages: Sequence[Message]) -> bytes:
        """The messages as a JSON array."""
        known = self._known
        now = {id(m): known.get(id(m)) or (m, self._encode(m)) for m in messages}
        self._known = now
        return b"[" + b",".join(part for m in messages if (part := now[id(m)][1])) + b"]"
