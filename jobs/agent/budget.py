"""The caps of a run, checked before each call against an upper bound. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from jobs.agent.attempt import AttemptEnd
from jobs.model.base import Ceiling, Reply
from jobs.model.usage import Usage

LEAST_OUTPUT = 4_000  # tokens; a reply with less room than this is not worth asking for
LAST_OUTPUT = 1_500  # tokens that are kept back for the last words
WARN_AT = 0.8


@dataclass(frozen=True)
class Budget:
    """What a run may use. `output` are tokens that the model writes; `tokens` (read and written together) stands in
    for dollars where a model has no price."""

    rounds: int = 60
    usd: float | None = 2.0
    minutes: float | None = 45.0
    tokens: int = 3_000_000
    output: int = 500_000


@dataclass(frozen=True)
class Spent:
    """What a run has used so far; `usd` is None while nothing had a price."""

    rounds: int = 0
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    usd: float | None = None
    model_seconds: float = 0.0
    tool_seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.usage.total_input + self.usage.output

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
    """Whether the next call may be made: with at most `max_tokens` of output and `limit_usd` dollars, or where there is
    no price `limit_tokens` read and written; or not at all because `ended`."""

    max_tokens: int = 0
    limit_usd: float | None = None
    ended: AttemptEnd | None = None
    limit_tokens: int | None = None

    def less(self, usage: Usage, usd: float | None) -> Allowance:
        """What is left of it after tries that failed."""
        dollars = None if self.limit_usd is None else self.limit_usd - (usd or 0.0)
        tokens = None if self.limit_tokens is None else self.limit_tokens - usage.total_input - usage.output
        return replace(self, limit_usd=dollars, limit_tokens=tokens)

    @property
    def cap(self) -> AttemptEnd:
        """The cap that a call which stopped at its limit has reached."""
        return "tokens" if self.limit_usd is None else "dollars"


Bound = Callable[[int], Ceiling]  # what a call with so many tokens of output can cost at most


def allowance(budget: Budget, spent: Spent, elapsed_s: float, want: int, ceiling: Bound) -> Allowance:
    """What the caps leave for the next call, beside what the last words may cost."""
    if (over := _over(budget, spent, elapsed_s, LEAST_OUTPUT + LAST_OUTPUT)) is not None:
        return Allowance(ended=over)
    want = min(want, budget.output - spent.usage.output - LAST_OUTPUT)
    last = ceiling(LAST_OUTPUT)
    least = ceiling(LEAST_OUTPUT)
    if least.usd is None:
        left = budget.tokens - spent.tokens - last.tokens
        if least.tokens > left:
            return Allowance(ended="tokens")
        return Allowance(_fitting(want, lambda n: ceiling(n).tokens <= left), limit_tokens=left)
    if budget.usd is None:
        return Allowance(want)
    money = budget.usd - (spent.usd or 0.0) - (last.usd or 0.0)
    if least.usd > money:
        return Allowance(ended="dollars")
    return Allowance(_fitting(want, lambda n: (ceiling(n).usd or 0.0) <= money), money)


def last_words(budget: Budget, spent: Spent, elapsed_s: float, ceiling: Bound) -> Allowance | None:
    """What one last reply in words may cost; None where no cap leaves room for it."""
    most = ceiling(LAST_OUTPUT)
    if _over(budget, spent, elapsed_s, LAST_OUTPUT) is not None:
        return None
    if most.usd is None:
        tokens = budget.tokens - spent.tokens
        return Allowance(LAST_OUTPUT, limit_tokens=tokens) if most.tokens <= tokens else None
    if budget.usd is None:
        return Allowance(LAST_OUTPUT)
    left = budget.usd - (spent.usd or 0.0)
    return Allowance(LAST_OUTPUT, left) if most.usd <= left else None


def _over(budget: Budget, spent: Spent, elapsed_s: float, output: int) -> AttemptEnd | None:
    """The cap of rounds, minutes or written tokens that leaves no room for a reply of `output` tokens."""
    if spent.rounds >= budget.rounds:
        return "rounds"
    if budget.minutes is not None and elapsed_s >= budget.minutes * 60:
        return "minutes"
    return "tokens" if spent.usage.output + output > budget.output else None


def _fitting(want: int, fits: Callable[[int], bool]) -> int:
    """The most tokens of output, at most `want`, that fit; LEAST_OUTPUT do. What fits with more fits with fewer."""
    if fits(want):
        return want
    low, high = LEAST_OUTPUT, want
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def share(budget: Budget, spent: Spent, elapsed_s: float, ceiling: Bound) -> float:
    """How much of the scarcest cap is used, 1.0 being all; of dollars and tokens what the next reply and the last words
    could take is used already."""
    shares = [spent.rounds / max(1, budget.rounds), spent.usage.output / max(1, budget.output)]
    ahead, last = ceiling(LEAST_OUTPUT), ceiling(LAST_OUTPUT)
    if budget.minutes:
        shares.append(elapsed_s / (budget.minutes * 60))
    if ahead.usd is None:
        shares.append((spent.tokens + ahead.tokens + last.tokens) / max(1, budget.tokens))
    elif budget.usd:
        shares.append(((spent.usd or 0.0) + ahead.usd + (last.usd or 0.0)) / budget.usd)
    return min(1.0, max(shares))
