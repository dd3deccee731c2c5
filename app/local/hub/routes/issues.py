"""REST: issues, comments, reactions and labels."""

from __future__ import annotations

from urllib.parse import unquote

from app.local.hub import issues, pulls
from app.local.hub.calls import Call, Reply, Route, choice, limited, page
from app.local.hub.records import Comment, Issue, Reaction
from app.local.hub.refusal import Refused, invalid, malformed, not_found
from app.local.hub.views import issues as show

_READ, _WRITE = "issues=read; pull_requests=read", "issues=write; pull_requests=write"


def _issue(call: Call, level: str = "read") -> Issue:
    one = call.state.issue(call.repository, call.path["number"])
    if one.pull is None:  # rights on pull requests are none on plain issues
        call.require(f"issues={level}")
    return one


def _shown(call: Call, one: Issue, status: int = 200) -> Reply:
    return Reply(status, show.issue(call.state, call.links, call.repository, one))


def list_issues(call: Call) -> Reply:
    """Issues and pull requests, newest first, filtered as asked."""
    state, labels = choice(call, "state", "open"), [n for n in choice(call, "labels", "").split(",") if n]
    creator, since = call.query.get("creator"), choice(call, "since", "")
    kept = [
        i
        for i in call.repository.issues.values()
        if state in ("all", i.state)
        and {n.lower() for n in labels} <= {label.name.lower() for label in i.labels}
        and creator in (None, i.user.login)
        and i.updated_at >= since
    ]
    kept.sort(key=lambda i: (_sort_key(call, i), i.number), reverse=choice(call, "direction", "desc") == "desc")
    return page(call, kept, view=lambda i: show.issue(call.state, call.links, call.repository, i))


def _sort_key(call: Call, one: Issue) -> str:
    return one.updated_at if call.query.get("sort") == "updated" else one.created_at


def create_issue(call: Call) -> Reply:
    """A new issue."""
    title, body = call.text("title"), limited("Issue", call.fields.get("body"))
    if not title.strip():
        raise invalid("Issue", "title", "missing_field")
    one = issues.open_issue(call.state, call.repository, call.account, title, body)
    if call.fields.get("labels"):
        issues.set_labels(call.state, call.repository, one, call.fields["labels"], call.account)
    return _shown(call, one, 201)


def get_issue(call: Call) -> Reply:
    """One issue or pull request."""
    return _shown(call, _issue(call))


def edit_issue(call: Call) -> Reply:
    """Title, body, state, labels, assignees."""
    one, changes = _issue(call, "write"), call.fields
    limited("Issue", changes.get("body"))
    if changes.get("state") not in (None, "open", "closed"):
        raise invalid("Issue", "state", "invalid")
    kept = {name: value for name, value in changes.items() if not (name == "state" and value is None)}
    if one.pull is not None and "state" in kept:
        pulls.edit(call.state, call.repository, one, call.account, {"state": kept.pop("state")})
    issues.edit(call.state, call.repository, one, call.account, kept)
    return _shown(call, one)


def list_comments(call: Call) -> Reply:
    """The comments of one issue, oldest first."""
    since = choice(call, "since", "")
    kept = [c for c in _issue(call).comments if c.updated_at >= since]
    return page(call, kept, view=lambda c: show.comment(call.state, call.links, call.repository, c))


def list_all_comments(call: Call) -> Reply:
    """The comments of the whole repository."""
    since, newest_first = choice(call, "since", ""), choice(call, "direction", "asc") == "desc"
    every = [c for i in call.repository.issues.values() for c in i.comments if c.updated_at >= since]
    every.sort(key=lambda c: c.id, reverse=newest_first)
    return page(call, every, view=lambda c: show.comment(call.state, call.links, call.repository, c))


def create_comment(call: Call) -> Reply:
    """A new comment."""
    one, body = _issue(call, "write"), _comment_body(call)
    return _comment(call, issues.comment(call.state, call.repository, one, call.account, body), 201)


def _comment_body(call: Call) -> str:
    body = call.text("body")
    if not body.strip():
        raise invalid("IssueComment", "body", "custom", "body cannot be blank")
    limited("IssueComment", body)
    return body


def _comment(call: Call, one: Comment, status: int = 200) -> Reply:
    return Reply(status, show.comment(call.state, call.links, call.repository, one))


def _found_comment(call: Call, level: str = "read") -> Comment:
    one = issues.find_comment(call.repository, call.path["comment_id"])
    if call.repository.issues[one.number].pull is None:
        call.require(f"issues={level}")
    return one


def get_comment(call: Call) -> Reply:
    """One comment."""
    return _comment(call, _found_comment(call))


