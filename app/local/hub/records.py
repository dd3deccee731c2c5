"""What the hub remembers: accounts, repositories, issues, pulls, checks, workflow runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Body = dict[str, Any]  # one JSON object as REST shows it


@dataclass
class Account:
    """A person, an organization or an App's bot (`kind` User, Organization, Bot)."""

    id: int
    login: str
    kind: str
    created_at: str

    @property
    def email(self) -> str:
        """The address that commits made through REST carry."""
        return f"{self.id}+{self.login}@users.noreply.github.com"


@dataclass
class App:
    """A registered App. `permissions` and `events` are what its owner granted."""

    id: int
    slug: str
    name: str
    client_id: str
    owner: Account
    bot: Account
    created_at: str
    permissions: dict[str, str]
    events: list[str]
    url: str = "https://example.invalid/patchwright"


@dataclass
class Installation:
    """An App on one account, with the repositories it may touch."""

    id: int
    account: Account
    created_at: str
    repository_ids: set[int] = field(default_factory=set)


@dataclass
class Reaction:
    """One reaction of one account."""

    id: int
    user: Account
    content: str
    created_at: str


@dataclass
class Label:
    """One label of a repository."""

    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass
class Comment:
    """A comment on an issue or pull request; `number` is that issue's."""

    id: int
    number: int
    user: Account
    body: str
    created_at: str
    updated_at: str
    by_app: bool = False
    reactions: list[Reaction] = field(default_factory=list)


@dataclass
class Review:
    """A review of a pull request."""

    id: int
    user: Account
    body: str
    state: str  # APPROVED, CHANGES_REQUESTED, COMMENTED, PENDING
    commit_id: str
    submitted_at: str


@dataclass
class ReviewComment:
    """A comment on a line of a diff. `place` holds line, side, start_line, start_side, position as asked."""

    id: int
    user: Account
    body: str
    path: str
    commit_id: str
    created_at: str
    updated_at: str
    diff_hunk: str
    place: Body
    review_id: int | None = None
    in_reply_to: int | None = None


@dataclass
class Pull:
    """What makes an issue a pull request. `head_repository` differs from the issue's for forks."""

    id: int
    head_repository: Repository
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    draft: bool = False
    maintainer_can_modify: bool = False
    merged_at: str | None = None
    merged_by: Account | None = None
    merge_sha: str | None = None
    reviewers: list[Account] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    comments: list[ReviewComment] = field(default_factory=list)


@dataclass
class Issue:
    """An issue; with `pull`, a pull request."""

    id: int
    number: int
    title: str
    body: str | None
    user: Account
    created_at: str
    updated_at: str
    state: str = "open"
    state_reason: str | None = None
    closed_at: str | None = None
    closed_by: Account | None = None
    by_app: bool = False
    labels: list[Label] = field(default_factory=list)
    assignees: list[Account] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    pull: Pull | None = None


@dataclass
class CheckSuite:
    """The checks of one App on one commit."""

    id: int
    app: App
    head_sha: str
    head_branch: str | None
    created_at: str
    updated_at: str


@dataclass
class CheckRun:
    """One check. `fields` holds what REST sets: name, status, conclusion, started_at, completed_at, external_id,
    details_url, title, summary, text."""

    id: int
    suite: CheckSuite
    fields: Body
    annotations: list[Body] = field(default_factory=list)
    actions: list[Body] = field(default_factory=list)


@dataclass
class Job:
    """A job of a workflow run, with its log and the check run that shows it."""

    id: int
    name: str
    conclusion: str
    log: bytes
    attempt: int
    check_id: int
    steps: list[Body]


@dataclass
class WorkflowRun:
    """A run of a workflow; a re-run is the same run with the next attempt."""

    id: int
    name: str
    path: str
    number: int
    event: str
    head_branch: str
    head_sha: str
    conclusion: str
    attempt: int
    actor: Account
    suite_id: int
    workflow_id: int
    created_at: str
    updated_at: str
    jobs: list[Job] = field(default_factory=list)


@dataclass
class Status:
    """A commit status of the older kind."""

    id: int
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    creator: Account
    created_at: str


@dataclass
class Repository:
    """One repository: its bare git directory and everything around it."""

    id: int
    owner: Account
    name: str
    private: bool
    default_branch: str
    git_dir: Path
    created_at: str
    pushed_at: str
    parent: Repository | None = None
    roles: dict[str, str] = field(default_factory=dict)  # login in lower case to role
    rules: dict[str, list[Body]] = field(default_factory=dict)  # branch to rules
    labels: list[Label] = field(default_factory=list)
    issues: dict[int, Issue] = field(default_factory=dict)
    suites: list[CheckSuite] = field(default_factory=list)
    checks: list[CheckRun] = field(default_factory=list)
    runs: list[WorkflowRun] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        """owner/name."""
        return f"{self.owner.login}/{self.name}"
