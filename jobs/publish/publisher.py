"""What is published and where it went: the words that every publisher shares, and what can be laid around any."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from jobs.errors import Retry
from jobs.publish.receipt import Receipt
from jobs.tasks.task import Task

logger = logging.getLogger(__name__)

PATIENCE_S = 600.0  # proven work cost minutes and money: worth waiting for, though a worker stands still meanwhile
LONGEST_WAIT_S = 120.0


@dataclass(frozen=True)
class Proposal:
    """A commit to be published. `git_dir` is a bare repository that holds it, `branch` the wanted name, `base_branch`
    where it should go, `paths` what it changes. `summary` is the agent's own words (untrusted); `receipt` knows no
    address yet. `draft` asks for a draft pull request; `requester` is the login of the person who asked."""

    run: str
    task: Task
    git_dir: Path
    commit: str
    branch: str
    base_branch: str
    receipt: Receipt
    summary: str = ""
    draft: bool = False
    paths: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    requester: str | None = None


@dataclass(frozen=True)
class Published:
    """Where it went. `url` and `number` are None without a pull request; `draft` says what it became."""

    branch: str
    commit: str
    url: str | None = None
    number: int | None = None
    draft: bool = False


class Publisher(Protocol):
    """Takes a proposal out of the run."""

    def publish(self, proposal: Proposal) -> Published:
        """Publishes, or finds what an earlier attempt published; twice is the same as once.

        Raises Stopped (stale, blocked), Fenced, EnvironmentFault or Retry.
        """
        ...


class Patient:
    """Publishes by `publisher`, again and again while it meets temporary refusals: `patience_s` seconds at most, with
    the waits that they ask for but none above `longest_wait_s`. `guard` raises Fenced and is asked before each try."""

    def __init__(
        self,
        publisher: Publisher,
        guard: Callable[[], None],
        *,
        patience_s: float = PATIENCE_S,
        longest_wait_s: float = LONGEST_WAIT_S,
    ) -> None:
        self._publisher = publisher
        self._guard = guard
        self._patience_s = patience_s
        self._longest_wait_s = longest_wait_s

    def publish(self, proposal: Proposal) -> Published:
        """As the publisher; Retry only when the patience is used up."""
        deadline = time.monotonic() + self._patience_s
        while True:
            self._guard()
            try:
                return self._publisher.publish(proposal)
            except Retry as later:
                wait_s = min(later.after_s, self._longest_wait_s)
                if time.monotonic() + wait_s > deadline:
                    raise
                logger.warning("publishing put off", extra={"seconds": wait_s, "reason": str(later)})
            time.sleep(wait_s)


class Keeping:
    """Gives each receipt to `keep`, the wanted branch in it, before `publisher` publishes what `keep` makes of it: so
    whoever finds it published can say what it was. `keep` may raise Fenced."""

    def __init__(self, publisher: Publisher, keep: Callable[[Receipt], Receipt]) -> None:
        self._publisher = publisher
        self._keep = keep

    def publish(self, proposal: Proposal) -> Published:
        """As the publisher."""
        kept = self._keep(replace(proposal.receipt, branch=proposal.branch))
        return self._publisher.publish(replace(proposal, receipt=replace(kept, branch=proposal.receipt.branch)))
