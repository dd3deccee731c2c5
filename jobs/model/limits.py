"""How many requests and tokens a minute one key may use, and when the next request's turn comes. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MARGIN = 0.95  # of a limit that is used: the endpoint's window and ours don't begin together

_REQUESTS = ("anthropic-ratelimit-requests-limit", "x-ratelimit-limit-requests")
_TOKENS = ("anthropic-ratelimit-tokens-limit", "anthropic-ratelimit-input-tokens-limit", "x-ratelimit-limit-tokens")


@dataclass(frozen=True)
class Limits:
    """Of one minute; None where the endpoint names no limit."""

    requests: int | None = None
    tokens: int | None = None


@dataclass(frozen=True)
class Taken:
    """One turn: when it begins (seconds) and for how many tokens."""

    at: float
    tokens: int


def limits_of(headers: Mapping[str, str]) -> Limits | None:
    """What a response's headers say; None if nothing."""
    found = Limits(_least(headers, _REQUESTS), _least(headers, _TOKENS))
    return None if found == Limits() else found


def next_turn(taken: Sequence[Taken], limits: Limits, tokens: int, *, now: float, minute_s: float) -> float:
    """When a request for `tokens` may begin: behind every turn that was `taken` (oldest first), and as soon as the
    minute that ends with it has room. One that is larger than the limit itself waits for an empty minute."""
    at = max(now, taken[-1].at) if taken else now
    count, total = len(taken), sum(t.tokens for t in taken)
    for turn in taken:
        full = _beyond(count + 1, limits.requests) or (total > 0 and _beyond(total + tokens, limits.tokens))
        if turn.at > at - minute_s and not full:
            break
        if full:
            at = max(at, turn.at + minute_s)
        count, total = count - 1, total - turn.tokens
    return at


def _beyond(used: int, limit: int | None) -> bool:
    return limit is not None and used > max(1, int(limit * MARGIN))


def _least(headers: Mapping[str, str], names: Sequence[str]) -> int | None:
    values = [int(text) for name in names if (text := headers.get(name) or "").isdecimal() and int(text) > 0]
    return min(values, default=None)
