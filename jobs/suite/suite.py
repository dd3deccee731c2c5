"""The words for a repository's suite and how it is prepared. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from jobs.errors import Stopped
from jobs.outcome import Outcome
from jobs.suite.report import Report


@dataclass(frozen=True)
class Service:
    """A program that tests need beside them: the line that starts it, and one that exits with 0 once it is up."""

    run: str
    ready: str | None = None


@dataclass(frozen=True)
class Suite:
    """The full test command, as run by bash in /src. `runner` decides how per-test ids are read:
    pytest | unittest | node | jest | vitest | mocha | other. `source` says where it was found. `script` is the
    line that `command` finally runs (package.json's test script), empty where the command is that line itself.
    `services` are started in the same cell before it."""

    command: str
    runner: str
    source: str
    script: str = ""
    services: tuple[Service, ...] = ()


@dataclass(frozen=True)
class Toolchain:
    """What was detected for a repository. `suite` is None where there is no test command; `why` has one
    sentence for each finding, for `doctor` and for receipts."""

    language: str  # python | node | other
    setup: tuple[str, ...]
    suite: Suite | None
    why: tuple[str, ...]


class SuiteRunner(Protocol):
    """Runs the suite on a tree (by id) in a fresh checkout and a fresh cell; `tests` narrows it to those ids.

    A call may be answered from memory, `again` never is. Both raise TimeUp.
    """

    def __call__(self, tree: str, tests: tuple[str, ...] | None = None) -> Report: ...

    def again(self, tree: str, tests: tuple[str, ...] | None = None) -> Report: ...


class TimeUp(Stopped):
    """The time for all runs of the suite together is used up."""

    def __init__(self, total_s: float) -> None:
        super().__init__(Outcome.OUT_OF_BUDGET, f"The {total_s / 60:g} minutes for verification are used up.")
