"""How far a session is on its way to its caps, at its own clock, and what they leave for the next step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from jobs.agent import budget as caps
from jobs.agent.attempt import Attempt, AttemptEnd
from jobs.agent.budget import Allowance, Bound, Budget, Spent

_LONGEST_S, _SHORTEST_S = 600.0, 5.0  # seconds of one command


@dataclass
class Pace:
    """`clock` gives seconds; they count from here on. `spent` is what the session has used so far."""

    budget: Budget
    clock: Callable[[], float]
    spent: Spent = field(default_factory=Spent)
    warned: bool = False

    def __post_init__(self) -> None:
        self._started = self.clock()

    def next(self, want: int, ceiling: Bound) -> Allowance:
        """What the caps leave for a reply of at most `want` tokens."""
        return caps.allowance(self.budget, self.spent, self._elapsed(), want, ceiling)

    def last(self, ceiling: Bound) -> Allowance | None:
        """What they leave for the last words; None where that is too little."""
        return caps.last_words(self.budget, self.spent, self._elapsed(), ceiling)

    def command_s(self) -> float:
        """The longest that one command may take."""
        if self.budget.minutes is None:
            return _LONGEST_S
        return max(_SHORTEST_S, min(_LONGEST_S, self.budget.minutes * 60 - self._elapsed()))

    def warning(self, ceiling: Bound) -> tuple[str, dict[str, str]] | None:
        """A prompt and its values: once when most of the scarcest cap is used, and before the last reply. What the next
        reply and the last words could cost counts as used, since they must fit."""
        if self.spent.rounds == self.budget.rounds - 1:
            return "one_left", {}
        used = caps.share(self.budget, self.spent, self._elapsed(), ceiling)
        if self.warned or used < caps.WARN_AT:
            return None
        self.warned = True
        return "warning", {"percent": f"{used:.0%}".rstrip("%")}

    def attempt(self, ended: AttemptEnd, summary: str, words: str) -> Attempt:
        """The totals up to now, with how it ended and what is said of it."""
        return Attempt(
            ended=ended,
            summary=summary,
            rounds=self.spent.rounds,
            calls=self.spent.calls,
            usage=self.spent.usage,
            usd=self.spent.usd,
            model_seconds=self.spent.model_seconds,
            tool_seconds=self.spent.tool_seconds,
            words=words,
        )

    def _elapsed(self) -> float:
        return self.clock() - self._started