def edit_comment(call: Call) -> Reply:
    """Another body."""
    one, body = _found_comment(call, "write"), _comment_body(call)
    return _comment(call, issues.edit_comment(call.state, call.repository, one.id, call.account, body))


def delete_comment(call: Call) -> Reply:
    """Removes it."""
    one = _found_comment(call, "write")
    issues.delete_comment(call.state, call.repository, one.id, call.account)
    return Reply(204)


def _reactions(call: Call, level: str = "read") -> list[Reaction]:
    return _found_comment(call, level).reactions if "comment_id" in call.path else _issue(call, level).reactions


def react(call: Call) -> Reply:
    """201 for a new reaction, 200 for one that was there."""
    content = call.text("content")
    one, new = issues.react(call.state, _reactions(call, "write"), call.account, content)
    return Reply(201 if new else 200, show.reaction(call.links, one))


def list_reactions(call: Call) -> Reply:
    """The reactions, of one content where asked."""
    content = call.query.get("content")
    kept = [r for r in _reactions(call) if content in (None, r.content)]
    return page(call, kept, view=lambda r: show.reaction(call.links, r))


def unreact(call: Call) -> Reply:
    """Removes one."""
    issues.unreact(_reactions(call, "write"), call.path["reaction_id"])
    return Reply(204)


def list_labels(call: Call) -> Reply:
    """The issue's labels, or the repository's."""
    every = _issue(call).labels if "number" in call.path else call.repository.labels
    return page(call, every, view=lambda label: show.label(call.links, call.repository, label))


def _labels_reply(call: Call, one: Issue) -> Reply:
    return Reply(200, [show.label(call.links, call.repository, label) for label in one.labels])


def add_labels(call: Call) -> Reply:
    """Adds labels, made where new."""
    one, names = _issue(call, "write"), _names(call)
    had = [label.name for label in one.labels]
    more = [n for n in names if n.lower() not in {h.lower() for h in had}]
    issues.set_labels(call.state, call.repository, one, had + more, call.account)
    return _labels_reply(call, one)


def _names(call: Call) -> list[str]:
    given = call.body.get("labels") if isinstance(call.body, dict) else call.body
    if not isinstance(given, list):
        raise malformed('"labels" wasn\'t supplied.')
    return [each["name"] if isinstance(each, dict) else str(each) for each in given]


def remove_label(call: Call) -> Reply:
    """Takes one label off."""
    one, name = _issue(call, "write"), unquote(call.path["name"]).lower()
    rest = [label.name for label in one.labels if label.name.lower() != name]
    if len(rest) == len(one.labels):
        raise Refused(404, "Label does not exist")
    issues.set_labels(call.state, call.repository, one, rest, call.account)
    return _labels_reply(call, one)


def get_label(call: Call) -> Reply:
    """One label of the repository."""
    name = call.path["name"].lower()
    found = next((label for label in call.repository.labels if label.name.lower() == name), None)
    if found is None:
        raise not_found()
    return Reply(200, show.label(call.links, call.repository, found))


_REPO = "/repos/{owner}/{repo}"
_ISSUE, _COMMENT = f"{_REPO}/issues/{{number:int}}", f"{_REPO}/issues/comments/{{comment_id:int}}"
ROUTES = (
    Route("GET", f"{_REPO}/issues", "issues=read", list_issues),
    Route("POST", f"{_REPO}/issues", "issues=write", create_issue),
    Route("GET", f"{_REPO}/issues/comments", _READ, list_all_comments),
    Route("GET", _COMMENT, _READ, get_comment),
    Route("PATCH", _COMMENT, _WRITE, edit_comment),
    Route("DELETE", _COMMENT, _WRITE, delete_comment),
    Route("GET", _ISSUE, _READ, get_issue),
    Route("PATCH", _ISSUE, _WRITE, edit_issue),
    Route("GET", f"{_ISSUE}/comments", _READ, list_comments),
    Route("POST", f"{_ISSUE}/comments", _WRITE, create_comment),
    Route("GET", f"{_ISSUE}/labels", _READ, list_labels),
    Route("POST", f"{_ISSUE}/labels", _WRITE, add_labels),
    Route("DELETE", f"{_ISSUE}/labels/{{name}}", _WRITE, remove_label),
    Route("GET", f"{_REPO}/labels", _READ, list_labels),
    Route("GET", f"{_REPO}/labels/{{name}}", _READ, get_label),
    *(
        route
        for subject in (_ISSUE, _COMMENT)
        for route in (
            Route("GET", f"{subject}/reactions", _READ, list_reactions),
            Route("POST", f"{subject}/reactions", _WRITE, react),
            Route("DELETE", f"{subject}/reactions/{{reaction_id:int}}", _WRITE, unreact),
        )
    ),
)
