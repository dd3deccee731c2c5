"""Looking into the hub: lists as REST shows them."""

from __future__ import annotations

from pathlib import Path

from app.local.hub import history
from app.local.hub.records import Body
from app.local.hub.state import State
from app.local.hub.views import checks, issues, pulls, repositories


class Looking:
    """Reads of `_state`."""

    _state: State

    def issues(self, full_name: str) -> list[Body]:
        """Issues without pull requests, oldest first."""
        with self._state.lock:
            which = self._state.repository(full_name)
            every = (one for one in which.issues.values() if one.pull is None)
            return [issues.issue(self._state, self._state.links, which, one) for one in every]

    def pulls(self, full_name: str) -> list[Body]:
        """Pull requests of any state, oldest first, in full."""
        with self._state.lock:
            which = self._state.repository(full_name)
            every = (one for one in which.issues.values() if one.pull is not None)
            return [pulls.full(self._state, self._state.links, which, one) for one in every]

    def comments(self, full_name: str, number: int) -> list[Body]:
        """An issue's or pull request's comments, oldest first."""
        with self._state.lock:
            which = self._state.repository(full_name)
            every = self._state.issue(which, number).comments
            return [issues.comment(self._state, self._state.links, which, one) for one in every]

    def reactions(self, full_name: str, number: int, comment_id: int | None = None) -> list[Body]:
        """Reactions on an issue, or on one of its comments."""
        with self._state.lock:
            one = self._state.issue(self._state.repository(full_name), number)
            subjects = [c.reactions for c in one.comments if c.id == comment_id] if comment_id else [one.reactions]
            return [issues.reaction(self._state.links, each) for reactions in subjects for each in reactions]

    def checks(self, full_name: str, sha: str | None = None) -> list[Body]:
        """Check runs of all Apps, of one commit or of all, oldest first; `actions` and `annotations` added."""
        with self._state.lock:
            which = self._state.repository(full_name)
            every = (c for c in which.checks if sha in (None, c.suite.head_sha))
            shown = [(c, checks.run(self._state.links, which, c)) for c in every]
            return [{**body, "actions": list(c.actions), "annotations": list(c.annotations)} for c, body in shown]

    def branches(self, full_name: str) -> list[Body]:
        """Branches by name."""
        with self._state.lock:
            which = self._state.repository(full_name)
            tips = history.refs(which.git_dir, "refs/heads/").items()
            named = [(ref.removeprefix("refs/heads/"), sha) for ref, (_, sha) in tips]
            return [repositories.short_branch(self._state.links, which, *each) for each in named]

    def git_dir(self, full_name: str) -> Path:
        """The bare repository."""
        with self._state.lock:
            return self._state.repository(full_name).git_dir
