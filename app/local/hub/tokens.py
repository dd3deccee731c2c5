"""Who a request comes from: App JWTs verified, installation tokens minted, looked up and revoked."""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import jwt

from app.local.hub.refusal import Refused

_UNREADABLE = "A JSON web token could not be decoded"
_LONGEST_S = 600  # an App's JWT may expire at most ten minutes ahead
_SKEW_S = 60  # GitHub tolerates clocks a little fast


@dataclass(frozen=True)
class Token:
    """An installation token: its reach and its end (seconds since the epoch)."""

    value: str
    installation_id: int
    repository_ids: frozenset[int]
    permissions: Mapping[str, str]
    expires_at: float
    selected: bool  # narrowed to some repositories by the one who asked

    def allows(self, permission: str, level: str) -> bool:
        """True if it may do `level` (read, write) on `permission`."""
        held = self.permissions.get(permission, "none")
        return _RANK.get(held, 0) >= _RANK[level]


_RANK = {"read": 1, "write": 2, "admin": 3}


@dataclass
class Tokens:
    """The installation tokens given out; `ttl_s` is how long new ones live."""

    ttl_s: float = 3600.0
    given: dict[str, Token] = field(default_factory=dict)

    def find(self, value: str) -> Token | None:
        """The live token with that value."""
        token = self.given.get(value)
        return token if token and token.expires_at > time.time() else None

    def add(self, token: Token) -> Token:
        """Remembers `token`."""
        self.given[token.value] = token
        return token

    def revoke(self, value: str) -> None:
        """Forgets one token."""
        self.given.pop(value, None)


def new_value(app_id: int) -> str:
    """A token text in the long form: prefix, App id and three dotted parts that only the server understands."""
    header = {"alg": "ES256", "typ": "JWT"}
    parts = [json.dumps(header).encode(), secrets.token_bytes(120), secrets.token_bytes(64)]
    dotted = ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)
    return f"ghs_{app_id}_{dotted}"


def check_app_jwt(value: str, public_key: str, issuers: tuple[str, ...], *, now: float) -> None:
    """Verifies an App's JWT as GitHub does. Raises Refused 401 (404 for an unknown issuer)."""
    checks_of_ours = dict.fromkeys(("verify_exp", "verify_iat", "verify_nbf", "verify_iss", "verify_aud"), False)
    try:
        claims = jwt.decode(value, public_key, algorithms=["RS256"], options=checks_of_ours)  # type: ignore[arg-type] # dict, not its TypedDict
    except jwt.PyJWTError as bad:
        raise Refused(401, _UNREADABLE) from bad
    if str(claims.get("iss")) not in issuers:
        raise Refused(404, "Integration not found")
    _check_times(claims, now)


def _check_times(claims: Mapping[str, Any], now: float) -> None:
    issued, expires = claims.get("iat"), claims.get("exp")
    if not isinstance(expires, int | float) or expires <= now:
        raise Refused(
            401,
            "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the"
            " assertion expires",
        )
    if expires > now + _LONGEST_S:
        raise Refused(401, "'Expiration time' claim ('exp') is too far in the future")
    if not isinstance(issued, int) or issued > now + _SKEW_S:
        raise Refused(
            401,
            "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
        )


def credential(header: str | None) -> str | None:
    """The secret in an Authorization header of REST (`Bearer x`, `token x`), or None without one."""
    scheme, _, value = (header or "").partition(" ")
    if scheme.lower() in ("bearer", "token") and value:
        return value.strip()
    if header:
        raise Refused(401, "Bad credentials")
    return None
