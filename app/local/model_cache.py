"""Counts a request's tokens as an endpoint with a prompt cache would bill them."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

LOOK_BACK = 20  # blocks
MOST_MARKERS = 4
_LIFE_S = {"5m": 300.0, "1h": 3600.0}


class BadMarkers(ValueError):
    """The request's cache markers break a rule; the text is what the endpoint says."""


@dataclass(frozen=True)
class Counted:
    """Tokens of one request by how they are billed."""

    fresh: int
    read: int
    written_5m: int
    written_1h: int

    def usage(self, output: int) -> dict[str, Any]:
        """As the endpoint reports it."""
        return {
            "input_tokens": self.fresh,
            "cache_read_input_tokens": self.read,
            "cache_creation_input_tokens": self.written_5m + self.written_1h,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.written_5m,
                "ephemeral_1h_input_tokens": self.written_1h,
            },
            "output_tokens": output,
            "service_tier": "standard",
        }


@dataclass(frozen=True)
class _Part:
    text: str
    life: str | None  # of the marker on it


def tokens(text: str) -> int:
    """An estimate that grows with the text: bytes / 3.8."""
    return max(1, round(len(text.encode()) / 3.8))


class PromptCache:
    """Prefixes by hash, each until its life is over. `minimum` is the least that is cached."""

    def __init__(self, *, minimum: int = 1024, clock: Callable[[], float] = time.monotonic) -> None:
        self._minimum = minimum
        self._clock = clock
        self._until: dict[str, float] = {}
        self._lock = Lock()

    def count(self, body: Mapping[str, Any]) -> Counted:
        """Bills one request: longest stored prefix read, the rest up to the last marker written. Raises BadMarkers."""
        parts = _parts(body)
        marks = [n for n, part in enumerate(parts) if part.life]
        lives = [str(parts[n].life) for n in marks]
        if len(marks) > MOST_MARKERS:
            raise BadMarkers(f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}.")
        if "5m" in lives and "1h" in lives[lives.index("5m") :]:
            raise BadMarkers("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.")
        hashes, sums = _prefixes(str(body.get("model")), parts)
        with self._lock:
            read = self._read(marks, hashes, sums)
            self._store(marks, lives, hashes, sums)
        return _billed(read, marks, lives, [s if s >= self._minimum else 0 for s in sums], sums[-1] if sums else 0)

    def _read(self, marks: list[int], hashes: list[str], sums: list[int]) -> int:
        now = self._clock()
        for mark in reversed(marks):
            for n in range(mark, max(-1, mark - LOOK_BACK), -1):
                if self._until.get(hashes[n], 0.0) > now:
                    return sums[n]
        return 0

    def _store(self, marks: list[int], lives: list[str], hashes: list[str], sums: list[int]) -> None:
        for mark, life in zip(marks, lives, strict=True):
            if sums[mark] >= self._minimum:
                self._until[hashes[mark]] = self._clock() + _LIFE_S[life]


def _billed(read: int, marks: list[int], lives: list[str], cached: list[int], total: int) -> Counted:
    hour = max((cached[m] for m, life in zip(marks, lives, strict=True) if life == "1h"), default=0)
    end = max((cached[m] for m in marks), default=0)
    written_1h = max(0, hour - read)
    written_5m = max(0, end - max(read, hour))
    return Counted(total - read - written_1h - written_5m, read, written_5m, written_1h)


def _prefixes(model: str, parts: list[_Part]) -> tuple[list[str], list[int]]:
    running, total = hashlib.sha256(model.encode()), 0
    hashes, sums = [], []
    for part in parts:
        running.update(part.text.encode())
        total += tokens(part.text)
        hashes.append(running.hexdigest())
        sums.append(total)
    return hashes, sums


def _parts(body: Mapping[str, Any]) -> list[_Part]:
    """The request as the blocks that caching sees: tools, system, messages."""
    system = body.get("system") or []
    blocks = [*(body.get("tools") or []), *([{"type": "text", "text": system}] if isinstance(system, str) else system)]
    parts = [_part("", block) for block in blocks]
    for message in body.get("messages") or []:
        content = message["content"]
        inner = [{"type": "text", "text": content}] if isinstance(content, str) else content
        parts += [_part(message["role"], block) for block in inner]
    return parts


def _part(role: str, block: Mapping[str, Any]) -> _Part:
    marker = block.get("cache_control")
    bare = {key: value for key, value in block.items() if key != "cache_control"}
    return _Part(
        role + json.dumps(bare, sort_keys=True, ensure_ascii=False), (marker.get("ttl") or "5m") if marker else None
    )
