"""What people are told of the cap that ended a run. Pure."""

from __future__ import annotations

from jobs.agent.attempt import AttemptEnd
from jobs.agent.budget import Budget

_CAPS: dict[AttemptEnd, str] = {
    "rounds": "the cap of {rounds} rounds",
    "dollars": "the cap of ${usd:.2f}, which the next request could pass",
    "tokens": "the cap of {output:,} tokens written, or {tokens:,} in all",
    "minutes": "the cap of {minutes:.0f} minutes",
}


def reached(ended: AttemptEnd, budget: Budget) -> str:
    """The cap as a phrase; empty where no cap ended it."""
    known = {**vars(budget), "usd": budget.usd or 0.0, "minutes": budget.minutes or 0.0}
    return _CAPS.get(ended, "").format_map(known)
