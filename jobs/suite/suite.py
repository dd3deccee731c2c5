"""The words for a repository's suite and how it is prepared. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from jobs.errors import Stopped
from jobs.outcome import Outcome
from jobs.suite.needs import Need
from jobs.suite.report import Report


@dataclass(frozen=True)
class Service:
    """A program that tests need beside them: the line that starts it, and one that exits with 0 once it is up."""

    run: str
    ready: str | None = None


@dataclass(frozen=True)
class Suite:
    """The full test command, as run by bash in /src. `runner` decides how per-test ids are read:
    pytest | unittest | node | jest | vitest | mocha | other, and the runners of other languages (see `invoke`).
    `source` says where it was found. `script` is the line that `command` finally runs (package.json's test script),
    empty where the command is that line itself. `services` are started in the same cell before it. `folder` is where
    below /src the command goes (it does so itself), to which paths in its ids belong. `parts` are the suites that
    `command` runs one after the other: each is run and reported by itself."""

    command: str
    runner: str
    source: str
    script: str = ""
    services: tuple[Service, ...] = ()
    folder: str = ""
    parts: tuple[Suite, ...] = ()


@dataclass(frozen=True)
class Toolchain:
    """What was detected for a repository. `suite` is None where there is no test command; `why` has one
    sentence for each finding, for `doctor` and for receipts. `env` is for set-up and tests; `needs` are what a cell
    can't give; `versions` maps languages to (version, the file that names it); `projects` are those of a monorepo."""

    language: str  # python | node | go | rust | ruby | php | java | dotnet | elixir | native | other
    setup: tuple[str, ...]
    suite: Suite | None
    why: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[Need, ...] = ()
    versions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    projects: tuple[Project, ...] = ()

    @property
    def unmet(self) -> tuple[Need, ...]:
        """What the suite as a whole can't do without and no cell has: proof level D."""
        return tuple(need for need in self.needs if need.decisive)


@dataclass(frozen=True)
class Project:
    """One project of a monorepo: its folder, what it is, how it is prepared (in its folder) and tested, and the
    folders of those it depends on."""

    path: str
    language: str
    setup: tuple[str, ...]
    suite: Suite
    depends: tuple[str, ...] = ()


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
