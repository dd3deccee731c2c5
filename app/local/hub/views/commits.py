"""Commits, trees, diffs and statuses as REST shows them. Reads the repository's objects."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from app.local.hub import history
from app.local.hub.history import Commit, FileDiff, Person
from app.local.hub.links import Links
from app.local.hub.records import Account, Body, Repository, Status
from app.local.hub.state import State, node_id
from app.local.hub.views import accounts, repositories

_STATUS = {"A": "added", "D": "removed", "M": "modified", "T": "changed"}
_UNSIGNED = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}


def person(who: Person) -> Body:
    """A git identity, its time in UTC."""
    moment = datetime.fromisoformat(who.date).astimezone(UTC)
    return {"name": who.name, "email": who.email, "date": moment.strftime("%Y-%m-%dT%H:%M:%SZ")}


def account_of(state: State, email: str) -> Account | None:
    """The account whose no-reply address `email` is."""
    login = email.partition("@")[0].partition("+")[2]
    found = state.accounts.get(login.lower())
    return found if found and found.email == email else None


def summary(state: State, links: Links, which: Repository, one: Commit) -> Body:
    """commit, as lists show it: without stats and files."""
    url = links.repo(which.full_name, "commits", one.sha)
    git_url = links.repo(which.full_name, "git/commits", one.sha)
    tree = {"sha": one.tree, "url": links.repo(which.full_name, "git/trees", one.tree)}
    page = links.page(which.full_name, "commit", one.sha)
    return {
        "sha": one.sha,
        "node_id": node_id("C", one.sha),
        "commit": {
            "author": person(one.author),
            "committer": person(one.committer),
            "message": one.message,
            "tree": tree,
            "url": git_url,
            "comment_count": 0,
            "verification": _UNSIGNED,
        },
        "url": url,
        "html_url": page,
        "comments_url": f"{url}/comments",
        "author": accounts.maybe(links, account_of(state, one.author.email)),
        "committer": accounts.maybe(links, account_of(state, one.committer.email)),
        "parents": [_parent(links, which, sha, "commits") for sha in one.parents],
    }


def commit(state: State, links: Links, which: Repository, one: Commit) -> Body:
    """commit with stats and files, against its first parent."""
    base = one.parents[0] if one.parents else history.empty_tree(which.git_dir)
    changed = history.changes(which.git_dir, base, one.sha)
    added = sum(d.change.added or 0 for d in changed)
    removed = sum(d.change.removed or 0 for d in changed)
    stats = {"total": added + removed, "additions": added, "deletions": removed}
    shown = [diff_entry(links, which, d, one.sha) for d in changed]
    return {**summary(state, links, which, one), "stats": stats, "files": shown}


def git_commit(links: Links, which: Repository, one: Commit) -> Body:
    """git-commit."""
    return {
        "sha": one.sha,
        "node_id": node_id("C", one.sha),
        "url": links.repo(which.full_name, "git/commits", one.sha),
        "html_url": links.page(which.full_name, "commit", one.sha),
        "author": person(one.author),
        "committer": person(one.committer),
        "tree": {"sha": one.tree, "url": links.repo(which.full_name, "git/trees", one.tree)},
        "message": one.message,
        "parents": [_parent(links, which, sha, "git/commits") for sha in one.parents],
        "verification": _UNSIGNED,
    }


def _parent(links: Links, which: Repository, sha: str, part: str) -> Body:
    page = links.page(which.full_name, "commit", sha)
    return {"sha": sha, "url": links.repo(which.full_name, part, sha), "html_url": page}


def simple_commit(one: Commit) -> Body:
    """simple-commit: what suites, workflow runs and push payloads carry."""
    names = {
        role: {"name": p.name, "email": p.email} for role, p in (("author", one.author), ("committer", one.committer))
    }
    when = person(one.committer)["date"]
    return {"id": one.sha, "tree_id": one.tree, "message": one.message, "timestamp": when, **names}


def diff_entry(links: Links, which: Repository, one: FileDiff, sha: str) -> Body:
    """diff-entry of a file at commit `sha`."""
    change = one.change
    added, removed = change.added or 0, change.removed or 0
    body = {
        "sha": change.old_blob if change.status == "D" else change.new_blob,
        "filename": change.path,
        "status": _STATUS[change.status],
        "additions": added,
        "deletions": removed,
        "changes": added + removed,
        "blob_url": links.page(which.full_name, "blob", sha, change.path),
        "raw_url": links.page(which.full_name, "raw", sha, change.path),
        "contents_url": links.repo(which.full_name, "contents", f"{change.path}?ref={sha}"),
    }
    return body if one.hunks is None else {**body, "patch": one.hunks}


def status(links: Links, which: Repository, one: Status) -> Body:
    """status, as the one that made it sees it."""
    return {**_simple_status(links, which, one), "creator": accounts.account(links, one.creator)}


def _simple_status(links: Links, which: Repository, one: Status) -> Body:
    return {
        "url": links.repo(which.full_name, "statuses", one.sha),
        "avatar_url": accounts.account(links, one.creator)["avatar_url"],
        "id": one.id,
        "node_id": node_id("SC", one.id),
        "state": one.state,
        "description": one.description,
        "target_url": one.target_url or "",
        "context": one.context,
        "created_at": one.created_at,
        "updated_at": one.created_at,
    }


def combined_status(links: Links, which: Repository, sha: str) -> Body:
    """combined-commit-status: the newest of each context; pending if there is none."""
    newest: Mapping[str, Status] = {s.context: s for s in which.statuses if s.sha == sha}
    states = {s.state for s in newest.values()}
    worst = (
        "failure" if states & {"failure", "error"} else "pending" if "pending" in states or not states else "success"
    )
    url = links.repo(which.full_name, "commits", sha)
    return {
        "state": worst,
        "statuses": [_simple_status(links, which, s) for s in newest.values()],
        "sha": sha,
        "total_count": len(newest),
        "repository": repositories.minimal(links, which),
        "commit_url": url,
        "url": f"{url}/status",
    }
