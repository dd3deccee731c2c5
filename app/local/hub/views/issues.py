"""Issues, comments, labels and reactions as REST shows them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.local.hub.links import Links
from app.local.hub.records import Account, Body, Comment, Issue, Label, Reaction, Repository
from app.local.hub.state import State, node_id
from app.local.hub.views import accounts

CONTENTS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def label(links: Links, which: Repository, one: Label) -> Body:
    """label."""
    return {
        "id": one.id,
        "node_id": node_id("LA", one.id),
        "url": links.repo(which.full_name, "labels", one.name),
        "name": one.name,
        "color": one.color,
        "default": False,
        "description": one.description,
    }


def reaction(links: Links, one: Reaction) -> Body:
    """reaction."""
    return {
        "id": one.id,
        "node_id": node_id("REA", one.id),
        "user": accounts.account(links, one.user),
        "content": one.content,
        "created_at": one.created_at,
    }


def rollup(url: str, reactions: Sequence[Reaction]) -> Body:
    """reaction-rollup of the subject at `url`."""
    counts = {content: sum(r.content == content for r in reactions) for content in CONTENTS}
    return {"url": f"{url}/reactions", "total_count": len(reactions), **counts}


def association(which: Repository, who: Account) -> str:
    """How the author stands to the repository; says nothing of permissions."""
    if who is which.owner:
        return "OWNER"
    granted = which.roles.get(who.login.lower(), "none")
    if granted not in ("none", "read"):
        return "MEMBER" if which.owner.kind == "Organization" else "COLLABORATOR"
    return "CONTRIBUTOR" if who.kind == "Bot" else "NONE"


def comment(state: State, links: Links, which: Repository, one: Comment) -> Body:
    """issue-comment."""
    url = links.repo(which.full_name, "issues/comments", one.id)
    return {
        "url": url,
        "html_url": f"{_page(links, which, which.issues[one.number])}#issuecomment-{one.id}",
        "issue_url": links.repo(which.full_name, "issues", one.number),
        "id": one.id,
        "node_id": node_id("IC", one.id),
        "user": accounts.account(links, one.user),
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "author_association": association(which, one.user),
        "body": one.body,
        "reactions": rollup(url, one.reactions),
        "performed_via_github_app": accounts.app(links, state.app) if one.by_app else None,
    }


def issue(state: State, links: Links, which: Repository, one: Issue) -> Body:
    """issue (a pull request has `pull_request`)."""
    url = links.repo(which.full_name, "issues", one.number)
    body = {
        **_addresses(links, which, one, url),
        "id": one.id,
        "node_id": node_id("PR" if one.pull else "I", one.id),
        "number": one.number,
        "title": one.title,
        "user": accounts.account(links, one.user),
        "labels": [label(links, which, each) for each in one.labels],
        "state": one.state,
        "state_reason": one.state_reason,
        "locked": False,
        "active_lock_reason": None,
        "assignee": accounts.maybe(links, next(iter(one.assignees), None)),
        "assignees": [accounts.account(links, each) for each in one.assignees],
        "milestone": None,
        "comments": len(one.comments),
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "closed_at": one.closed_at,
        "closed_by": accounts.maybe(links, one.closed_by),
        "author_association": association(which, one.user),
        "body": one.body,
        "reactions": rollup(url, one.reactions),
        "performed_via_github_app": accounts.app(links, state.app) if one.by_app else None,
    }
    return body if one.pull is None else body | _pull_part(links, which, one)


def _addresses(links: Links, which: Repository, one: Issue, url: str) -> Body:
    return {
        "url": url,
        "repository_url": links.repo(which.full_name),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "timeline_url": f"{url}/timeline",
        "html_url": _page(links, which, one),
    }


def _page(links: Links, which: Repository, one: Issue) -> str:
    return links.page(which.full_name, "pull" if one.pull else "issues", one.number)


def _pull_part(links: Links, which: Repository, one: Issue) -> Body:
    assert one.pull is not None
    page = _page(links, which, one)
    where = {"url": links.repo(which.full_name, "pulls", one.number), "html_url": page}
    files = {"diff_url": f"{page}.diff", "patch_url": f"{page}.patch"}
    return {"draft": one.pull.draft, "pull_request": {**where, **files, "merged_at": one.pull.merged_at}}
