"""The repository itself: branches, their protection, and single files of its default branch."""

from __future__ import annotations

from functools import cached_property
from typing import Any
from urllib.parse import quote

from jobs.errors import UserError
from jobs.github import values
from jobs.github.errors import NotFound
from jobs.github.scope import Scope
from jobs.github.values import Actor, Branch, Repository


class Code(Scope):
    """The code part of the client."""

    @cached_property
    def repository(self) -> Repository:
        """The repository as GitHub names it; asked once."""
        return self._wire.get(f"/repos/{self.full_name}", values.repository, what=f"repository {self.full_name}")

    @property
    def default_branch(self) -> str:
        """The default branch's name."""
        return self.repository.default_branch

    def branch(self, name: str) -> Branch | None:
        """A branch with its tip and protection; None if there is none."""
        try:
            return self._wire.get(self._path("branches", name), values.branch, what=f"branch {name}")
        except NotFound:
            return None

    def branch_head(self, name: str) -> str | None:
        """The commit that a branch points to; None if there is no such branch."""
        path = f"{self._path('git', 'ref', 'heads')}/{quote(name)}"
        try:
            return self._wire.get(path, lambda data: str(data["object"]["sha"]), what=f"branch {name}")
        except NotFound:
            return None

    def branches(self, prefix: str) -> dict[str, str]:
        """Branches whose names begin with `prefix`, each with its commit."""
        path = f"{self._path('git', 'matching-refs', 'heads')}/{quote(prefix)}"
        return self._wire.get(path, _tips, what=f"branches {prefix}…")

    def committer(self, sha: str) -> str:
        """The committer's address of a commit."""
        path = self._path("git", "commits", sha)
        return self._wire.get(path, lambda data: str(data["committer"]["email"]), what=f"commit {sha}")

    def rules(self, branch: str) -> frozenset[str]:
        """The types of the rules that hold for a branch (`required_signatures`, `pull_request` …)."""
        path = self._path("rules", "branches", branch)
        try:
            return frozenset(self._wire.pages(path, lambda rule: str(rule["type"]), what=f"rules of {branch}"))
        except NotFound:  # servers that know no rulesets
            return frozenset()

    def file(self, path: str, ref: str | None = None) -> bytes | None:
        """One file's bytes at `ref` (default branch if None); None if there is none.

        Raises UserError where the path is no plain file of at most 1 MB.
        """
        route = f"{self._path('contents')}/{quote(path)}"
        try:
            data = self._wire.get(route, lambda found: found, {"ref": ref} if ref else None, what=path)
        except NotFound:
            return None
        try:
            return values.content(data)
        except (KeyError, ValueError):
            raise UserError(f"{path} is not a plain file of at most 1 MB.") from None

    def bot(self) -> Actor:
        """The account under which the App writes (its id is part of its commit address)."""
        login = self.tokens.identity().bot_login
        return self._wire.get(f"/users/{quote(login, safe='')}", values.actor, what=f"account {login}")


def _tips(refs: list[Any]) -> dict[str, str]:
    return {str(ref["ref"]).removeprefix("refs/heads/"): str(ref["object"]["sha"]) for ref in refs}
