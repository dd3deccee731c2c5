"""Repositories, branches, refs and rules as REST shows them. Pure."""

from __future__ import annotations

from app.local.hub.links import Links
from app.local.hub.records import Body, Repository
from app.local.hub.state import node_id
from app.local.hub.views.accounts import account

_BELOW = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
_ZEROS = ("forks_count", "stargazers_count", "watchers_count", "size", "forks", "watchers")
_FALSE = ("has_projects", "has_wiki", "has_pages", "has_discussions", "archived", "disabled", "is_template")


def minimal(links: Links, which: Repository) -> Body:
    """minimal-repository."""
    base = links.repo(which.full_name)
    return {
        "id": which.id,
        "node_id": node_id("R", which.id),
        "name": which.name,
        "full_name": which.full_name,
        "owner": account(links, which.owner),
        "private": which.private,
        "html_url": links.page(which.full_name),
        "description": None,
        "fork": which.parent is not None,
        "url": base,
        **{name: base + rest for name, rest in _BELOW.items()},
    }


def repository(links: Links, which: Repository) -> Body:
    """repository: what lists, tokens, pull requests and payloads carry."""
    page = links.page(which.full_name)
    opened = sum(issue.state == "open" for issue in which.issues.values())
    return {
        **minimal(links, which),
        "clone_url": f"{page}.git",
        "git_url": f"{page}.git".replace("http://", "git://", 1),
        "ssh_url": f"git@localhost:{which.full_name}.git",
        "svn_url": page,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "topics": [],
        "default_branch": which.default_branch,
        "visibility": "private" if which.private else "public",
        "open_issues": opened,
        "open_issues_count": opened,
        "has_issues": True,
        "has_downloads": True,
        **dict.fromkeys(_ZEROS, 0),
        **dict.fromkeys(_FALSE, False),
        "allow_forking": True,
        "web_commit_signoff_required": False,
        "pushed_at": which.pushed_at,
        "created_at": which.created_at,
        "updated_at": which.pushed_at,
    }


def full(links: Links, which: Repository) -> Body:
    """full-repository: one repository asked for by name."""
    body = {
        **repository(links, which),
        "subscribers_count": 0,
        "network_count": 0,
        "permissions": {"admin": False, "maintain": False, "push": True, "triage": True, "pull": True},
        "allow_merge_commit": True,
        "allow_squash_merge": True,
        "allow_rebase_merge": True,
        "allow_auto_merge": False,
        "delete_branch_on_merge": False,
    }
    if which.owner.kind == "Organization":
        body["organization"] = account(links, which.owner)
    if which.parent is not None:
        body |= {"parent": repository(links, which.parent), "source": repository(links, which.parent)}
    return body


def short_branch(links: Links, which: Repository, name: str, sha: str) -> Body:
    """short-branch."""
    commit = {"sha": sha, "url": links.repo(which.full_name, "commits", sha)}
    return {"name": name, "commit": commit, "protected": name in which.rules}


def branch(links: Links, which: Repository, name: str, commit: Body) -> Body:
    """branch-with-protection."""
    base = links.repo(which.full_name, "branches", name)
    protected = name in which.rules
    checks: Body = {"enforcement_level": "off", "contexts": [], "checks": []}
    return {
        "name": name,
        "commit": commit,
        "_links": {"self": base, "html": links.page(which.full_name, "tree", name)},
        "protected": protected,
        "protection": {"enabled": protected, "required_status_checks": checks},
        "protection_url": f"{base}/protection",
    }


def ref(links: Links, which: Repository, name: str, kind: str, sha: str) -> Body:
    """git-ref; `name` is the full name."""
    url = links.repo(which.full_name, "git", name)
    target = {"sha": sha, "type": kind, "url": links.repo(which.full_name, "git", f"{kind}s", sha)}
    return {"ref": name, "node_id": node_id("REF", f"{which.id}:{name}"), "url": url, "object": target}


def rules(which: Repository, name: str) -> list[Body]:
    """The rules that hold for a branch, with the ruleset that they stand for."""
    source = {"ruleset_source_type": "Repository", "ruleset_source": which.full_name, "ruleset_id": which.id}
    return [{**rule, **source} for rule in which.rules.get(name, ())]
