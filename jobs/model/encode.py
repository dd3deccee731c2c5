"""The JSON bytes of a growing conversation, of which each message is encoded once. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import chain, repeat
from typing import Any

from jobs.model.base import Message


def encoded(value: Any) -> bytes:
    """`value` as JSON. Half a surrogate pair, which no endpoint takes, becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


_Known = tuple[Message | None, bytes]
_NEW: _Known = (None, b"")


class Encoder:
    """Remembers the bytes of the messages of the last request, by which object stood where: a history gives the same
    objects again and again. `encode` makes one message's bytes, elements of a JSON array without its brackets."""

    def __init__(self, encode: Callable[[Message], bytes] = encoded) -> None:
        self._encode = encode
        self._known: list[_Known] = []

    def messages(self, messages: Sequence[Message]) -> bytes:
        """The messages as a JSON array."""
        before = zip(messages, chain(self._known, repeat(_NEW)), strict=False)
        self._known = [known if known[0] is m else (m, self._encode(m)) for m, known in before]
        return b"[" + b",".join([part for _, part in self._known if part]) + b"]"
