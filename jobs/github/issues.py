"""Issues and what is said on them: comments, reactions, labels, and what a person may do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal

from jobs.github import values
from jobs.github.scope import Scope
from jobs.github.values import Actor, Comment, Issue
from jobs.github.wire import Call, nothing
from jobs.publish.clean import outgoing

Reaction = Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]
_STANDARD_ROLES = ("admin", "maintain", "write", "triage", "read", "none")
_JUST_NOW = timedelta(minutes=3)  # wider than clocks differ, shorter than a person repeats a question


class Issues(Scope):
    """The issue part of the client. Pull requests are issues here too."""

    def issue(self, number: int) -> Issue:
        """One issue or pull request."""
        return self._wire.get(self._path("issues", number), values.issue, what=f"issue #{number}")

    def comments(self, number: int) -> tuple[Comment, ...]:
        """Every comment, oldest first."""
        path = self._path("issues", number, "comments")
        return tuple(self._wire.pages(path, values.comment, what=f"comments of #{number}"))

    def get_comment(self, comment_id: int) -> Comment:
        """One comment as it is now. Raises NotFound if it is gone."""
        path = self._path("issues", "comments", comment_id)
        return self._wire.get(path, values.comment, what="the comment")

    def comment(self, number: int, body: str) -> Comment:
        """Says `body` on an issue; text that is not Clean yet is cleaned. An unclear answer never doubles it."""
        text = outgoing(body)
        path = self._path("issues", number, "comments")
        call = Call("POST", path, f"comment on #{number}", body={"body": text}, repeatable=False)
        return self._create(call, values.comment, lambda: self._just_said(number, text))

    def edit_comment(self, comment_id: int, body: str) -> Comment:
        """Replaces a comment of ours."""
        path = self._path("issues", "comments", comment_id)
        return self._write("PATCH", path, values.comment, {"body": outgoing(body)}, what="editing a comment")

    def find_comment(self, number: int, marker: str) -> Comment | None:
        """Our App's own comment that holds `marker`; what others wrote is never taken for ours."""
        ours = (c for c in self.comments(number) if marker in c.body and self.is_ours(c.author))
        return next(ours, None)

    def is_ours(self, author: Actor) -> bool:
        """True if `author` is the account under which our App writes."""
        return author.type == "Bot" and author.login == self.tokens.identity().bot_login

    def react(self, content: Reaction, *, comment_id: int | None = None, issue: int | None = None) -> None:
        """Adds a reaction to a comment, or to an issue's own text; one that is there stays single."""
        where = ("comments", comment_id) if comment_id is not None else (issue,)
        path = self._path("issues", *(part for part in where if part is not None), "reactions")
        self._write("POST", path, nothing, {"content": content}, what=f"reaction {content}")

    def add_labels(self, number: int, labels: tuple[str, ...]) -> None:
        """Adds labels; those that are there stay."""
        if labels:
            path = self._path("issues", number, "labels")
            self._write("POST", path, nothing, {"labels": list(labels)}, what=f"labels of #{number}")

    def permission(self, login: str) -> str:
        """What a person may do here: admin, maintain, write, triage, read or none. A custom role counts as the
        standard one it is built on. Raises NotFound for an unknown account."""
        path = self._path("collaborators", login, "permission")
        return self._wire.get(path, _role, what=f"permission of {login}")

    def _just_said(self, number: int, text: str) -> Comment | None:
        since = datetime.now(UTC) - _JUST_NOW
        said = (c for c in reversed(self.comments(number)) if c.body == text and self.is_ours(c.author))
        return next((c for c in said if datetime.fromisoformat(c.created_at) >= since), None)


def _role(data: dict[str, str]) -> str:
    role = data.get("role_name") or ""
    return role if role in _STANDARD_ROLES else data["permission"]
