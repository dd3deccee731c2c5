"""What GitHub tells, as frozen values: only what Patchwright reads, tolerant of everything else. Pure."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = Any


@dataclass(frozen=True)
class Actor:
    """An account. `type` is User, Bot or Organization; a deleted account is `ghost`."""

    id: int
    login: str
    type: str

    @property
    def is_person(self) -> bool:
        """True for an account of a human being."""
        return self.type == "User"


@dataclass(frozen=True)
class Comment:
    """A comment on an issue or a pull request. Times are GitHub's own text."""

    id: int
    body: str
    author: Actor
    created_at: str
    updated_at: str
    url: str


@dataclass(frozen=True)
class Issue:
    """An issue, or a pull request seen as one."""

    number: int
    title: str
    body: str
    state: str  # open | closed
    author: Actor
    labels: tuple[str, ...]
    is_pull: bool
    url: str


@dataclass(frozen=True)
class Pull:
    """A pull request. `head_repository_id` is None where the fork is gone."""

    number: int
    title: str
    body: str
    state: str  # open | closed
    merged: bool
    draft: bool
    author: Actor
    head_ref: str
    head_sha: str
    head_repository_id: int | None
    base_ref: str
    base_sha: str
    base_repository_id: int
    labels: tuple[str, ...]
    url: str

    @property
    def from_fork(self) -> bool:
        """True unless the head branch is known to lie in the same repository."""
        return self.head_repository_id != self.base_repository_id


@dataclass(frozen=True)
class Repository:
    """A repository as GitHub names it now."""

    id: int
    full_name: str
    default_branch: str
    private: bool
    clone_url: str


@dataclass(frozen=True)
class Branch:
    """A branch and its tip."""

    name: str
    sha: str
    protected: bool


@dataclass(frozen=True)
class CheckRun:
    """A check run of ours on one commit."""

    id: int
    head_sha: str
    external_id: str
    status: str  # queued | in_progress | completed
    conclusion: str | None
    url: str


@dataclass(frozen=True)
class AppIdentity:
    """The App as GitHub knows it; it comments as the account `bot_login`."""

    id: int
    slug: str
    name: str
    permissions: Mapping[str, str]

    @property
    def bot_login(self) -> str:
        """The login under which the App writes."""
        return f"{self.slug}[bot]"


@dataclass(frozen=True)
class Installation:
    """The App on one account."""

    id: int
    account: str
    permissions: Mapping[str, str]
    suspended: bool


@dataclass(frozen=True)
class Delivery:
    """One try of a webhook delivery. Redeliveries keep `guid`; `id` is the try's own."""

    id: int
    guid: str
    delivered_at: str
    redelivery: bool
    status: str
    status_code: int
    event: str
    action: str | None

    @property
    def ok(self) -> bool:
        """True if our receiver took it."""
        return 200 <= self.status_code < 300


def actor(data: Json) -> Actor:
    """An account from its JSON; null is a deleted one."""
    if data is None:
        return Actor(0, "ghost", "User")
    return Actor(int(data["id"]), str(data["login"]), str(data.get("type") or "User"))


def comment(data: Json) -> Comment:
    """A comment from its JSON."""
    return Comment(
        id=int(data["id"]),
        body=data.get("body") or "",
        author=actor(data.get("user")),
        created_at=str(data["created_at"]),
        updated_at=str(data["updated_at"]),
        url=str(data["html_url"]),
    )


def issue(data: Json) -> Issue:
    """An issue from its JSON."""
    return Issue(
        number=int(data["number"]),
        title=data.get("title") or "",
        body=data.get("body") or "",
        state=str(data["state"]),
        author=actor(data.get("user")),
        labels=_labels(data),
        is_pull=data.get("pull_request") is not None,
        url=str(data["html_url"]),
    )


def pull(data: Json) -> Pull:
    """A pull request from its JSON, listed or alone."""
    head, base = data["head"], data["base"]
    return Pull(
        number=int(data["number"]),
        title=data.get("title") or "",
        body=data.get("body") or "",
        state=str(data["state"]),
        merged=bool(data.get("merged") or data.get("merged_at")),
        draft=bool(data.get("draft")),
        author=actor(data.get("user")),
        head_ref=str(head["ref"]),
        head_sha=str(head["sha"]),
        head_repository_id=int(head["repo"]["id"]) if head.get("repo") else None,
        base_ref=str(base["ref"]),
        base_sha=str(base["sha"]),
        base_repository_id=int(base["repo"]["id"]),
        labels=_labels(data),
        url=str(data["html_url"]),
    )


def repository(data: Json) -> Repository:
    """A repository from its JSON."""
    return Repository(
        id=int(data["id"]),
        full_name=str(data["full_name"]),
        default_branch=str(data["default_branch"]),
        private=bool(data.get("private")),
        clone_url=str(data.get("clone_url") or ""),
    )


def branch(data: Json) -> Branch:
    """A branch from its JSON."""
    return Branch(str(data["name"]), str(data["commit"]["sha"]), bool(data.get("protected")))


def check_run(data: Json) -> CheckRun:
    """A check run from its JSON."""
    return CheckRun(
        id=int(data["id"]),
        head_sha=str(data["head_sha"]),
        external_id=data.get("external_id") or "",
        status=str(data["status"]),
        conclusion=data.get("conclusion"),
        url=data.get("html_url") or "",
    )


def app_identity(data: Json) -> AppIdentity:
    """The App from its JSON."""
    return AppIdentity(int(data["id"]), str(data["slug"]), data.get("name") or "", dict(data.get("permissions") or {}))


def installation(data: Json) -> Installation:
    """An installation from its JSON."""
    account = data.get("account") or {}
    return Installation(
        id=int(data["id"]),
        account=str(account.get("login") or account.get("slug") or ""),
        permissions=dict(data.get("permissions") or {}),
        suspended=bool(data.get("suspended_at")),
    )


def delivery(data: Json) -> Delivery:
    """A delivery from its JSON."""
    return Delivery(
        id=int(data["id"]),
        guid=str(data["guid"]),
        delivered_at=str(data["delivered_at"]),
        redelivery=bool(data.get("redelivery")),
        status=str(data.get("status") or ""),
        status_code=int(data.get("status_code") or 0),
        event=str(data["event"]),
        action=data.get("action"),
    )


def content(data: Json) -> bytes:
    """A file's bytes from the contents API. Raises ValueError for folders, links and files without inline content."""
    if not isinstance(data, dict) or data.get("type") != "file" or data.get("encoding") != "base64":
        raise ValueError("not a file with inline content")
    return base64.b64decode(data["content"])


def _labels(data: Json) -> tuple[str, ...]:
    names = (label if isinstance(label, str) else label.get("name") for label in data.get("labels") or ())
    return tuple(str(name) for name in names if name)
