"""Removes secrets from any text: those known by value, in every form they travel in, and those known by shape. Pure."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, quote_plus

MASK = "***"

# Shorter values would turn ordinary words into asterisks.
_SHORTEST = 8

_SHAPES = re.compile(
    r"""
      gh[opsur]_[A-Za-z0-9_.\-]{20,}
    | github_pat_[A-Za-z0-9_]{20,}
    | sk-ant-[A-Za-z0-9_\-]{10,}
    | sk-(?:proj-)?[A-Za-z0-9_\-]{32,}
    | -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----.*?(?:-----END[ ][A-Z ]*PRIVATE[ ]KEY-----|\Z)
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)
    """,
    re.VERBOSE | re.DOTALL,
)
# The header's name stays, so that a log still says that there was one.
_HEADER = re.compile(
    r"((?:proxy-)?authorization|x-api-key)(['\"]?\s*[:=]\s*(?:b(?=['\"]))?['\"]?)((?:(?:bearer|basic|token)\s+)?[^\s'\",;]+)",
    re.IGNORECASE,
)
# What terminals obey and people do not see: colours, titles and links, short codes.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])")


class Redactor:
    """Masks secrets. It starts with `secrets`; short-lived ones (tokens) are added and dropped as they come and go."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        self._known: re.Pattern[str] | None = None
        self.add(*secrets)

    def add(self, *secrets: str) -> None:
        """Masks these values from now on."""
        self._secrets.update(s for s in secrets if len(s) >= _SHORTEST)
        self._compile()

    def discard(self, secret: str) -> None:
        """Forgets a value that is dead now."""
        self._secrets.discard(secret)
        self._compile()

    def __call__(self, text: str) -> str:
        """`text` with every secret as `***`; codes for terminals inside a secret don't hide it."""
        plain = _ANSI.sub("", text)
        if len(plain) == len(text):
            return self._mask(text)
        masked = self._mask(plain)
        return text if masked == plain else masked

    def knows(self, text: str) -> bool:
        """True if `text` holds one of the secrets, in whatever form."""
        return self._known is not None and self._known.search(_ANSI.sub("", text)) is not None

    def value(self, value: Any) -> Any:
        """The same for every string inside a JSON-like value, keys included."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, bytes):
            return self(value.decode("utf-8", "replace"))
        if isinstance(value, Mapping):
            return {self(str(key)): self.value(item) for key, item in value.items()}
        if isinstance(value, Sequence):
            return [self.value(item) for item in value]
        return value

    def _mask(self, text: str) -> str:
        if self._known is not None:
            text = self._known.sub(MASK, text)
        return _HEADER.sub(rf"\1\2{MASK}", _SHAPES.sub(MASK, text))

    def _compile(self) -> None:
        # Longest first: a form that contains another must not leave its rest behind.
        forms = sorted({f for s in self._secrets for f in _forms(s)}, key=lambda form: (-len(form), form))
        self._known = re.compile("|".join(map(re.escape, forms))) if forms else None


def _forms(secret: str) -> Iterator[str]:
    """How `secret` looks in headers, addresses, JSON, and line by line."""
    yield secret
    yield quote(secret, safe="")
    yield quote_plus(secret)
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield from _base64(secret.encode())
    lines = [line.strip() for line in secret.splitlines()]
    if len(lines) > 1:
        yield from (line for line in lines if len(line) >= 20 and not line.startswith("-----"))


def _base64(secret: bytes) -> Iterator[str]:
    """The part of `secret` that is the same wherever it starts inside a longer base64 text."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for lead in range(3):
            text = encode(b"\0" * lead + secret).decode().rstrip("=")
            # Characters that also carry bits of the neighbours are not part of the stable middle.
            first = (lead * 8 + 5) // 6
            last = (lead + len(secret)) * 8 // 6
            if len(middle := text[first:last]) >= _SHORTEST:
                yield middle
