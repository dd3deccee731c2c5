"""Pull requests: found by their head branch before they are made."""

from __future__ import annotations

from typing import Any, Literal

from jobs.github import values
from jobs.github.errors import Rejected
from jobs.github.scope import Scope
from jobs.github.values import Pull
from jobs.github.wire import Call, nothing
from jobs.publish.clean import outgoing, titled


class Pulls(Scope):
    """The pull request part of the client."""

    def pull(self, number: int) -> Pull:
        """One pull request as it is now."""
        return self._wire.get(self._path("pulls", number), values.pull, what=f"pull request #{number}")

    def pulls_by_head(self, branch: str, state: Literal["open", "closed", "all"] = "open") -> tuple[Pull, ...]:
        """Pull requests from `branch` of this repository, newest first. Forks' branches of that name don't count."""
        query = {"head": f"{self.owner}:{branch}", "state": state}
        found = self._wire.pages(self._path("pulls"), values.pull, query, what=f"pull requests of {branch}")
        ours = (p for p in found if p.head_ref == branch and not p.from_fork)
        return tuple(sorted(ours, key=lambda p: -p.number))

    def create_pull(self, *, head: str, base: str, title: str, body: str, draft: bool = False) -> Pull:
        """Opens a pull request from `head`, or returns the open one that is there.

        Where the repository has no drafts, it is opened as ready; see `Pull.draft`. Raises
        Rejected with GitHub's words.
        """
        fields = {"head": head, "base": base, "title": titled(title), "body": outgoing(body), "draft": draft}
        try:
            return self._open(fields)
        except Rejected as refused:
            if draft and refused.says("draft", "not supported"):
                return self._open({**fields, "draft": False})
            if refused.says("already exists") and (found := self._standing(head, base)):
                return found
            raise

    def update_pull(
        self, number: int, *, title: str | None = None, body: str | None = None, state: str | None = None
    ) -> Pull:
        """Changes what is given, leaves the rest."""
        fields: dict[str, Any] = {
            "title": None if title is None else titled(title),
            "body": None if body is None else outgoing(body),
            "state": state,
        }
        given = {name: value for name, value in fields.items() if value is not None}
        return self._write("PATCH", self._path("pulls", number), values.pull, given, what=f"pull request #{number}")

    def request_reviewers(self, number: int, logins: tuple[str, ...]) -> bool:
        """Asks people for a review; False where GitHub refuses one of them (the author, or no collaborator)."""
        path = self._path("pulls", number, "requested_reviewers")
        try:
            self._write("POST", path, nothing, {"reviewers": list(logins)}, what=f"reviewers of #{number}")
        except Rejected:
            return False
        return True

    def _open(self, fields: dict[str, Any]) -> Pull:
        call = Call("POST", self._path("pulls"), "opening a pull request", body=fields, repeatable=False)
        return self._create(call, values.pull, lambda: self._standing(fields["head"], fields["base"]))

    def _standing(self, head: str, base: str) -> Pull | None:
        return next((p for p in self.pulls_by_head(head) if p.base_ref == base), None)
