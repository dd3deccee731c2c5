"""How one model differs from another, from the table of rules."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Thinking = Literal["adaptive", "none", "unknown"]


@dataclass(frozen=True)
class Quirks:
    """What holds for one model; sizes in tokens."""

    thinking: Thinking
    cache_minimum: int
    window: int
    max_output: int


def quirks_of(model: str) -> Quirks:
    """The rules that match `model`, each laid over those before it."""
    merged: dict[str, Any] = {}
    for rule in _rules():
        if fnmatchcase(model, rule["match"]):
            merged |= {key: value for key, value in rule.items() if key != "match"}
    return Quirks(**merged)


@cache
def _rules() -> tuple[dict[str, Any], ...]:
    return tuple(tomllib.loads((files("jobs.model") / "quirks.toml").read_text("utf-8"))["rule"])
