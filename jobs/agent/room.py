"""What an endpoint that refused a request for its length says of its window, and what a reply may have then. Pure."""

from __future__ import annotations

import re

from jobs.agent.budget import LEAST_OUTPUT

MOST = 64_000  # tokens of one reply, in any window

_COUNT = r"(\d[\d,]{3,9})"
_SAID = re.compile(
    rf"maximum context length (?:is|of) {_COUNT}"
    rf"|> {_COUNT}(?: maximum|\b)"  # `214000 tokens > 200000 maximum`, `190000 + 16000 > 200000`
    rf"|context (?:size|window|length)\D{{0,40}}?{_COUNT} tokens"
    rf"|tokens allowed \({_COUNT}\)",
    re.IGNORECASE,
)


def window_said(message: str) -> int | None:
    """The window, in tokens, that the endpoint names in its refusal; None where it names none."""
    found = _SAID.search(message)
    if found is None:
        return None
    digits = next(group for group in found.groups() if group is not None)
    return int(digits.replace(",", ""))


def reply_in(window: int) -> int:
    """The most tokens of one reply in a window of so many: a quarter, and no less than a reply needs."""
    return min(MOST, max(LEAST_OUTPUT, window // 4))
