"""One REST request as a route sees it, what it answers, and how both become HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from app.local.hub.links import Links
from app.local.hub.records import Account, App, Body, Repository
from app.local.hub.refusal import Refused, invalid, malformed
from app.local.hub.state import State
from app.local.hub.tokens import Token

BODY_LIMIT = 65_536  # characters of an issue's, pull request's or comment's body
_PER_PAGE, _MOST = 30, 100


@dataclass(frozen=True)
class Caller:
    """Who asks: an App by its JWT (`app`), or an installation by its token (`app` and `token`), or nobody."""

    app: App | None = None
    token: Token | None = None
    key: str = "anonymous"  # what the rate limit is counted on


@dataclass(frozen=True)
class Call:
    """A request that passed authentication and the permission check."""

    state: State
    links: Links
    caller: Caller
    path: Mapping[str, Any]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    url: str  # address asked, without the query
    repository_or_none: Repository | None = None

    @property
    def repository(self) -> Repository:
        """The repository in the path."""
        assert self.repository_or_none is not None
        return self.repository_or_none

    @property
    def account(self) -> Account:
        """The account that acts: the App's bot."""
        assert self.caller.app is not None
        return self.caller.app.bot

    @property
    def fields(self) -> Body:
        """The body, which must be an object (none counts as an empty one)."""
        if self.body is None:
            return {}
        if not isinstance(self.body, dict):
            raise malformed("For 'links/schema', the body is not an object.")
        return self.body

    def text(self, name: str) -> str:
        """A required text of the body. Raises Refused 422."""
        if name not in self.fields:
            raise malformed(f'"{name}" wasn\'t supplied.')
        value = self.fields[name]
        if not isinstance(value, str):
            raise malformed(f"For 'properties/{name}', {json.dumps(value)} is not a string.")
        return value

    def require(self, permissions: str) -> None:
        """Refuses with 403 unless the token has one of `permissions` (written as in the header)."""
        check_permissions(self.caller.token, permissions)


@dataclass(frozen=True)
class Reply:
    """An answer: `body` as JSON, or `raw` bytes as they are, or nothing."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None

    def content(self) -> bytes:
        """The body's bytes."""
        if self.raw is not None:
            return self.raw
        return b"" if self.status in (204, 304) else json.dumps(self.body, ensure_ascii=False).encode()


Act = Callable[[Call], Reply]
APP, ANYONE, TOKEN = "app", "anyone", "token"  # what a route may ask for instead of permissions


@dataclass(frozen=True)
class Route:
    """`needs` is APP (a JWT), ANYONE, TOKEN (any installation token), or permissions as
    `X-Accepted-GitHub-Permissions` writes them: `issues=write; pull_requests=write` are alternatives."""

    method: str
    path: str
    needs: str
    act: Act


def check_permissions(token: Token | None, needs: str) -> None:
    """Raises Refused 403, with the header that names what is needed, unless `token` has it."""
    for alternative in needs.split(";"):
        pairs = [pair.strip().split("=") for pair in alternative.split(",")]
        if token is not None and all(token.allows(name, level) for name, level in pairs):
            return
    raise Refused(403, "Resource not accessible by integration", headers={"X-Accepted-GitHub-Permissions": needs})


def limited(resource: str, text: str | None) -> str | None:
    """`text`, if it is no longer than GitHub takes. Raises Refused 422."""
    if text is not None and len(text) > BODY_LIMIT:
        raise invalid(resource, "body", "custom", f"body is too long (maximum is {BODY_LIMIT} characters)")
    return text


def choice(call: Call, name: str, default: str) -> str:
    """A query parameter."""
    return call.query.get(name) or default


def number(call: Call, name: str, default: int) -> int:
    """A whole number of the query."""
    value = call.query.get(name, "")
    return int(value) if value.isdigit() else default


def page(call: Call, items: Sequence[Any], *, wrap: str | None = None, view: Callable[[Any], Body]) -> Reply:
    """The asked page of `items`, each shown by `view`, with GitHub's Link header; `wrap` names the list in an
    object with total_count."""
    per_page = min(max(number(call, "per_page", _PER_PAGE), 1), _MOST)
    at = max(number(call, "page", 1), 1)
    shown = [view(item) for item in items[(at - 1) * per_page : at * per_page]]
    last = max((len(items) + per_page - 1) // per_page, 1)
    body: Any = shown if wrap is None else {"total_count": len(items), wrap: shown}
    return Reply(200, body, _link_header(call, at, last))


def _link_header(call: Call, at: int, last: int) -> dict[str, str]:
    pages = {"prev": at - 1, "next": at + 1, "last": last, "first": 1}
    wanted = {r: p for r, p in pages.items() if 1 <= p <= last and (r in ("prev", "first")) == (p < at) and p != at}
    links = [f'<{call.url}?{urlencode({**call.query, "page": p})}>; rel="{r}"' for r, p in wanted.items()]
    return {"Link": ", ".join(links)} if links else {}
