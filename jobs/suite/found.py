"""What one ecosystem's detection found. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from jobs.suite.suite import Suite


@dataclass(frozen=True)
class Found:
    """Like a Toolchain; `tests` counts the files of tests, to choose between ecosystems."""

    language: str
    setup: tuple[str, ...]
    suite: Suite | None
    why: tuple[str, ...]
    tests: int
