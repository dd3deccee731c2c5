"""How one model differs from another, from the table of rules."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Thinking = Literal["adaptive", "manual", "none", "unknown"]
Api = Literal["anthropic", "openai"]
PREFIX = "openai/"  # before the name of any model behind OPENAI_BASE_URL


@dataclass(frozen=True)
class Quirks:
    """What holds for one model; sizes in tokens. `played_opening`: whether it takes an assistant turn that it did not
    write itself. `calls_in_text`: whether it may write calls into its text. `output_key`: how a chat completion names
    the most tokens of a reply."""

    api: Api
    thinking: Thinking
    played_opening: bool
    calls_in_text: bool
    output_key: str
    window: int
    max_output: int


def quirks_of(model: str) -> Quirks:
    """The rules that match `model`, each laid over those before it; with the prefix `openai/` the rules of the rest of
    the name, and that endpoint."""
    name = model.removeprefix(PREFIX)
    merged: dict[str, Any] = {}
    for rule in _rules():
        if fnmatchcase(name, rule["match"]):
            merged |= {key: value for key, value in rule.items() if key != "match"}
    if name != model:
        merged["api"] = "openai"
    return Quirks(**merged)


@cache
def _rules() -> tuple[dict[str, Any], ...]:
    return tuple(tomllib.loads((files("jobs.model") / "quirks.toml").read_text("utf-8"))["rule"])
