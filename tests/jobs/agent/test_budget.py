"""No cap is passed, whatever a request is bounded by."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.agent.budget import LAST_OUTPUT, LEAST_OUTPUT, Budget, Spent, allowance, last_words, share
from jobs.caps import reached
from jobs.model.base import Ceiling
from jobs.model.usage import Usage

Bound = Callable[[int], Ceiling]


@st.composite
def bounds(draw: st.DrawFn) -> Bound:
    """Bounds as endpoints have them: some tokens read, a price or none, output clipped, long requests dearer."""
    read = draw(st.integers(1, 400_000))
    clip = draw(st.sampled_from([2_000, 8_000, 16_000, 64_000]))
    rates = draw(st.none() | st.tuples(st.floats(0.1, 20), st.floats(0.1, 80)))
    dear = draw(st.sampled_from([1.0, 2.0]))

    def bound(max_tokens: int) -> Ceiling:
        written = min(max_tokens, clip)
        usd = None if rates is None else (read * rates[0] + written * rates[1]) * dear / 1e6
        return Ceiling(read + written, usd)

    return bound


@given(bounds(), st.floats(0.001, 3), st.floats(0, 3), st.integers(4_000, 64_000), st.integers(1, 10**6))
def test_a_call_that_is_allowed_fits_beside_the_last_words(
    bound: Bound, usd: float, spent_usd: float, want: int, tokens: int
) -> None:
    priced = bound(1).usd is not None
    budget = Budget(usd=usd, tokens=tokens)
    spent = Spent(usage=Usage(input=1000), usd=spent_usd if priced else None)
    allowed = allowance(budget, spent, 0, want, bound)
    if allowed.ended is not None:
        assert allowed.ended == ("dollars" if priced else "tokens")
        return
    cost, last = bound(allowed.max_tokens), bound(LAST_OUTPUT)
    assert LEAST_OUTPUT <= allowed.max_tokens <= want
    if priced:
        assert spent_usd + (cost.usd or 0) + (last.usd or 0) <= usd + 1e-9
        assert allowed.limit_usd is not None
        assert (cost.usd or 0) <= allowed.limit_usd
    else:
        assert spent.tokens + cost.tokens + last.tokens <= tokens
    if allowed.max_tokens < want:  # nothing is left unused
        more = bound(allowed.max_tokens + 1)
        over = (
            (more.usd or 0) > (allowed.limit_usd or 0) if priced else spent.tokens + more.tokens + last.tokens > tokens
        )
        assert over


def test_a_bound_that_is_clipped_is_not_taken_for_a_line() -> None:
    def clipped(max_tokens: int) -> Ceiling:
        return Ceiling(min(max_tokens, 8000), min(max_tokens, 8000) / 100_000)

    allowed = allowance(Budget(usd=0.06), Spent(), 0, 64_000, clipped)
    assert (clipped(allowed.max_tokens).usd or 0) <= 0.06 - 0.015


@pytest.mark.parametrize(("spent", "asked"), [(80_000, True), (98_000, False)])
def test_tokens_stand_in_for_dollars_where_there_is_no_price(spent: int, asked: bool) -> None:
    budget, used = Budget(tokens=100_000), Spent(usage=Usage(input=spent))

    def bound(max_tokens: int) -> Ceiling:
        return Ceiling(1_000 + max_tokens)

    allowed = allowance(budget, used, 0, 64_000, bound)
    assert (allowed.ended is None) is asked
    if asked:
        assert used.tokens + 1_000 + allowed.max_tokens + 1_000 + LAST_OUTPUT == 100_000
    else:
        assert (allowed.ended, last_words(budget, used, 0, bound)) == ("tokens", None)


def test_the_share_and_the_message_tell_of_the_cap_of_tokens() -> None:
    def tokens(max_tokens: int) -> Ceiling:
        return Ceiling(max_tokens)

    def dollars(max_tokens: int) -> Ceiling:
        return Ceiling(max_tokens, max_tokens / 100_000)

    used = Spent(usage=Usage(input=90_000))
    assert share(Budget(tokens=200_000), used, 0, tokens) == (90_000 + 4_000 + 1_500) / 200_000
    assert share(Budget(tokens=100_000, usd=1), Spent(usage=Usage(input=90_000), usd=0.7), 0, dollars) == 0.7 + 0.055
    assert share(Budget(rounds=0), Spent(), 0, dollars) < 1
    assert "1,000 in all" in reached("tokens", Budget(tokens=1000))
