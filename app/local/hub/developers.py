"""What people do on the hub with code: push, pull requests, reviews, workflow runs, buttons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict, Unpack

from app.local.hub import checks, history, pulls
from app.local.hub.checks import Finished, JobResult
from app.local.hub.history import ZERO, Person
from app.local.hub.pulls import Proposal
from app.local.hub.pushes import land, moved
from app.local.hub.records import Account, Repository
from app.local.hub.state import State
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


class Developers:
    """The acts, on `_state`."""

    _state: State

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


def commit_files(which: Repository, base: str | None, files: Files, message: str, who: Account) -> str:
    """A commit of `who` with `files` changed on top of `base`."""
    start = base or history.empty_tree(which.git_dir)
    tree = history.with_files(which.git_dir, start, files)
    return history.write_commit(which.git_dir, tree, [base] if base else [], message, Person(who.login, who.email, ""))
