"""What a run may still use, and what it has cost over all its attempts."""

from __future__ import annotations

from dataclasses import replace

from jobs.agent.budget import Budget
from jobs.errors import Stopped
from jobs.gate import Limits
from jobs.outcome import Outcome
from jobs.publish.receipt import Cost, Receipt
from jobs.spend import Spend

_LEAST_MINUTES = 0.5  # with less than this, set-up and baseline would be run for nothing


def left(limits: Limits, spend: Spend, today_usd: float) -> Budget:
    """The caps of the next attempt: what earlier ones left of `limits`, and of today's dollars.

    Raises Stopped(out_of_budget), naming the cap, where they left nothing to work with.
    """
    usd, rounds = limits.usd - spend.usd, limits.rounds - spend.rounds
    minutes = limits.minutes - spend.seconds / 60
    caps = {
        f"${limits.usd:.2f}": spend.usd > 0 and usd <= 0,
        f"{limits.rounds} rounds": spend.rounds > 0 and rounds < 1,
        f"{limits.minutes:.0f} minutes": spend.seconds > 0 and minutes < _LEAST_MINUTES,
    }
    for cap, used in caps.items():
        if used:
            why = f"Stopped at the cap of {cap}: an attempt that was interrupted had used it up."
            raise Stopped(Outcome.OUT_OF_BUDGET, why)
    return Budget(rounds=rounds, usd=max(0.0, min(usd, today_usd)), minutes=minutes)


def left_today(spend: Spend, repository_usd: float, all_usd: float) -> float:
    """Dollars that may still be spent today of the repository's and of everybody's.

    Raises Stopped(out_of_budget), naming the cap, where there are none.
    """
    caps = {
        "for this repository": (repository_usd, spend.repository_usd),
        "for all repositories together": (all_usd, spend.day_usd),
    }
    for whose, (cap, spent) in caps.items():
        if spent >= cap:
            raise Stopped(Outcome.OUT_OF_BUDGET, f"Today's ${cap:g} {whose} are spent; ask again tomorrow (UTC).")
    return min(cap - spent for cap, spent in caps.values())


def with_costs(receipt: Receipt, spend: Spend, budget_usd: float | None) -> Receipt:
    """The receipt with the price and the rounds of the whole run, of attempts that came to nothing too."""
    usage = spend.usage
    if receipt.cost is None and not (spend.usd or usage.total_input or usage.output):
        return receipt
    unpriced = receipt.cost.usd if receipt.cost else None
    cost = Cost(
        usd=round(spend.usd, 6) if spend.usd else unpriced,
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write,
        cache_hit_rate=round(usage.cache_read / usage.total_input, 4) if usage.total_input else None,
        budget_usd=budget_usd,
    )
    return replace(receipt, cost=cost, rounds=max(receipt.rounds or 0, spend.rounds))
