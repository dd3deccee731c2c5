"""A hub with one repository and a client on it, as the product would use them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.local.hub.server import Hub
from jobs.github.app import App
from jobs.github.auth import AppKey, Tokens
from jobs.github.client import GitHub
from jobs.github.wire import Patience

NAME = "acme/tool"
WANTED = {"contents": "write", "issues": "write", "pull_requests": "write", "checks": "write"}
QUICK = Patience(tries=3, first_delay_s=0.02, limit_s=3.0)
FILES: Mapping[str, str] = {"tool.py": "def two():\n    return 1\n", "README.md": "# Tool\n"}


@dataclass(frozen=True)
class World:
    """`github` may write what the product writes; `repository_id` is the one repository's."""

    hub: Hub
    tokens: Tokens
    github: GitHub
    repository_id: int

    @property
    def app(self) -> App:
        """The App behind the key."""
        return App(self.tokens)

    def client(self, permissions: Mapping[str, str]) -> GitHub:
        """Another client with other permissions."""
        return self.app.repository(self.repository_id, NAME, self.hub.installation_id(NAME), permissions)


@contextmanager
def world(root: Path) -> Iterator[World]:
    """A started hub with `acme/tool`, whose maintainer is ann and whose reader is rob."""
    with Hub(root) as hub:
        repository_id = int(hub.add_repository(NAME, FILES))
        hub.grant(NAME, "ann", "maintain")
        hub.grant(NAME, "rob", "read")
        tokens = Tokens(AppKey(str(hub.app_id), hub.private_key), hub.url, patience=QUICK)
        github = GitHub(tokens, hub.url, repository_id, NAME, hub.installation_id(NAME), WANTED)
        yield World(hub, tokens, github, repository_id)


def routes(hub: Hub, method: str = "") -> list[str]:
    """`METHOD path` of every request so far, of one method or of all."""
    return [f"{r.method} {r.route}" for r in hub.requests if method in ("", r.method)]
