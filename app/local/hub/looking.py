"""Looking into the hub: lists as REST shows them, and the App's tokens and installations."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from app.local.hub import history
from app.local.hub.deliveries import Delivery, Outbox
from app.local.hub.records import Body
from app.local.hub.routes.apps import mint
from app.local.hub.state import State
from app.local.hub.views import checks, issues, pulls, repositories
from jobs.errors import UserError


class Looking:
    """Reads of `state`."""

    def __init__(self, state: State, outbox: Outbox) -> None:
        self._seen, self._sent = state, outbox

    def issues(self, full_name: str) -> list[Body]:
        """Issues without pull requests, oldest first."""
        with self._seen.lock:
            which = self._seen.repository(full_name)
            every = (one for one in which.issues.values() if one.pull is None)
            return [issues.issue(self._seen, self._seen.links, which, one) for one in every]

    def pulls(self, full_name: str) -> list[Body]:
        """Pull requests of any state, oldest first, in full."""
        with self._seen.lock:
            which = self._seen.repository(full_name)
            every = (one for one in which.issues.values() if one.pull is not None)
            return [pulls.full(self._seen, self._seen.links, which, one) for one in every]

    def comments(self, full_name: str, number: int) -> list[Body]:
        """An issue's or pull request's comments, oldest first."""
        with self._seen.lock:
            which = self._seen.repository(full_name)
            every = self._seen.issue(which, number).comments
            return [issues.comment(self._seen, self._seen.links, which, one) for one in every]

    def reactions(self, full_name: str, number: int, comment_id: int | None = None) -> list[Body]:
        """Reactions on an issue, or on one of its comments."""
        with self._seen.lock:
            one = self._seen.issue(self._seen.repository(full_name), number)
            subjects = [c.reactions for c in one.comments if c.id == comment_id] if comment_id else [one.reactions]
            return [issues.reaction(self._seen.links, each) for reactions in subjects for each in reactions]

    def checks(self, full_name: str, sha: str | None = None) -> list[Body]:
        """Check runs of all Apps, of one commit or of all, oldest first; `actions` and `annotations` added."""
        with self._seen.lock:
            which = self._seen.repository(full_name)
            every = (c for c in which.checks if sha in (None, c.suite.head_sha))
            shown = [(c, checks.run(self._seen.links, which, c)) for c in every]
            return [{**body, "actions": list(c.actions), "annotations": list(c.annotations)} for c, body in shown]

    def branches(self, full_name: str) -> list[Body]:
        """Branches by name."""
        with self._seen.lock:
            which = self._seen.repository(full_name)
            tips = history.refs(which.git_dir, "refs/heads/").items()
            named = [(ref.removeprefix("refs/heads/"), sha) for ref, (_, sha) in tips]
            return [repositories.short_branch(self._seen.links, which, *each) for each in named]

    def git_dir(self, full_name: str) -> Path:
        """The bare repository."""
        with self._seen.lock:
            return self._seen.repository(full_name).git_dir

    def deliveries(self) -> list[Delivery]:
        """Webhooks tried so far, oldest first."""
        return list(self._sent.sent)

    def installation_id(self, full_name: str) -> int:
        """The installation that covers a repository. Raises UserError if none does."""
        with self._seen.lock:
            found = self._seen.installation_of(self._seen.repository(full_name))
            if found is None:
                raise UserError(f"The App is not installed on {full_name}.")
            return found.id

    def token(self, full_name: str, **permissions: str) -> str:
        """An installation token for one repository, with all that the App may or just `permissions`."""
        with self._seen.lock:
            which = self._seen.repository(full_name)
            found = self._seen.installations[self.installation_id(full_name)]
            held = {"metadata": "read", **(permissions or self._seen.app.permissions)}
            return mint(self._seen, found, frozenset({which.id}), held, selected=True).value

    @property
    def token_ttl(self) -> float:
        """How long new tokens live, in seconds."""
        return self._seen.tokens.ttl_s

    @token_ttl.setter
    def token_ttl(self, seconds: float) -> None:
        self._seen.tokens.ttl_s = seconds

    def revoke_tokens(self) -> None:
        """Every token given so far stops working."""
        with self._seen.lock:
            self._seen.tokens.given.clear()

    def expire_tokens(self) -> None:
        """Every token given so far is past its end."""
        with self._seen.lock:
            given = self._seen.tokens.given
            given.update({value: replace(token, expires_at=time.time() - 1) for value, token in given.items()})

    def uninstall(self, full_name: str) -> None:
        """Takes the App off a repository."""
        with self._seen.lock:
            which = self._seen.repository(full_name)
            for installation in self._seen.installations.values():
                installation.repository_ids.discard(which.id)
