"""One installation on one repository: the paths, the credential and the fence that all its calls share."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Self, TypeVar
from urllib.parse import quote

from jobs.errors import UserError
from jobs.github.auth import InstallationCredential, Token, Tokens
from jobs.github.errors import Unclear
from jobs.github.wire import Call, Guard, Wire, unfenced

T = TypeVar("T")
# Multiples of the first delay; GitHub may still be writing while its answer is already lost.
_LOOK_AFTER = (2, 6)
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+", re.ASCII)


class Scope:
    """Base of the client's parts; `full_name` is owner/name as GitHub last said it."""

    def __init__(
        self,
        tokens: Tokens,
        api_url: str,
        repository_id: int,
        full_name: str,
        installation_id: int,
        permissions: Mapping[str, str],
    ) -> None:
        if not _NAME.fullmatch(full_name):
            raise UserError(f"{full_name!r} is not a repository's owner/name.")
        self.tokens = tokens
        self.repository_id = repository_id
        self.full_name = full_name
        self.installation_id = installation_id
        self._credential = InstallationCredential(tokens, installation_id, repository_id, permissions)
        self._wire = Wire(api_url, self._credential, patience=tokens.wire.patience)
        self._guard: Guard = unfenced

    def fenced(self, guard: Guard) -> Self:
        """The same client, whose every write calls `guard` right before it is sent; `guard` raises Fenced."""
        other = copy.copy(self)
        other._guard = guard
        return other

    def token(self) -> Token:
        """The installation token in use, with at least a quarter of an hour to live (for fetches)."""
        return self._credential.token()

    @property
    def owner(self) -> str:
        """The account that owns the repository."""
        return self.full_name.partition("/")[0]

    def _path(self, *parts: str | int) -> str:
        """A path below the repository; every part is one segment."""
        return "/".join((f"/repos/{self.full_name}", *(quote(str(part), safe="") for part in parts)))

    def _write(
        self,
        method: str,
        path: str,
        shape: Callable[[Any], T],
        body: Mapping[str, Any] | None = None,
        *,
        what: str,
    ) -> T:
        """A change that done twice is the same as once."""
        return self._wire.write(Call(method, path, what, body=body), shape, guard=self._guard)

    def _create(self, call: Call, shape: Callable[[Any], T], look: Callable[[], T | None]) -> T:
        """A change that must not be done twice: after an unclear answer `look` first, and only then once more."""
        try:
            return self._wire.write(call, shape, guard=self._guard)
        except Unclear as unclear:
            if not unclear.sent:
                raise
        for times in _LOOK_AFTER:
            time.sleep(times * self._wire.patience.first_delay_s)
            if (found := look()) is not None:
                return found
        return self._wire.write(call, shape, guard=self._guard)
