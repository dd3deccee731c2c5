"""What is published and where it went: the words that every publisher shares. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from jobs.publish.receipt import Receipt
from jobs.tasks.task import Task


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
