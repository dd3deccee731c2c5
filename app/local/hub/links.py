"""Addresses of things, on the base that the caller used. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Links:
    """`api` is the REST base (with or without /api/v3), `web` the base of pages and git, `files` another origin."""

    api: str
    web: str
    files: str

    def repo(self, full_name: str, *rest: object) -> str:
        """REST address below a repository."""
        return "/".join([f"{self.api}/repos/{full_name}", *map(str, rest)])

    def page(self, full_name: str, *rest: object) -> str:
        """Page below a repository."""
        return "/".join([f"{self.web}/{full_name}", *map(str, rest)])

    def user(self, login: str) -> str:
        """REST address of an account."""
        return f"{self.api}/users/{login}"
