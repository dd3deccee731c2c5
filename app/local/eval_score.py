"""What the runs of a scenario come to: figures of one run, and of several together. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any


@dataclass(frozen=True)
class Run:
    """One run. `input_tokens` is all the model read, cached or not; `cache_share` the cached part of it (0 to 1);
    `wasted` the rounds that brought nothing; `broken` says which ceilings were passed. Unknown figures are None."""

    outcome: str
    reason: str
    passed: bool
    why: str
    rounds: int | None
    calls: int | None
    input_tokens: int | None
    output_tokens: int | None
    cache_share: float | None
    usd: float | None
    minimality: int | None
    wasted: int | None
    seconds: float | None
    broken: tuple[str, ...]

    @property
    def good(self) -> bool:
        """The hidden check passes and no ceiling is broken."""
        return self.passed and not self.broken

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {**asdict(self), "broken": list(self.broken)}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Run:
        """Out of JSON values. Raises TypeError or KeyError for anything else."""
        return cls(**{**row, "broken": tuple(row["broken"])})


def score(result: Mapping[str, Any], judged: tuple[bool, str], ceilings: tuple[int, int], wasted: int | None) -> Run:
    """A run's figures out of its `--json`; `ceilings` are rounds and input tokens."""
    cost = result.get("cost") or {}
    parts = [cost.get(key) for key in ("input_tokens", "cache_read_tokens", "cache_write_tokens")]
    tokens = sum(part or 0 for part in parts) if cost else None
    rounds = result.get("rounds")
    return Run(
        outcome=str(result.get("outcome") or "no result"),
        reason=str(result.get("reason") or ""),
        passed=judged[0],
        why=judged[1],
        rounds=rounds,
        calls=result.get("calls"),
        input_tokens=tokens,
        output_tokens=cost.get("output_tokens"),
        cache_share=cost.get("cache_hit_rate"),
        usd=cost.get("usd"),
        minimality=(result.get("minimality") or {}).get("score"),
        wasted=wasted,
        seconds=(result.get("seconds") or {}).get("total"),
        broken=_broken((rounds, tokens), ceilings),
    )


def _broken(figures: tuple[int | None, int | None], ceilings: tuple[int, int]) -> tuple[str, ...]:
    rows = zip(("rounds", "tokens read"), figures, ceilings, strict=True)
    return tuple(f"{got:,} {what} of at most {most:,}" for what, got, most in rows if got is not None and got > most)


def figures(runs: Iterable[Run], name: str) -> list[float]:
    """The known values of one figure."""
    return [float(value) for run in runs if (value := getattr(run, name)) is not None]


def mean(runs: Iterable[Run], name: str) -> float | None:
    """The mean of the known values, None without any."""
    known = figures(runs, name)
    return fmean(known) if known else None


def spread(runs: Sequence[Run], name: str) -> float | None:
    """The largest known value less the smallest; None for fewer than two."""
    known = figures(runs, name)
    return max(known) - min(known) if len(known) > 1 else None


def outcomes(runs: Iterable[Run]) -> str:
    """`fixed`, or `fixed 2, not_fixed 1` where they differ."""
    counted = Counter(run.outcome for run in runs)
    if len(counted) == 1:
        return next(iter(counted))
    return ", ".join(f"{name} {n}" for name, n in counted.most_common())
