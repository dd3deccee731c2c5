"""The caps of a run, checked before each call against an upper bound. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from jobs.agent.attempt import AttemptEnd
from jobs.model.base import Reply
from jobs.model.usage import Usage

LEAST_OUTPUT = 4_000  # tokens; a reply with less room than this is not worth asking for
WARN_AT = 0.8


@dataclass(frozen=True)
class Budget:
    """What a run may use. `tokens` (read and written together) stands in for dollars where a model has no price."""

    rounds: int = 60
    usd: float | None = 2.0
    minutes: float | None = 45.0
    tokens: int = 3_000_000


@dataclass(frozen=True)
class Spent:
    """What a run has used so far; `usd` is None while nothing had a price."""

    rounds: int = 0
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    usd: float | None = None
    model_seconds: float = 0.0
    tool_seconds: float = 0.0

    def charged(self, usage: Usage, usd: float | None) -> Spent:
        """With one more reply's, or failed request's, tokens and dollars."""
        total = self.usd if usd is None else (self.usd or 0.0) + usd
        return replace(self, usage=self.usage + usage, usd=total)

    def replied(self, reply: Reply) -> Spent:
        """With one more round."""
        more = self.charged(reply.usage, reply.usd)
        return replace(more, rounds=self.rounds + 1, model_seconds=self.model_seconds + reply.seconds)

    def called(self, calls: int, seconds: float) -> Spent:
        """With more tool calls."""
        return replace(self, calls=self.calls + calls, tool_seconds=self.tool_seconds + seconds)


@dataclass(frozen=True)
class Allowance:
    """Whether the next call may be made: with at most `max_tokens` of output and `limit_usd` dollars, or not at
    all because `ended`."""

    max_tokens: int = 0
    limit_usd: float | None = None
    ended: AttemptEnd | None = None


def allowance(
    budget: Budget, spent: Spent, elapsed_s: float, want: int, ceiling: Callable[[int], float | None]
) -> Allowance:
    """What the caps leave for the next call. `ceiling(n)` bounds its price with `n` tokens of output."""
    if spent.rounds >= budget.rounds:
        return Allowance(ended="rounds")
    if budget.minutes is not None and elapsed_s >= budget.minutes * 60:
        return Allowance(ended="minutes")
    least = ceiling(LEAST_OUTPUT)
    if least is None:
        used = spent.usage.total_input + spent.usage.output
        return Allowance(ended="dollars") if used >= budget.tokens else Allowance(want)
    if budget.usd is None:
        return Allowance(want)
    left = budget.usd - (spent.usd or 0.0)
    if least > left:
        return Allowance(ended="dollars")
    return Allowance(_affordable(want, left, least, ceiling(want) or 0.0), left)


def _affordable(want: int, left: float, least: float, most: float) -> int:
    """The most output tokens, at most `want`, whose bound stays within `left`; the bound is linear in them."""
    if most <= left:
        return want
    return LEAST_OUTPUT + int((want - LEAST_OUTPUT) * (left - least) / (most - least))


def share(budget: Budget, spent: Spent, elapsed_s: float) -> float:
    """How much of the scarcest cap is used, 1.0 being all."""
    shares = [spent.rounds / budget.rounds]
    if budget.minutes:
        shares.append(elapsed_s / (budget.minutes * 60))
    if budget.usd and spent.usd is not None:
        shares.append(spent.usd / budget.usd)
    return max(shares)
