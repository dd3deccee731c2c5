"""Accounts, Apps and installations as REST shows them. Pure."""

from __future__ import annotations

from app.local.hub.links import Links
from app.local.hub.records import Account, App, Body, Installation, Repository
from app.local.hub.state import node_id

_BELOW = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}


def account(links: Links, who: Account) -> Body:
    """simple-user."""
    base = links.user(who.login)
    page = f"apps/{who.login.removesuffix('[bot]')}" if who.kind == "Bot" else who.login
    return {
        "login": who.login,
        "id": who.id,
        "node_id": node_id("U", who.id),
        "avatar_url": f"{links.web}/static/avatar.svg?u={who.id}",
        "gravatar_id": "",
        "url": base,
        "html_url": f"{links.web}/{page}",
        **{name: base + rest for name, rest in _BELOW.items()},
        "type": who.kind,
        "user_view_type": "public",
        "site_admin": False,
    }


def maybe(links: Links, who: Account | None) -> Body | None:
    """simple-user or null."""
    return account(links, who) if who else None


def public_account(links: Links, who: Account) -> Body:
    """public-user."""
    absent = dict.fromkeys(("company", "location", "email", "hireable", "bio", "twitter_username"))
    counts = dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0)
    dates = {"created_at": who.created_at, "updated_at": who.created_at}
    return {**account(links, who), "name": who.login, "blog": "", **absent, **counts, **dates}


def organization(links: Links, who: Account) -> Body:
    """The `organization` of a webhook payload."""
    base = f"{links.api}/orgs/{who.login}"
    rest = ("repos", "events", "hooks", "issues")
    return {
        "login": who.login,
        "id": who.id,
        "node_id": node_id("O", who.id),
        "url": base,
        **{f"{name}_url": f"{base}/{name}" for name in rest},
        "members_url": f"{base}/members{{/member}}",
        "public_members_url": f"{base}/public_members{{/member}}",
        "avatar_url": f"{links.web}/static/avatar.svg?u={who.id}",
        "description": "",
    }


def app(links: Links, which: App, *, installations: int | None = None) -> Body:
    """integration."""
    body = {
        "id": which.id,
        "client_id": which.client_id,
        "slug": which.slug,
        "node_id": node_id("A", which.id),
        "owner": account(links, which.owner),
        "name": which.name,
        "description": "",
        "external_url": which.url,
        "html_url": f"{links.web}/apps/{which.slug}",
        "created_at": which.created_at,
        "updated_at": which.created_at,
        "permissions": dict(which.permissions),
        "events": list(which.events),
    }
    return body if installations is None else {**body, "installations_count": installations}


def installation(links: Links, which: Installation, of: App) -> Body:
    """installation."""
    base = f"{links.api}/app/installations/{which.id}"
    return {
        "id": which.id,
        "client_id": of.client_id,
        "account": account(links, which.account),
        "repository_selection": "selected",
        "access_tokens_url": f"{base}/access_tokens",
        "repositories_url": f"{links.api}/installation/repositories",
        "html_url": f"{links.web}/settings/installations/{which.id}",
        "app_id": of.id,
        "app_slug": of.slug,
        "target_id": which.account.id,
        "target_type": which.account.kind,
        "permissions": dict(of.permissions),
        "events": list(of.events),
        "created_at": which.created_at,
        "updated_at": which.created_at,
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None,
        "suspended_at": None,
    }


def permission(links: Links, who: Account, role: str, repository: Repository) -> Body:
    """repository-collaborator-permission; `role` is folded into the four older words for `permission`."""
    folded = {"maintain": "write", "triage": "read"}.get(role, role)
    rank = ("none", "read", "triage", "write", "maintain", "admin").index(role)
    levels = ("pull", "triage", "push", "maintain", "admin")
    flags = {name: rank > at for at, name in enumerate(levels)}
    user = {**account(links, who), "permissions": flags, "role_name": role}
    return {"permission": folded, "user": user, "role_name": role}
