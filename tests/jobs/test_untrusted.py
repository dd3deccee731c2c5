from __future__ import annotations

import pytest

from jobs.untrusted import receive, visible


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain\ntext", "plain\ntext"),
        ("a <!-- hidden --> b", "a  b"),
        ("a <!-- one\ntwo --> b", "a  b"),
        ("a <!-<!-- x -->- hidden --> b", "a  b"),
        ("a <!-- never closed", "a "),
        ("[//]: # (hidden)\nseen", "\nseen"),
        ("> [comment]: <> (hidden)\nseen", "\nseen"),
        ("[real]: https://example.com\nseen", "[real]: https://example.com\nseen"),
        ("za\u200bp\u202e\u2066\ufeff\u00ad", "zap"),
        ("tag\U000e0041\U000e0042 vs\ufe0f\U000e0100", "tag vs"),
        ("fill\u3164\u115f\u2800er", "filler"),
        ("a\u00a0b\u3000c", "a b c"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("\x1b[31mred\x1b[0m \x1b]8;;javascript:alert(1)\x07x\x00", "red x"),
        ("lone \ud800 surrogate", "lone  surrogate"),
        ("grüße 日本語 🎉", "grüße 日本語 🎉"),
    ],
)
def test_only_what_a_reader_could_see_stays(text: str, seen: str) -> None:
    received = receive(text)
    assert received.text == seen
    assert receive(received.text).text == seen
    assert receive(received.text).removed == ()


def test_what_was_taken_out_is_told() -> None:
    assert receive("a<!-- b --><!-- c -->\u200b").removed == ("2 hidden comments", "1 invisible character")
    assert receive("x" * 12, limit=10).removed == ("2 characters over the limit",)
    assert receive("x" * 12, limit=10).text == "x" * 10


def test_hidden_comments_are_gone_however_deep() -> None:
    text = "<!-" * 500 + "- x -->" + "- y -->" * 499
    assert "<!--" not in receive(text).text


def test_visible_keeps_ordinary_text_as_it_is() -> None:
    assert visible("def f():\n\treturn 'x'  # é\n") == "def f():\n\treturn 'x'  # é\n"
