"""Webhook payloads as frozen values: only the fields that decide something, everything else is let pass. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError


@dataclass(frozen=True)
class Ignored:
    """Nothing to do, and why."""

    reason: str


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class User(_Part):
    """Who did something. `type` is User, Bot, Organization or Mannequin."""

    login: str
    id: int
    type: str = "User"


class Repository(_Part):
    """Where it happened."""

    id: int
    full_name: str
    default_branch: str = "main"
    archived: bool = False


class Installation(_Part):
    """The App's installation that GitHub speaks for."""

    id: int


class Event(_Part):
    """What every event has. `installation` is missing in hooks that are not the App's."""

    action: str = ""
    sender: User | None = None
    repository: Repository | None = None
    installation: Installation | None = None

    @property
    def repository_id(self) -> int | None:
        """The repository's id: the only name of it that nobody can choose."""
        return self.repository.id if self.repository else None


class Label(_Part):
    """A label."""

    name: str


class Issue(_Part):
    """An issue or pull request as comments and labels see it; `pull_request` tells them apart."""

    number: int
    id: int = 0
    title: str = ""
    state: str = "open"
    updated_at: str = ""
    pull_request: dict[str, Any] | None = None


class Comment(_Part):
    """One comment, as it was when the event happened."""

    id: int
    body: str | None = None
    user: User | None = None
    created_at: str = ""
    updated_at: str = ""


class Was(_Part):
    """What a field was before."""

    was: str | None = Field(None, alias="from")


class Changes(_Part):
    """What an edit changed."""

    body: Was | None = None


class IssueComment(Event):
    """A comment on an issue or pull request was created, edited or deleted."""

    issue: Issue
    comment: Comment
    changes: Changes | None = None


class Issues(Event):
    """Something happened to an issue; labels are what matters here."""

    issue: Issue
    label: Label | None = None


class HeadRepository(_Part):
    """The repository that holds a commit."""

    id: int


class Head(_Part):
    """One end of a pull request."""

    sha: str
    ref: str = ""
    repo: HeadRepository | None = None  # None once a fork is deleted


class Pull(_Part):
    """A pull request."""

    id: int = 0
    number: int
    head: Head
    base: Head
    user: User | None = None
    updated_at: str = ""


class PullRequest(Event):
    """Something happened to a pull request."""

    pull_request: Pull


class AppName(_Part):
    """The App that made a check."""

    id: int = 0
    slug: str | None = None


class PullNumber(_Part):
    """A pull request that a check belongs to."""

    number: int


class Button(_Part):
    """A button on a check run."""

    identifier: str


class CheckSuiteFacts(_Part):
    """All checks of one App on one commit."""

    id: int
    head_sha: str = ""
    head_branch: str | None = None
    conclusion: str | None = None
    app: AppName | None = None
    pull_requests: tuple[PullNumber, ...] = ()


class CheckSuite(Event):
    """Something happened to a check suite."""

    check_suite: CheckSuiteFacts


class CheckRunFacts(_Part):
    """One check."""

    id: int
    head_sha: str = ""
    external_id: str | None = None
    started_at: str | None = None
    app: AppName | None = None


class CheckRun(Event):
    """Something happened to a check run."""

    check_run: CheckRunFacts
    requested_action: Button | None = None


class WorkflowRunFacts(_Part):
    """One run of a workflow."""

    id: int
    run_attempt: int = 1
    name: str | None = None
    head_sha: str
    head_branch: str | None = None
    event: str = ""
    conclusion: str | None = None
    head_repository: HeadRepository | None = None
    pull_requests: tuple[PullNumber, ...] = ()


class WorkflowRun(Event):
    """Something happened to a workflow run."""

    workflow_run: WorkflowRunFacts


class Other(Event):
    """An event that is known and asks for nothing here."""


_KINDS: Mapping[str, type[Event]] = {
    "issue_comment": IssueComment,
    "issues": Issues,
    "pull_request": PullRequest,
    "check_suite": CheckSuite,
    "check_run": CheckRun,
    "workflow_run": WorkflowRun,
    "installation": Other,
    "installation_repositories": Other,
    "ping": Other,
}


def parse_event(name: str, payload: Any) -> Event | Ignored:
    """The event called `name` (X-GitHub-Event) from its decoded JSON, or why there is nothing in it for us."""
    kind = _KINDS.get(name)
    if kind is None:
        return Ignored("this kind of event asks for nothing")
    try:
        return kind.model_validate(payload)
    except ValidationError as unlike:
        where = ".".join(str(part) for part in unlike.errors(include_url=False)[0]["loc"])
        return Ignored(f"the payload lacks what this event needs: {where}")
