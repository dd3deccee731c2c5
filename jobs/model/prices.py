"""What tokens cost, from the price table."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from jobs.errors import UserError
from jobs.model.quirks import PREFIX
from jobs.model.usage import Usage

_MILLION = 1_000_000
_FORM = 'Write as_of = "YYYY-MM-DD" and [models] with NAME = { input, output, write_5m, write_1h, read } in dollars.'


@dataclass(frozen=True)
class Price:
    """Dollars per million tokens. From `long_from` prompt tokens on everything costs `long_factor` times as much."""

    input: float
    output: float
    write_5m: float
    write_1h: float
    read: float
    long_from: int | None = None
    long_factor: float = 1.0

    def __post_init__(self) -> None:
        for rate in vars(self).values():
            if rate is not None and not _is_rate(rate):
                raise ValueError("prices are numbers from 0 on")

    def cost(self, usage: Usage) -> float:
        """Dollars for one request with `usage`."""
        dollars = (
            usage.input * self.input
            + usage.output * self.output
            + usage.cache_read * self.read
            + usage.cache_write_5m * self.write_5m
            + usage.cache_write_1h * self.write_1h
        ) / _MILLION
        return dollars * self._factor(usage.total_input)

    def most(self, input_tokens: int, output_tokens: int, hour_tokens: int) -> float:
        """Dollars for one request at the dearest rates; no more than `hour_tokens` of its input can be cached for an
        hour."""
        dearest = max(self.input, self.write_5m, self.read)
        hour = min(input_tokens, hour_tokens) * max(0.0, self.write_1h - dearest)
        factor = max(1.0, self._factor(input_tokens))  # fewer tokens than these may have no discount
        return (input_tokens * dearest + hour + output_tokens * self.output) / _MILLION * factor

    def _factor(self, prompt_tokens: int) -> float:
        return self.long_factor if self.long_from is not None and prompt_tokens > self.long_from else 1.0


@dataclass(frozen=True)
class Prices:
    """The table, and the day on which it was right."""

    as_of: str
    models: Mapping[str, Price]

    @classmethod
    def load(cls, text: str | None = None) -> Prices:
        """The table that ships with Patchwright, or one of the same form given as TOML text."""
        table = tomllib.loads((files("jobs.model") / "prices.toml").read_text("utf-8") if text is None else text)
        return cls(str(table["as_of"]), {name: Price(**row) for name, row in table["models"].items()})

    @classmethod
    def read(cls, path: Path | None) -> Prices:
        """The shipped table with an operator's file of the same form laid over it. Raises UserError with one line."""
        shipped = cls.load()
        if path is None:
            return shipped
        try:
            own = cls.load(path.read_text("utf-8"))
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as wrong:
            raise UserError(f"PATCHWRIGHT_PRICES: {path} is no price table: {wrong}. {_FORM}") from None
        return cls(own.as_of, {**shipped.models, **own.models})

    def of(self, model: str) -> Price | None:
        """The model's price; a dated name (…-20250929) has its undated one's, `openai/NAME` that of NAME. None if it is
        not known."""
        names = (model, model.removeprefix(PREFIX))
        found = (self.models.get(n) or self.models.get(re.sub(r"-20\d{6}$", "", n)) for n in names)
        return next((price for price in found if price is not None), None)


def _is_rate(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
