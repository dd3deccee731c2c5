"""Acts on issues and comments: each changes the state and sends its event."""

from __future__ import annotations

from collections.abc import Iterable

from app.local.hub.events import emit
from app.local.hub.records import Account, Body, Comment, Issue, Label, Reaction, Repository
from app.local.hub.refusal import invalid, not_found
from app.local.hub.state import State, stamp
from app.local.hub.views import issues as show
from app.local.hub.views import pulls as show_pulls


def next_number(which: Repository) -> int:
    """The number of the next issue or pull request."""
    return max(which.issues, default=0) + 1


def open_issue(state: State, which: Repository, user: Account, title: str, body: str | None) -> Issue:
    """A new issue."""
    number, at = next_number(which), stamp()
    one = Issue(state.new_id(), number, title, body, user, at, at, by_app=user is state.app.bot)
    which.issues[number] = one
    tell(state, which, one, user, "opened")
    return one


def tell(state: State, which: Repository, one: Issue, sender: Account, action: str, **more: object) -> None:
    """Sends an `issues` event, of a pull request a `pull_request` event."""
    if one.pull is None:
        shown = show.issue(state, state.links, which, one)
        emit(state, which, "issues", sender, action=action, issue=shown, **more)
        return
    pull = show_pulls.full(state, state.links, which, one)
    emit(state, which, "pull_request", sender, action=action, number=one.number, pull_request=pull, **more)


def edit(state: State, which: Repository, one: Issue, sender: Account, changes: Body) -> None:
    """Sets title, body, state, labels and assignees as far as `changes` has them."""
    before = {name: {"from": getattr(one, name) or ""} for name in ("title", "body") if name in changes}
    for name in before:
        setattr(one, name, changes[name])
    one.updated_at = stamp()
    if before and one.pull is None:
        tell(state, which, one, sender, "edited", changes=before)
    if changes.get("labels") is not None:
        set_labels(state, which, one, changes["labels"], sender)
    if changes.get("assignees") is not None:
        one.assignees = [state.account(login) for login in changes["assignees"]]
    if changes.get("state", one.state) != one.state:
        set_state(state, which, one, sender, changes["state"], changes.get("state_reason"))


def set_state(
    state: State, which: Repository, one: Issue, sender: Account, new: str, reason: str | None = None
) -> None:
    """Closes or reopens an issue (not a pull request)."""
    closed = new == "closed"
    one.state, one.updated_at = new, stamp()
    if one.pull is None:
        one.state_reason = (reason or "completed") if closed else "reopened"
    one.closed_at, one.closed_by = (one.updated_at, sender) if closed else (None, None)
    if one.pull is None:
        tell(state, which, one, sender, "closed" if closed else "reopened")


def comment(state: State, which: Repository, one: Issue, user: Account, body: str) -> Comment:
    """A new comment."""
    at = stamp()
    new = Comment(state.new_id(), one.number, user, body, at, at, by_app=user is state.app.bot)
    one.comments.append(new)
    one.updated_at = at
    _tell_comment(state, which, new, user, "created")
    return new


def find_comment(which: Repository, comment_id: int) -> Comment:
    """The comment with that id. Raises Refused 404."""
    every = (c for one in which.issues.values() for c in one.comments)
    found = next((c for c in every if c.id == comment_id), None)
    if found is None:
        raise not_found()
    return found


def edit_comment(state: State, which: Repository, comment_id: int, sender: Account, body: str) -> Comment:
    """Another body for a comment. Its time of change always moves on."""
    one = find_comment(which, comment_id)
    before, one.body, one.updated_at = one.body, body, stamp()
    _tell_comment(state, which, one, sender, "edited", changes={"body": {"from": before}})
    return one


def delete_comment(state: State, which: Repository, comment_id: int, sender: Account) -> None:
    """Removes a comment."""
    one = find_comment(which, comment_id)
    which.issues[one.number].comments.remove(one)
    _tell_comment(state, which, one, sender, "deleted")


def _tell_comment(state: State, which: Repository, one: Comment, sender: Account, action: str, **more: object) -> None:
    issue = show.issue(state, state.links, which, which.issues[one.number])
    shown = show.comment(state, state.links, which, one)
    emit(state, which, "issue_comment", sender, action=action, issue=issue, comment=shown, **more)


def react(state: State, reactions: list[Reaction], user: Account, content: str) -> tuple[Reaction, bool]:
    """The account's reaction of that content, and whether it is new. Raises Refused 422."""
    if content not in show.CONTENTS:
        raise invalid("Reaction", "content", "invalid")
    same = next((r for r in reactions if r.user is user and r.content == content), None)
    if same is not None:
        return same, False
    reactions.append(Reaction(state.new_id(), user, content, stamp()))
    return reactions[-1], True


def unreact(reactions: list[Reaction], reaction_id: int) -> None:
    """Removes a reaction. Raises Refused 404."""
    found = next((r for r in reactions if r.id == reaction_id), None)
    if found is None:
        raise not_found()
    reactions.remove(found)


def label_of(state: State, which: Repository, name: str) -> Label:
    """The repository's label `name`, made if new."""
    found = next((label for label in which.labels if label.name.lower() == name.lower()), None)
    if found is None:
        found = Label(state.new_id(), name)
        which.labels.append(found)
    return found


def set_labels(state: State, which: Repository, one: Issue, names: Iterable[str | Body], sender: Account) -> None:
    """Makes the issue's labels exactly `names`, with an event for each that comes or goes."""
    wanted = [label_of(state, which, n["name"] if isinstance(n, dict) else n) for n in names]
    before, one.labels = one.labels, wanted
    one.updated_at = stamp()
    changed = [("labeled", label) for label in wanted if label not in before]
    changed += [("unlabeled", label) for label in before if label not in wanted]
    for action, label in changed:
        tell(state, which, one, sender, action, label=show.label(state.links, which, label))
