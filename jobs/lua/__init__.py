"""The scripts that Redis runs for us: each one change that happens whole or not at all."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def source(name: str) -> str:
    """The text of `<name>.lua`."""
    return (Path(__file__).parent / f"{name}.lua").read_text()
