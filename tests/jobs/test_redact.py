"""Redaction: every form of a known secret, and every shape of an unknown one."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from jobs.redact import MASK, Redactor

SECRET = 's3cr/et+"va lue"é'
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0123456789abcdefghijklmnopqrstuv\n"
    "QUJDREVGR0hJSktMTU5PUFFSU1RV\n-----END RSA PRIVATE KEY-----\n"
)


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        quote(SECRET, safe=""),
        json.dumps({"a": SECRET}),
        json.dumps({"a": SECRET}, ensure_ascii=False),
        base64.b64encode(SECRET.encode()).decode(),
        base64.b64encode(b"x-access-token:" + SECRET.encode()).decode(),
        base64.b64encode(b"xy" + SECRET.encode() + b" tail").decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
        f"before {SECRET[:5]}\x1b[31m{SECRET[5:]}\x1b[0m after",
    ],
)
def test_known_secret_is_masked_in_every_form(form: str) -> None:
    masked = Redactor([SECRET])(form)
    assert MASK in masked
    for part in (SECRET, base64.b64encode(SECRET.encode()).decode()[4:-4], quote(SECRET, safe="")):
        assert part not in masked


@pytest.mark.parametrize(
    "text",
    [
        "ghs_" + "a1B2" * 9,
        "ghs_12345_" + "eyJhbGciOi.J9abc-_" * 40,
        "ghp_0123456789abcdefghij",
        "github_pat_11ABCDEFG0123456789_abcdefghijklmnop",
        "sk-ant-api03-abcdefghij_-0123456789",
        "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789",
        PEM,
        json.dumps(PEM),
        PEM[:90],
        "redis://user:hunter2hunter2@host:6379/0",
        "https://x-access-token:abcdefgh@github.example/o/r.git",
        "Authorization: Bearer abcdefghijkl",
        "authorization: basic eC1hY2Nlc3M=",
        '{"Authorization": "token abcdefghijkl"}',
        "x-api-key: abcdefghijkl",
    ],
)
def test_unknown_secret_is_masked_by_its_shape(text: str) -> None:
    masked = Redactor()(f"see {text} there")
    assert MASK in masked
    for part in ("hunter2hunter2", "abcdefghijkl", "eC1hY2Nlc3M", "0123456789abcdefghij", "x-access-token:abcdefgh"):
        assert part not in masked


def test_ordinary_text_stays_as_it_is() -> None:
    text = "Fixed sk-1 in ghs_ and https://github.com/o/r; authorization is hard. user:pass \x1b[31mred\x1b[0m"
    assert Redactor([SECRET, "short"])(text) == text


def test_key_is_masked_line_by_line() -> None:
    assert "QUJDREVGR0hJSktMTU5PUFFSU1RV" not in Redactor([PEM])("line: QUJDREVGR0hJSktMTU5PUFFSU1RV")


def test_added_secret_is_masked_until_it_is_dropped() -> None:
    redactor = Redactor()
    redactor.add("a-live-token-value")
    assert redactor("x a-live-token-value") == f"x {MASK}"
    redactor.discard("a-live-token-value")
    assert redactor("x a-live-token-value") == "x a-live-token-value"


def test_longest_secret_goes_first() -> None:
    assert Redactor(["password-1", "password-1-and-more"])("password-1-and-more") == MASK


def test_values_are_masked_inside_out() -> None:
    value = {"a-live-token-value": [1, None, {"k": "a-live-token-value"}], "b": (True, b"a-live-token-value")}
    masked = Redactor(["a-live-token-value"]).value(value)
    assert masked == {MASK: [1, None, {"k": MASK}], "b": [True, MASK]}
