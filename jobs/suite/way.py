"""One way to start a suite, and how what it leaves and says is read. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from jobs.suite.parsed import Parsed


@dataclass(frozen=True)
class Invocation:
    """One way to start a suite. `reports` maps files in /out to their parsers; `said` reads the tests out of the
    command's output where it left none of those; `shown` makes that output readable. `before` is the program that
    runs the command. `narrowed` is False where the named tests could not be selected and the whole suite runs."""

    line: str
    env: Mapping[str, str]
    reports: Mapping[str, Callable[[bytes], Parsed]] = field(default_factory=dict)
    narrowed: bool = False
    said: Callable[[str], Parsed | None] | None = None
    shown: Callable[[str], str] | None = None
    before: tuple[str, ...] = ()


QUIET = {"PYTHONDONTWRITEBYTECODE": "1", "npm_config_update_notifier": "false"}
