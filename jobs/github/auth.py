"""The App's key, and installation tokens exchanged for it: as narrow as asked, renewed early, revoked after use."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from jobs.errors import EnvironmentFault, UserError
from jobs.github.errors import DeadCredential, NotFound, RateLimited, Rejected, Unclear
from jobs.github.values import AppIdentity, app_identity
from jobs.github.wire import Call, Patience, Wire, nothing, unfenced

_RENEW_BEFORE = timedelta(minutes=15)  # a clone, a long run and a push fit into what is left
_LEVELS = {"read": 1, "write": 2, "admin": 3}
Permissions = Mapping[str, str]


@dataclass(frozen=True)
class AppKey:
    """Who the App is. `app_id` is its number or its client id; `private_key` is PEM text."""

    app_id: str
    private_key: str = field(repr=False)


@dataclass(frozen=True)
class Token:
    """An installation token; opaque and of any length."""

    value: str = field(repr=False)
    expires_at: datetime
    permissions: Permissions


def read_key(source: str | Path) -> str:
    """The PEM text of an RSA private key, from its text (newlines may be written as \\n) or from a file.

    Raises UserError with one sentence that says what is wrong; never shows the key.
    """
    text = source if isinstance(source, str) and "-----BEGIN" in source else _read(Path(source))
    pem = text.replace("\\n", "\n").strip() + "\n"
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except TypeError:
        raise UserError("The App's private key is encrypted: give the PEM file as GitHub made it.") from None
    except (ValueError, UnsupportedAlgorithm):
        raise UserError("The App's private key is not readable: it must be the whole PEM file from GitHub.") from None
    if not isinstance(key, RSAPrivateKey):
        raise UserError("The App's private key is not an RSA key: give the PEM file as GitHub made it.")
    return pem


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except FileNotFoundError:
        raise UserError("The App's private key file does not exist: check GITHUB_APP_PRIVATE_KEY_FILE.") from None
    except (OSError, ValueError):
        raise UserError("The App's private key file can't be read: it must be a PEM text file.") from None


class AppCredential:
    """The App itself, by a signed statement that lives nine minutes."""

    def __init__(self, key: AppKey) -> None:
        self._key = key

    def headers(self) -> dict[str, str]:
        """A fresh statement. It is dated back a minute for clocks that run ahead of GitHub's."""
        issued = datetime.now(UTC) - timedelta(minutes=1)
        claims = {"iss": self._key.app_id, "iat": issued, "exp": issued + timedelta(minutes=10)}
        return {"Authorization": f"Bearer {jwt.encode(claims, self._key.private_key, algorithm='RS256')}"}

    def renew(self) -> bool:
        """Nothing to renew: each statement is new."""
        return False


class Tokens:
    """Exchanges the App's key for installation tokens of one repository."""

    def __init__(self, key: AppKey, api_url: str, *, patience: Patience | None = None) -> None:
        self.key = key
        self.api_url = api_url
        self.wire = Wire(api_url, AppCredential(key), patience=patience)
        self._identity: AppIdentity | None = None

    def identity(self) -> AppIdentity:
        """The App that the key belongs to; asked once."""
        if self._identity is None:
            self._identity = self.whoami()
        return self._identity

    def whoami(self) -> AppIdentity:
        """The same, asked anew. Raises DeadCredential for an id and a key that don't belong together."""
        try:
            return self.wire.get("/app", app_identity, what="the App itself")
        except NotFound as unknown:
            raise DeadCredential("GitHub knows no App with this id: check GITHUB_APP_ID.") from unknown

    def mint(self, installation_id: int, repository_id: int, permissions: Permissions) -> Token:
        """A new token for that repository with those permissions and nothing more.

        Raises EnvironmentFault where the App is not installed there, lacks a permission, or GitHub's answer is wider
        than what was asked (that token is revoked first).
        """
        path = f"/app/installations/{installation_id}/access_tokens"
        asked = {"repository_ids": [repository_id], "permissions": dict(permissions)}
        call = Call("POST", path, "token for the repository", body=asked)
        try:
            token, repositories = self.wire.write(call, _minted, guard=unfenced)
        except NotFound as gone:
            raise EnvironmentFault("The App is not installed here (any more), or GITHUB_APP_ID is wrong.") from gone
        except Rejected as refused:
            raise EnvironmentFault(
                f"The installation does not grant what Patchwright needs ({_listed(permissions)}): {refused}"
            ) from refused
        if not _within(token.permissions, permissions) or repositories - {repository_id}:
            self.revoke(token)
            raise EnvironmentFault("GitHub answered with a token wider than asked: it was revoked and not used.")
        return token

    def revoke(self, token: Token) -> None:
        """Ends the token's life now; one that is already dead is fine, one that can't be reached expires by itself."""
        wire = Wire(self.api_url, _Fixed(token), patience=replace(self.wire.patience, tries=1, limit_s=0))
        try:
            wire.write(Call("DELETE", "/installation/token", "revoking a token"), nothing, guard=unfenced)
        except (DeadCredential, NotFound, RateLimited, Unclear):
            return

    @contextmanager
    def borrowed(self, installation_id: int, repository_id: int, permissions: Permissions) -> Iterator[Token]:
        """A token that lives for one step only, such as a push."""
        token = self.mint(installation_id, repository_id, permissions)
        try:
            yield token
        finally:
            self.revoke(token)


class InstallationCredential:
    """The installation on one repository, by a token that is renewed well before it ends."""

    def __init__(self, tokens: Tokens, installation_id: int, repository_id: int, permissions: Permissions) -> None:
        self._tokens = tokens
        self._target = (installation_id, repository_id, dict(permissions))
        self._token: Token | None = None
        self._lock = threading.Lock()

    def token(self) -> Token:
        """A token with at least a quarter of an hour to live."""
        with self._lock:
            if self._token is None or self._token.expires_at - datetime.now(UTC) < _RENEW_BEFORE:
                self._token = self._tokens.mint(*self._target)
            return self._token

    def headers(self) -> dict[str, str]:
        """The token as GitHub wants it."""
        return {"Authorization": f"Bearer {self.token().value}"}

    def renew(self) -> bool:
        """Forgets the token; the next request gets a new one."""
        with self._lock:
            self._token = None
        return True


class _Fixed:
    def __init__(self, token: Token) -> None:
        self._token = token

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token.value}"}

    def renew(self) -> bool:
        return False


def _minted(answer: Any) -> tuple[Token, set[int]]:
    token = Token(answer["token"], _instant(answer["expires_at"]), dict(answer.get("permissions") or {}))
    return token, {int(repository["id"]) for repository in answer.get("repositories") or ()}


def _instant(text: str) -> datetime:
    """`2026-11-30T12:00:00Z`, with or without fractions of a second."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def _within(granted: Permissions, asked: Permissions) -> bool:
    # Reading metadata comes with every token, asked or not.
    allowed = {"metadata": "read", **asked}
    return all(_LEVELS.get(level, 9) <= _LEVELS.get(allowed.get(name, ""), 0) for name, level in granted.items())


def _listed(permissions: Permissions) -> str:
    return ", ".join(f"{name}: {level}" for name, level in sorted(permissions.items()))
