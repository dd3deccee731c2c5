"""Whatever an endpoint charges and however it fails, what a run pays stays within its cap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from agent_session import client_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.local.model import ScriptedEndpoint
from jobs.agent.budget import LAST_OUTPUT, Allowance, Budget, Spent, allowance, last_words
from jobs.model.assembly import Assembly
from jobs.model.base import AskFailed, Ceiling, Request
from jobs.model.encode import encoded
from jobs.model.endpoint import CUT, Broke, Endpoint
from jobs.model.faults import Fault
from jobs.model.prices import Price, Prices
from jobs.model.usage import Usage

NAMES = ["deepseek-chat", "gpt-4", "house", "claude-sonnet-4-5", "claude-sonnet-5-5"]  # clipped at 8,000 to 128,000
GO = Request((), (), ({"role": "user", "content": [{"type": "text", "text": "Go. " * 500}]},), 64_000)


@dataclass(frozen=True)
class Try:
    """What becomes of one try: how much of the most tokens that it can read and write it does, and how it ends."""

    read: float
    written: float
    ends: str  # well | cut | odd | away | long


class Costly(Endpoint):
    """An endpoint in this process that reports tokens up to the very bound of each try."""

    def __init__(self, name: str, price: Price | None, tries: list[Try], allowed: list[bool]) -> None:
        prices = Prices("2026-11-30", {} if price is None else {name: price})
        super().__init__(name, "here", prices=prices, sleep=lambda seconds: None, limiter=None)
        self._tries = tries
        self._allowed = allowed
        self._sent: tuple[Request, int] | None = None

    def _body(self, request: Request, max_tokens: int) -> bytes:
        self._sent = (request, max_tokens)
        return encoded([request.messages, max_tokens])

    def _assembly(self, size: int, most: Usage) -> Assembly:
        return Assembly(most.output)

    @contextmanager
    def _stream(self, body: bytes) -> Iterator[Iterator[Mapping[str, Any]]]:
        assert self._sent is not None
        assert self._open is not None
        request, max_tokens = self._sent
        most, used = self.ceiling(request), self._open
        limit, tokens = request.limit_usd, request.limit_tokens
        self._allowed.append(limit is None or most.usd is None or (used.usd or 0) + most.usd <= limit)
        self._allowed.append(tokens is None or used.usage.total_input + used.usage.output + most.tokens <= tokens)
        now = self._tries.pop(0) if self._tries else Try(1, 1, "well")
        if now.ends in ("away", "long"):
            raise Broke(CUT if now.ends == "away" else Fault(400, "x", "prompt is too long"))
        read = int((most.tokens - max_tokens) * now.read)
        hour = min(read, self._most(request).cache_write_1h)  # only what stands before the messages is kept so long
        yield self._events(now, read, hour, int(max_tokens * now.written))

    def _events(self, now: Try, read: int, hour: int, written: int) -> Iterator[Mapping[str, Any]]:
        usage = {"cache_creation_input_tokens": read, "cache_creation": {"ephemeral_1h_input_tokens": hour}}
        yield {"type": "message_start", "message": {"model": "m", "usage": usage}}
        yield {"type": "content_block_start", "content_block": {"type": "text", "text": ""}}
        yield {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "word " * written}}
        if now.ends == "cut":
            return
        yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": written}}
        yield {"type": "content_block_delta", "delta": None} if now.ends == "odd" else {"type": "message_stop"}


PRICE = Price(1, 5, 1, 1, 1)
RATES = st.floats(0, 80)
PRICES = st.none() | st.builds(
    lambda rates, far: Price(*rates, long_from=far[0], long_factor=far[1]),
    st.tuples(RATES, RATES, RATES, RATES.map(lambda rate: 2 * rate), RATES),
    st.tuples(st.none() | st.integers(0, 5000), st.floats(0.5, 5)),
)
# Writing costs test time by the word, so most tries write little.
TRIES = st.lists(
    st.builds(Try, st.floats(0, 1), st.sampled_from([0, 0.01, 0.1]), st.sampled_from(["well", "cut", "odd", "away"]))
    | st.builds(Try, st.just(1.0), st.just(1.0), st.sampled_from(["well", "cut", "long"])),
    max_size=12,
)


def asked(model: Endpoint, allowed: Allowance, spent: Spent) -> Spent:
    """Charged for one request, and a second one after one that was too long, as a session does."""
    request = replace(GO, max_tokens=allowed.max_tokens, limit_usd=allowed.limit_usd, limit_tokens=allowed.limit_tokens)
    try:
        return spent.replied(model.ask(request))
    except AskFailed as failed:
        spent = replace(spent.charged(failed.usage, failed.usd), rounds=spent.rounds + 1)
        return asked(model, allowed.less(failed.usage, failed.usd), spent) if failed.why == "too_long" else spent


@settings(max_examples=120, deadline=None)
@given(
    name=st.sampled_from(NAMES), price=PRICES, tries=TRIES, usd=st.floats(0.001, 2), tokens=st.integers(1000, 200_000)
)
def test_no_run_costs_more_than_its_cap(
    name: str, price: Price | None, tries: list[Try], usd: float, tokens: int
) -> None:
    allowed: list[bool] = []
    model = Costly(name, price, list(tries), allowed)
    budget, spent = Budget(usd=usd, tokens=tokens, rounds=12), Spent()

    def ceiling(max_tokens: int) -> Ceiling:
        return model.ceiling(replace(GO, max_tokens=max_tokens))

    while (may := allowance(budget, spent, 0, 64_000, ceiling)).ended is None:
        spent = asked(model, may, spent)
    if (may_speak := last_words(budget, spent, 0, ceiling)) is not None:
        assert may_speak.max_tokens == LAST_OUTPUT
        spent = asked(model, may_speak, spent)
    assert all(allowed)
    if price is None:
        assert spent.tokens <= tokens
    else:
        assert (spent.usd or 0) <= usd + 1e-9


def test_what_tries_cost_before_a_request_was_too_long_counts_for_the_next_one() -> None:
    most = Costly("gpt-4", PRICE, [], []).ceiling(GO).usd
    assert most is not None
    model = Costly("gpt-4", PRICE, [Try(1, 1, ends) for ends in ("cut", "long", "cut", "well")], allowed := [])
    spent = asked(model, Allowance(GO.max_tokens, most * 2.2), Spent())
    assert most < (spent.usd or 0) <= most * 2.2
    assert all(allowed)


@pytest.mark.parametrize("name", ["claude-sonnet-5-5", "openai/house"])
def test_the_first_try_is_checked_too(name: str) -> None:
    with ScriptedEndpoint([{"text": "ok", "repeat": True}], key="key") as endpoint:
        model = client_of(name, endpoint)
        most = model.ceiling(GO)
        limit = {"limit_tokens": most.tokens - 1} if most.usd is None else {"limit_usd": most.usd - 1e-6}
        with pytest.raises(AskFailed) as failed:
            model.ask(replace(GO, **limit))  # type: ignore[arg-type] # one of its two limits
        assert (failed.value.why, len(endpoint.requests)) == ("limit", 0)
        assert model.ask(replace(GO, limit_usd=most.usd, limit_tokens=most.tokens)).text == "ok"


def test_what_a_request_held_is_told_apart_from_what_its_tries_cost() -> None:
    with ScriptedEndpoint([{"fault": "cut", "text": "lost " * 60}, {"text": "ok", "repeat": True}], key="key") as at:
        model = client_of("claude-sonnet-5-5", at, lambda seconds: None)
        broken, plain = model.ask(GO), model.ask(GO)
    assert broken.answered.total_input == plain.answered.total_input == plain.usage.total_input
    assert broken.usage.total_input > plain.usage.total_input
    assert broken.usage.output > broken.answered.output


@pytest.mark.parametrize("rate", [float("nan"), float("inf"), -1.0, "1", True])
def test_a_rate_that_no_cap_could_hold_is_refused(rate: Any) -> None:
    with pytest.raises(ValueError, match="numbers from 0 on"):
        Price(1, 1, 1, 1, rate)


@example(Price(1, 1, 1, 1, 1, long_from=100, long_factor=0.5), (90, 0, 0, 0, 0))
@given(price=PRICES, parts=st.tuples(*[st.integers(0, 9000)] * 5))
def test_no_reply_costs_more_than_the_bound_for_its_tokens(price: Price | None, parts: tuple[int, ...]) -> None:
    if price is not None:
        usage = Usage(*parts)
        for more in (0, 20, 700, 90_000):
            assert price.cost(usage) <= price.most(usage.total_input + more, usage.output, usage.cache_write_1h) + 1e-9
