"""REST: pull requests, their files, commits, reviews and merge."""

from __future__ import annotations

from app.local.hub import history, issues, pulls
from app.local.hub.calls import Call, Reply, Route, choice, limited, page
from app.local.hub.pulls import Proposal
from app.local.hub.pushes import land
from app.local.hub.records import Issue
from app.local.hub.refusal import Refused, invalid, malformed, not_found
from app.local.hub.routes.commits import as_diff
from app.local.hub.views import accounts, commits
from app.local.hub.views import pulls as show

_READ, _WRITE = "pull_requests=read", "pull_requests=write"
_NOT_COLLABORATORS = (
    "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a"
    " collaborator of the repository."
)
_LINE_FIELDS = ("body", "path", "commit_id")


def _pull(call: Call) -> Issue:
    one = call.state.issue(call.repository, call.path["number"])
    if one.pull is None:
        raise not_found()
    return one


def _shown(call: Call, one: Issue, status: int = 200) -> Reply:
    return Reply(status, show.full(call.state, call.links, call.repository, one))


def list_pulls(call: Call) -> Reply:
    """Newest first, by state, `owner:branch` head and base where asked."""
    state, base = choice(call, "state", "open"), call.query.get("base")
    kept = [
        i
        for i in call.repository.issues.values()
        if i.pull and state in ("all", i.state) and base in (None, i.pull.base_ref) and _has_head(call, i)
    ]
    kept.sort(key=lambda i: i.number, reverse=choice(call, "direction", "desc") == "desc")
    return page(call, kept, view=lambda i: show.simple(call.state, call.links, call.repository, i))


def _has_head(call: Call, one: Issue) -> bool:
    owner, colon, branch = choice(call, "head", "").partition(":")
    pull = show.part(one)
    if not colon:  # GitHub takes a filter without an owner for none
        return True
    return (owner.lower(), branch) == (pull.head_repository.owner.login.lower(), pull.head_ref)


def create_pull(call: Call) -> Reply:
    """A new pull request."""
    fields, body = call.fields, limited("PullRequest", call.fields.get("body"))
    title, head, base = call.fields.get("title"), call.text("head"), call.text("base")
    if not isinstance(title, str) or not title.strip():
        raise invalid("PullRequest", "title", "missing_field")
    new = Proposal(title, head, base, body, bool(fields.get("draft")), bool(fields.get("maintainer_can_modify")))
    return _shown(call, pulls.open_pull(call.state, call.repository, call.account, new), 201)


def get_pull(call: Call) -> Reply:
    """One pull request; its diff when the Accept header says so."""
    one = _pull(call)
    if ".diff" in call.headers.get("accept", ""):
        pull = show.part(one)
        return as_diff(history.diff(call.repository.git_dir, show.base_of(call.repository, pull), pull.head_sha))
    return _shown(call, one)


def edit_pull(call: Call) -> Reply:
    """Title, body, state, base."""
    one, changes = _pull(call), call.fields
    limited("PullRequest", changes.get("body"))
    if changes.get("state") not in (None, "open", "closed"):
        raise invalid("PullRequest", "state", "invalid")
    kept = {name: value for name, value in changes.items() if value is not None or name == "body"}
    pulls.edit(call.state, call.repository, one, call.account, kept)
    return _shown(call, one)


def list_files(call: Call) -> Reply:
    """What it changes, file by file."""
    which, one = call.repository, _pull(call)
    sha = show.part(one).head_sha
    return page(call, show.files(which, one), view=lambda d: commits.diff_entry(call.links, which, d, sha))


def list_commits(call: Call) -> Reply:
    """Its commits, oldest first."""
    which, pull = call.repository, show.part(_pull(call))
    every = history.log(which.git_dir, f"{show.base_of(which, pull)}..{pull.head_sha}")[::-1]
    return page(call, every, view=lambda c: commits.summary(call.state, call.links, which, c))


def list_reviews(call: Call) -> Reply:
    """Its reviews, oldest first."""
    one = _pull(call)
    return page(call, show.part(one).reviews, view=lambda r: show.review(call.links, call.repository, one, r))


def create_review(call: Call) -> Reply:
    """A review with its line comments."""
    one = _pull(call)
    made = pulls.review(call.state, call.repository, one, call.account, call.fields)
    return Reply(200, show.review(call.links, call.repository, one, made))


def list_review_comments(call: Call) -> Reply:
    """Comments on lines."""
    one = _pull(call)
    every = show.part(one).comments
    return page(call, every, view=lambda c: show.review_comment(call.links, call.repository, one, c))


def create_review_comment(call: Call) -> Reply:
    """One comment on a line of the diff."""
    one = _pull(call)
    for name in _LINE_FIELDS:
        call.text(name)
    if "line" not in call.fields and "position" not in call.fields and call.fields.get("subject_type") != "file":
        raise malformed('"line" wasn\'t supplied.')
    new = pulls.line_comment(call.state, call.repository, one, call.account, call.fields)
    show.part(one).comments.append(new)
    pulls.tell_line_comment(call.state, call.repository, one, new)
    return Reply(201, show.review_comment(call.links, call.repository, one, new))


def request_reviewers(call: Call) -> Reply:
    """Asks people for a review; they must be able to see the repository."""
    one = _pull(call)
    pull, which = show.part(one), call.repository
    for login in call.fields.get("reviewers") or ():
        who = call.state.accounts.get(login.lower())
        if who is None or call.state.role(which, who) in ("none", "read") or who is one.user:
            raise Refused(422, _NOT_COLLABORATORS)
        if who not in pull.reviewers:
            pull.reviewers.append(who)
            asked = accounts.account(call.links, who)
            issues.tell(call.state, which, one, call.account, "review_requested", requested_reviewer=asked)
    return Reply(201, show.simple(call.state, call.links, which, one))


def merge(call: Call) -> Reply:
    """Merges it; the base branch moves."""
    sha = land(call.state, call.repository, _pull(call), call.account, call.fields)
    return Reply(200, {"sha": sha, "merged": True, "message": "Pull Request successfully merged"})


_PULLS = "/repos/{owner}/{repo}/pulls"
_PULL = f"{_PULLS}/{{number:int}}"
ROUTES = (
    Route("GET", _PULLS, _READ, list_pulls),
    Route("POST", _PULLS, _WRITE, create_pull),
    Route("GET", _PULL, _READ, get_pull),
    Route("PATCH", _PULL, _WRITE, edit_pull),
    Route("GET", f"{_PULL}/files", _READ, list_files),
    Route("GET", f"{_PULL}/commits", _READ, list_commits),
    Route("GET", f"{_PULL}/reviews", _READ, list_reviews),
    Route("POST", f"{_PULL}/reviews", _WRITE, create_review),
    Route("GET", f"{_PULL}/comments", _READ, list_review_comments),
    Route("POST", f"{_PULL}/comments", _WRITE, create_review_comment),
    Route("POST", f"{_PULL}/requested_reviewers", _WRITE, request_reviewers),
    Route("PUT", f"{_PULL}/merge", "contents=write", merge),
)
