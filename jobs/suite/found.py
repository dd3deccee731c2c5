"""What one ecosystem's detection found. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jobs.suite.suite import Suite


@dataclass(frozen=True)
class Found:
    """Like a Toolchain; `tests` counts the files of tests, to choose between ecosystems. A `weak` find is a general
    tool's, used where nothing else says how to test."""

    language: str
    setup: tuple[str, ...]
    suite: Suite | None
    why: tuple[str, ...]
    tests: int
    env: Mapping[str, str] = field(default_factory=dict)
    weak: bool = False
