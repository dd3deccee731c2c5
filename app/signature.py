"""Checks a webhook's signature: HMAC-SHA256 over the raw bytes. Pure."""

from __future__ import annotations

import hashlib
import hmac


def valid(secret: str, body: bytes, header: bytes | None) -> bool:
    """True if `header` (X-Hub-Signature-256 as received) signs `body`. Any other algorithm is no signature."""
    if header is None:
        return False
    # Bytes against bytes: a comparison of text refuses what is not ASCII with an error instead of an answer.
    return hmac.compare_digest(sign(secret, body), header)


def sign(secret: str, body: bytes) -> bytes:
    """The header's value for `body`: `sha256=` and 64 hexadecimal digits."""
    return b"sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest().encode()
