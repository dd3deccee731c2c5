"""What people do on the hub: each act is GitHub's own, with its webhook event."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict, Unpack

from app.local.hub import checks, events, history, issues, pulls
from app.local.hub.checks import Finished, JobResult
from app.local.hub.history import ZERO, Person
from app.local.hub.pulls import Proposal
from app.local.hub.pushes import land, moved
from app.local.hub.records import Account, Body, Repository
from app.local.hub.state import State, stamp
from jobs.errors import UserError

Files = Mapping[str, bytes | str | None]  # path to content; None removes


class NewPull(TypedDict, total=False):
    """A pull request that a person opens; `head` is a branch or a fork's `owner:branch`."""

    title: str
    head: str
    base: str
    body: str | None
    draft: bool


class NewRun(TypedDict, total=False):
    """A workflow run that ends; see `checks.Finished`."""

    branch: str
    conclusion: str
    jobs: tuple[JobResult, ...]
    head_sha: str | None
    name: str
    path: str
    event: str
    actor: str | None
    run_id: int | None


class People:
    """The acts, on `state`."""

    def __init__(self, state: State) -> None:
        self._state = state

    def open_issue(self, full_name: str, login: str, title: str, body: str | None = None) -> int:
        """Opens an issue; its number."""
        with self._state.lock:
            which = self._state.repository(full_name)
            return issues.open_issue(self._state, which, self._state.add_account(login), title, body).number

    def edit_issue(self, full_name: str, number: int, login: str, **changes: object) -> None:
        """Sets title, body, state (open, closed), labels of an issue or pull request."""
        with self._state.lock:
            which, who = self._state.repository(full_name), self._state.add_account(login)
            one = self._state.issue(which, number)
            rest: Body = dict(changes)
            if one.pull:
                names = [name for name in ("state", "title", "body") if name in rest]
                pulls.edit(self._state, which, one, who, {name: rest.pop(name) for name in names})
            issues.edit(self._state, which, one, who, rest)

    def comment(self, full_name: str, number: int, login: str, body: str) -> int:
        """Comments on an issue or pull request; the comment's id."""
        with self._state.lock:
            which = self._state.repository(full_name)
            one = self._state.issue(which, number)
            return issues.comment(self._state, which, one, self._state.add_account(login), body).id

    def edit_comment(self, full_name: str, comment_id: int, login: str, body: str) -> None:
        """Changes a comment's body."""
        with self._state.lock:
            which = self._state.repository(full_name)
            issues.edit_comment(self._state, which, comment_id, self._state.add_account(login), body)

    def delete_comment(self, full_name: str, comment_id: int, login: str) -> None:
        """Deletes a comment."""
        with self._state.lock:
            which = self._state.repository(full_name)
            issues.delete_comment(self._state, which, comment_id, self._state.add_account(login))

    def push(self, full_name: str, branch: str, files: Files, login: str, message: str = "Change files") -> str:
        """Commits `files` on `branch` (begun at the default branch's tip if new) and pushes; the commit's id."""
        with self._state.lock:
            which, who = self._state.repository(full_name), self._state.add_account(login)
            old = history.head(which.git_dir, branch)
            base = old or history.head(which.git_dir, which.default_branch)
            sha = commit_files(which, base, files, message, who)
            history.update_ref(which.git_dir, f"refs/heads/{branch}", sha)
            moved(self._state, which, f"refs/heads/{branch}", old or ZERO, sha, who)
            return sha

    def delete_branch(self, full_name: str, branch: str, login: str) -> None:
        """Deletes a branch."""
        with self._state.lock:
            which, who = self._state.repository(full_name), self._state.add_account(login)
            old = history.head(which.git_dir, branch)
            if old is None:
                raise UserError(f"{full_name} has no branch {branch}.")
            history.update_ref(which.git_dir, f"refs/heads/{branch}", ZERO, old)
            moved(self._state, which, f"refs/heads/{branch}", old, ZERO, who)

    def open_pull(self, full_name: str, login: str, **pull: Unpack[NewPull]) -> int:
        """Opens a pull request; its number."""
        with self._state.lock:
            which = self._state.repository(full_name)
            new = Proposal(
                pull["title"], pull["head"], pull.get("base") or which.default_branch, pull.get("body"),
                pull.get("draft", False),
            )  # fmt: skip
            return pulls.open_pull(self._state, which, self._state.add_account(login), new).number

    def merge(self, full_name: str, number: int, login: str, method: str = "merge") -> str:
        """Merges a pull request; the new commit's id."""
        with self._state.lock:
            which, who = self._state.repository(full_name), self._state.add_account(login)
            return land(self._state, which, self._state.issue(which, number), who, {"merge_method": method})

    def review(self, full_name: str, number: int, login: str, **review: object) -> int:
        """Reviews a pull request (`event`, `body`, `comments` as REST takes them); the review's id."""
        with self._state.lock:
            which, who = self._state.repository(full_name), self._state.add_account(login)
            return pulls.review(self._state, which, self._state.issue(which, number), who, dict(review)).id

    def label(self, full_name: str, number: int, name: str, login: str) -> None:
        """Puts a label on an issue or pull request."""
        with self._state.lock:
            which, who = self._state.repository(full_name), self._state.add_account(login)
            one = self._state.issue(which, number)
            issues.set_labels(self._state, which, one, [*(label.name for label in one.labels), name], who)

    def complete_workflow_run(self, full_name: str, **run: Unpack[NewRun]) -> int:
        """A workflow run ends; its id. `branch` is the default branch and `conclusion` failure unless given."""
        with self._state.lock:
            which = self._state.repository(full_name)
            given: NewRun = {"branch": which.default_branch, "conclusion": "failure", **run}
            done = Finished(**given)
            return checks.finish_workflow(self._state, which, done).id

    def click(self, full_name: str, check_run_id: int, identifier: str, login: str) -> None:
        """Presses a check run's button, or `rerequested` for GitHub's own."""
        with self._state.lock:
            which = self._state.repository(full_name)
            checks.click(self._state, which, check_run_id, identifier, self._state.add_account(login))

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


def commit_files(which: Repository, base: str | None, files: Files, message: str, who: Account) -> str:
    """A commit of `who` with `files` changed on top of `base`."""
    start = base or history.empty_tree(which.git_dir)
    tree = history.with_files(which.git_dir, start, files)
    return history.write_commit(which.git_dir, tree, [base] if base else [], message, Person(who.login, who.email, ""))


def install(state: State, which: Repository, sender: Account) -> None:
    """Puts the App on the repository and tells it."""
    state.install(which)
    events.emit_installed(state, which, sender)


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
