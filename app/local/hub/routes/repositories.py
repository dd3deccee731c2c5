"""REST: a repository, its branches, rules and who may do what."""

from __future__ import annotations

from app.local.hub import history
from app.local.hub.calls import Call, Reply, Route, page
from app.local.hub.refusal import Refused, not_found
from app.local.hub.views import accounts, commits, repositories


def get(call: Call) -> Reply:
    """The repository."""
    return Reply(200, repositories.full(call.links, call.repository))


def list_branches(call: Call) -> Reply:
    """All branches by name."""
    which = call.repository
    tips = [
        (ref.removeprefix("refs/heads/"), sha) for ref, (_, sha) in history.refs(which.git_dir, "refs/heads/").items()
    ]
    wanted = {"true": True, "false": False}.get(call.query.get("protected", ""))
    shown = [tip for tip in tips if wanted is None or (tip[0] in which.rules) == wanted]
    return page(call, shown, view=lambda tip: repositories.short_branch(call.links, which, *tip))


def get_branch(call: Call) -> Reply:
    """One branch with its tip."""
    which, name = call.repository, call.path["branch"]
    sha = history.head(which.git_dir, name)
    if sha is None:
        raise Refused(404, "Branch not found")
    tip = commits.commit(call.state, call.links, which, history.commit(which.git_dir, sha))
    return Reply(200, repositories.branch(call.links, which, name, tip))


def branch_rules(call: Call) -> Reply:
    """The rules that hold for a branch, existing or not."""
    return page(call, repositories.rules(call.repository, call.path["branch"]), view=dict)


def permission(call: Call) -> Reply:
    """What a person may do here."""
    login = call.path["username"]
    who = call.state.accounts.get(login.lower())
    if who is None:
        raise Refused(404, f"{login} is not a user")
    role = call.state.role(call.repository, who)
    return Reply(200, accounts.permission(call.links, who, role, call.repository))


def is_collaborator(call: Call) -> Reply:
    """204 if the account was given a role, else 404."""
    who = call.state.account(call.path["username"])
    if who.login.lower() not in call.repository.roles and who is not call.repository.owner:
        raise not_found()
    return Reply(204)


_REPO = "/repos/{owner}/{repo}"
ROUTES = (
    Route("GET", _REPO, "metadata=read", get),
    Route("GET", f"{_REPO}/branches", "contents=read", list_branches),
    Route("GET", f"{_REPO}/branches/{{branch:path}}", "contents=read", get_branch),
    Route("GET", f"{_REPO}/rules/branches/{{branch:path}}", "metadata=read", branch_rules),
    Route("GET", f"{_REPO}/collaborators/{{username}}/permission", "metadata=read", permission),
    Route("GET", f"{_REPO}/collaborators/{{username}}", "metadata=read", is_collaborator),
)
