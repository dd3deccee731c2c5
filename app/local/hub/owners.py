"""What owners do on the hub: accounts, repositories, roles, rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NewType

from app.local.hub import events, history
from app.local.hub.developers import Files, commit_files
from app.local.hub.receiving import install_hook
from app.local.hub.records import Body, Repository
from app.local.hub.state import ROLES, State, stamp
from jobs.errors import UserError

RepositoryId = NewType("RepositoryId", int)
_FULL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*(\[bot\])?/[A-Za-z0-9_-][A-Za-z0-9._-]*")


class Owners:
    """The acts, on `_state`."""

    _state: State

    def add_user(self, login: str, *, kind: str = "User") -> int:
        """An account (User, Organization, Bot); its id."""
        with self._state.lock:
            return self._state.add_account(login, kind).id

    def add_repository(
        self, full_name: str, source: Path | Files, *, private: bool = False, default_branch: str = "main"
    ) -> RepositoryId:
        """A repository with the files (one commit) or a git repository's history; the App is installed on it.

        Raises UserError for a name that cannot be one.
        """
        if not _FULL_NAME.fullmatch(full_name):
            raise UserError(f"{full_name} is not owner/name.")
        with self._state.lock:
            which = make_repository(self._state, full_name, source, default_branch)
            which.private = private
            install_hook(which)
            self._state.install(which)
            events.emit_installed(self._state, which, which.owner)
            return RepositoryId(which.id)

    def grant(self, full_name: str, login: str, role: str) -> None:
        """Gives an account (made if new) a role: none, read, triage, write, maintain, admin."""
        if role not in ROLES:
            raise UserError(f"{role} is no role: {', '.join(ROLES)}.")
        with self._state.lock:
            self._state.add_account(login)
            self._state.repository(full_name).roles[login.lower()] = role

    def protect(self, full_name: str, branch: str, *rules: str) -> None:
        """Puts rules (by default that changes need a pull request) on a branch; pushes that break them are refused."""
        with self._state.lock:
            self._state.repository(full_name).rules[branch] = [
                rule(kind) for kind in rules or ("pull_request", "deletion")
            ]

    def fork(self, full_name: str, login: str) -> str:
        """Forks a repository; the fork's full name. The App is not on it."""
        with self._state.lock:
            source, who = self._state.repository(full_name), self._state.add_account(login)
            made = make_repository(self._state, f"{who.login}/{source.name}", source.git_dir, source.default_branch)
            made.parent, made.private = source, source.private
            return made.full_name


def make_repository(state: State, full_name: str, source: Path | Files, default_branch: str) -> Repository:
    """A repository that holds `source`: a git repository's history, a folder's files or a mapping."""
    owner, name = full_name.split("/")
    account = state.add_account(owner)
    git_dir = state.root / account.login / f"{name}.git"
    if git_dir.exists():
        raise UserError(f"{git_dir} exists already.")
    which = Repository(state.new_id(), account, name, False, default_branch, git_dir, stamp(), stamp())
    history.create(git_dir)
    history.point_head(git_dir, default_branch)
    if isinstance(source, Path) and ((source / ".git").exists() or (source / "HEAD").exists()):
        history.copy(source, git_dir)
        if history.head(git_dir, default_branch) is None:
            raise UserError(f"{source} has no branch {default_branch}.")
    else:
        files = source if isinstance(source, Mapping) else folder(source)
        sha = commit_files(which, None, files, "First commit", account)
        history.update_ref(git_dir, f"refs/heads/{default_branch}", sha)
    state.repositories[which.id] = which
    return which


def folder(path: Path) -> dict[str, bytes]:
    """The files below `path`, hidden ones too, by relative path."""
    every = sorted(p for p in path.rglob("*") if p.is_file() and ".git" not in p.relative_to(path).parts)
    return {str(p.relative_to(path)): p.read_bytes() for p in every}


def rule(kind: str) -> Body:
    """A branch rule of `kind` with the parameters that GitHub always sends."""
    return {"type": kind, "parameters": _PARAMETERS[kind]} if kind in _PARAMETERS else {"type": kind}


_PARAMETERS: dict[str, Body] = {
    "update": {"update_allows_fetch_and_merge": False},
    "pull_request": {
        "dismiss_stale_reviews_on_push": False,
        "require_code_owner_review": False,
        "require_last_push_approval": False,
        "required_approving_review_count": 1,
        "required_review_thread_resolution": False,
    },
    "required_status_checks": {
        "required_status_checks": [{"context": "CI"}],
        "strict_required_status_checks_policy": False,
    },
}
