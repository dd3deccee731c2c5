"""`patchwright replay`: sends recorded requests again with something changed, compares the replies, runs no call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.local.replay_table import Answer, table
from app.local.variants import Variant, variants
from jobs.errors import EnvironmentFault, UserError
from jobs.model.base import AskFailed
from jobs.model.choose import model_of
from jobs.model.endpoint import Endpoint
from jobs.model.limiter import FileLimiter
from jobs.settings import LocalSettings, take
from jobs.trace.bodies import Recorded, requests
from jobs.trace.reader import read


@dataclass(frozen=True)
class Wanted:
    """The options: KEY=VALUE texts, how often each request is sent, which rounds (none: all), the most dollars."""

    changes: tuple[str, ...] = ()
    runs: int = 1
    rounds: tuple[int, ...] = ()
    budget_usd: float = 1.0


@dataclass
class _Purse:
    """What is spent of what may be."""

    limit: float
    spent: float = 0.0

    @property
    def left(self) -> float:
        return self.limit - self.spent


class _Over(Exception):
    """The next request could cost more than is left."""


def replayed(lines: Sequence[str], wanted: Wanted) -> tuple[str, bool]:
    """(The table: a row for what was recorded and one for each variant, and why it stopped early if it did; whether
    every request was sent.) Raises UserError for a trace without bodies or a change that does not fit, EnvironmentFault
    where the endpoint can't be asked."""
    chosen = _chosen(lines, wanted.rounds)
    made = [(variant, [variant.of(one) for one in chosen]) for variant in variants(wanted.changes)]
    settings, purse = take(LocalSettings), _Purse(wanted.budget_usd)
    rows: list[tuple[str, Sequence[Answer]]] = [("recorded", _recorded(lines, chosen))]
    try:
        for variant, asked in made:
            answers: list[Answer] = []
            rows.append((variant.name, answers))
            _ask(variant, asked * wanted.runs, settings, purse, answers)
    except _Over:
        every = len(made) * len(chosen) * wanted.runs
        sent = sum(len(answers) for _, answers in rows[1:])
        note = f"stopped after {sent} of {every} requests: ${purse.spent:.4f} are spent, and the next one could pass"
        return (
            f"{table(rows)}\n\n{note} --budget-usd {wanted.budget_usd:g}. Raise it, or send fewer with --round.",
            False,
        )
    early = read(lines).note
    return f"{table(rows)}\n\n{early}" if early else table(rows), True


def _chosen(lines: Sequence[str], rounds: Sequence[int]) -> list[Recorded]:
    """The requests to send again."""
    found = requests(lines)
    if not found:
        raise UserError("This trace holds no requests that can be sent again: record a local run with --trace.")
    there = sorted({one.n for one in found})
    if missing := sorted(set(rounds) - set(there)):
        raise UserError(f"The trace has no request of round {missing[0]}: give --round {there[0]} to {there[-1]}.")
    return [one for one in found if not rounds or one.n in rounds]


def _recorded(lines: Sequence[str], chosen: Sequence[Recorded]) -> list[Answer]:
    rounds = {one.n for one in chosen}
    return [Answer.told(e) for e in read(lines).events if e.get("type") == "round" and e.get("n") in rounds]


def _ask(
    variant: Variant, asked: Sequence[Recorded], settings: LocalSettings, purse: _Purse, answers: list[Answer]
) -> None:
    """Fills `answers`. Raises _Over where the next request could cost too much."""
    models: dict[str, Endpoint] = {}
    for one in asked:
        if one.model not in models:
            models[one.model] = _model(variant, one.model, settings)
        answers.append(_answer(models[one.model], one, purse))


def _answer(model: Endpoint, one: Recorded, purse: _Purse) -> Answer:
    request = replace(one.request, limit_usd=purse.left)
    ceiling = model.ceiling(request).usd
    if ceiling is None:
        raise UserError(
            f"No price is known for {model.name}, so --budget-usd can't be kept: name it in PATCHWRIGHT_PRICES."
        )
    if ceiling > purse.left:
        raise _Over
    try:
        reply = model.ask(request)
    except AskFailed as failed:
        purse.spent += failed.usd or 0.0
        if failed.why == "limit":
            raise _Over from None
        if failed.why != "too_long":
            raise EnvironmentFault(str(failed)) from None
        return Answer((), failed.usage.total_input, failed.usage.output, failed.usd, failed.why)
    purse.spent += reply.usd or 0.0
    return Answer.of(reply)


def _model(variant: Variant, name: str, settings: LocalSettings) -> Endpoint:
    changes = variant.changes
    if address := changes.get("base_url"):
        settings = settings.model_copy(update={"anthropic_base_url": address, "openai_base_url": address})
    model = model_of(name, settings, limiter=lambda key: FileLimiter(settings.data / "turns", key))
    if "thinking" in changes:
        model.quirks = replace(model.quirks, thinking="adaptive" if changes["thinking"] == "adaptive" else "none")
    return model
