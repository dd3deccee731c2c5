"""Signatures: HMAC-SHA256 over raw bytes, and nothing else counts."""

from __future__ import annotations

import pytest

from app.signature import sign, valid

BODY = b'{"zen": "1"}'


def test_known_value_is_signed_as_documented() -> None:
    # The example in GitHub's documentation of webhook validation.
    expected = b"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert sign("It's a Secret to Everybody", b"Hello, World!") == expected


def test_right_signature_is_valid() -> None:
    assert valid("key", BODY, sign("key", BODY))


@pytest.mark.parametrize(
    "header",
    [
        None,
        b"",
        b"sha256=",
        sign("other", BODY),
        sign("key", BODY + b" "),
        sign("key", BODY).upper(),
        b"sha1=" + sign("key", BODY)[7:47],
        sign("key", BODY)[:-1],
        sign("key", BODY) + b"\xc3\xa9",
        "sha256=é".encode(),
        b"sha256=\xff\xfe",
    ],
)
def test_anything_else_is_not(header: bytes | None) -> None:
    assert not valid("key", BODY, header)
