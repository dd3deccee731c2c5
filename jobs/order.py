"""What a run is to do and with what means, whoever asked: GitHub or a command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jobs.agent.budget import Budget
from jobs.policy import Policy
from jobs.repo.workspace import Author
from jobs.sandbox.ask import HostPort
from jobs.sandbox.cell import Cells
from jobs.tasks.task import Task
from jobs.trace.events import Trace


@dataclass(frozen=True)
class Order:
    """One piece of work that was asked for. `key` names the repository's layers (its id, or a hash of a local path);
    `objects` is the object store that holds `base_sha`; `base_branch` is where the result should go."""

    run: str
    task: Task
    key: str
    objects: Path
    base_sha: str
    base_branch: str
    policy: Policy
    budget: Budget
    author: Author
    requester: str | None = None


@dataclass(frozen=True)
class Means:
    """What the steps work with. `guard` raises Fenced or Stopped when the run may not go on; `leaks` tells whether a
    text holds a live secret; `where` is what the receipt calls the trace; `registries` are Authorization headers of
    private package registries, by host and port."""

    data: Path
    cells: Cells
    trace: Trace
    guard: Callable[[], None]
    leaks: Callable[[str], bool]
    where: str | None = None
    registries: Mapping[HostPort, str] = field(default_factory=dict, repr=False)
