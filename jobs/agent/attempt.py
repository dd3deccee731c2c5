"""How an agent's attempt ended. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jobs.model.usage import Usage

AttemptEnd = Literal["done", "rounds", "dollars", "tokens", "minutes", "stuck", "stopped"]


@dataclass(frozen=True)
class Attempt:
    """Totals since the run began (not since the last attempt). `ended` is `done` if the model stopped calling tools,
    else the cap that was hit, `stuck`, or `stopped` from outside. `words` are the model's last ones; `summary` is them
    and, where the work was stopped, what was done, what remains and where it got stuck."""

    ended: AttemptEnd
    summary: str
    rounds: int
    calls: int
    usage: Usage
    usd: float | None
    model_seconds: float
    tool_seconds: float
    words: str = ""
