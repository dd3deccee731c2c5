"""What people do on the hub with issues: each act is GitHub's own, with its webhook event."""

from __future__ import annotations

from app.local.hub import issues, pulls
from app.local.hub.records import Body
from app.local.hub.state import State


class People:
    """The acts, on `_state`."""

    _state: State

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

    def label(self, full_name: str, number: int, name: str, login: str) -> None:
        """Puts a label on an issue or pull request."""
        with self._state.lock:
            which, who = self._state.repository(full_name), self._state.add_account(login)
            one = self._state.issue(which, number)
            issues.set_labels(self._state, which, one, [*(label.name for label in one.labels), name], who)
