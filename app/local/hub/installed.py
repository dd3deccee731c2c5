"""The hub's App: its keys, what it is granted, where it is installed, its tokens."""

from __future__ import annotations

import time
from dataclasses import replace

from app.local.hub.records import Body
from app.local.hub.registration import Registration
from app.local.hub.routes.apps import mint
from app.local.hub.state import State
from jobs.errors import UserError


class Installed:
    """Reads and changes of the App."""

    _state: State
    _registration: Registration

    @property
    def app_id(self) -> int:
        """The App's id."""
        return self._state.app.id

    @property
    def private_key(self) -> str:
        """The App's private key, PEM."""
        return self._state.keys.private_key

    @property
    def webhook_secret(self) -> str:
        """What signs the webhooks."""
        return self._state.keys.webhook_secret

    def allow(self, **permissions: str) -> None:
        """Changes what the App is granted: `hub.allow(workflows="write")`; `"none"` takes away."""
        with self._state.lock:
            granted = self._state.app.permissions | permissions
            self._state.app.permissions = {name: level for name, level in granted.items() if level != "none"}

    def register(self, manifest: Body) -> str:
        """What submitting the registration form does: the hub's App takes what the manifest asks for; the code."""
        with self._state.lock:
            return self._registration.accept(manifest)

    def installation_id(self, full_name: str) -> int:
        """The installation that covers a repository. Raises UserError if none does."""
        with self._state.lock:
            found = self._state.installation_of(self._state.repository(full_name))
            if found is None:
                raise UserError(f"The App is not installed on {full_name}.")
            return found.id

    def token(self, full_name: str, **permissions: str) -> str:
        """An installation token for one repository, with all that the App may or just `permissions`."""
        with self._state.lock:
            which = self._state.repository(full_name)
            found = self._state.installations[self.installation_id(full_name)]
            held = {"metadata": "read", **(permissions or self._state.app.permissions)}
            return mint(self._state, found, frozenset({which.id}), held, selected=True).value

    @property
    def token_ttl(self) -> float:
        """How long new tokens live, in seconds."""
        return self._state.tokens.ttl_s

    @token_ttl.setter
    def token_ttl(self, seconds: float) -> None:
        self._state.tokens.ttl_s = seconds

    def revoke_tokens(self) -> None:
        """Every token given so far stops working."""
        with self._state.lock:
            self._state.tokens.given.clear()

    def expire_tokens(self) -> None:
        """Every token given so far is past its end."""
        with self._state.lock:
            given = self._state.tokens.given
            given.update({value: replace(token, expires_at=time.time() - 1) for value, token in given.items()})

    def uninstall(self, full_name: str) -> None:
        """Takes the App off a repository."""
        with self._state.lock:
            which = self._state.repository(full_name)
            for installation in self._state.installations.values():
                installation.repository_ids.discard(which.id)
