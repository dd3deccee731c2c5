"""What an endpoint says of its window when it refuses a request for its length."""

from __future__ import annotations

import pytest

from jobs.agent.budget import LEAST_OUTPUT
from jobs.agent.room import MOST, reply_in, window_said


@pytest.mark.parametrize(
    ("message", "window"),
    [
        ("prompt is too long: 214000 tokens > 200000 maximum", 200_000),
        ("input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000, decrease input", 200_000),
        ("This model's maximum context length is 32768 tokens. However, you requested 36000 tokens", 32_768),
        ("maximum context length of 131,072 tokens", 131_072),
        ("the request exceeds the available context size (8192 tokens), try increasing it", 8_192),
        ("The input token count (1300000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
        ("context_length_exceeded", None),
        ("request_too_large: Request exceeds the maximum size of 32 MB", None),
    ],
)
def test_the_window_is_read_from_the_refusal(message: str, window: int | None) -> None:
    assert window_said(message) == window


@pytest.mark.parametrize(("window", "tokens"), [(8_192, LEAST_OUTPUT), (32_768, 8_192), (1_000_000, MOST)])
def test_a_reply_has_a_quarter_of_the_window(window: int, tokens: int) -> None:
    assert reply_in(window) == tokens
