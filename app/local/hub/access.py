"""Authentication of a REST request, and whether its caller may use the route."""

from __future__ import annotations

import time
from collections.abc import Mapping

from app.local.hub.calls import ANYONE, APP, TOKEN, Caller, Route, check_permissions
from app.local.hub.records import App, Repository
from app.local.hub.refusal import Refused, not_found
from app.local.hub.state import State
from app.local.hub.tokens import Token, check_app_jwt, credential


def identify(state: State, headers: Mapping[str, str]) -> Caller:
    """The caller by its Authorization header. Raises Refused 401 for a bad one."""
    value = credential(headers.get("authorization"))
    if value is None:
        return Caller()
    if not value.startswith("ghs_"):
        return Caller(app=_app_of(state, value), key="app")
    token = state.tokens.find(value)
    if token is None or token.installation_id not in state.installations:
        raise Refused(401, "Bad credentials")
    return Caller(app=state.app, token=token, key=f"installation {token.installation_id}")


def _app_of(state: State, value: str) -> App:
    if value.count(".") != 2:
        raise Refused(401, "Bad credentials")
    issuers = (str(state.app.id), state.app.client_id)
    check_app_jwt(value, state.keys.public_key, issuers, now=time.time())
    return state.app


def repository_for(state: State, caller: Caller, path: Mapping[str, str]) -> Repository | None:
    """The repository that the path names, if the caller may know of it. Raises Refused 404."""
    if "repo" not in path:
        return None
    repository = state.repository(f"{path['owner']}/{path['repo']}")
    if caller.token is not None and not reaches(state, caller.token, repository):
        raise not_found()
    return repository


def reaches(state: State, token: Token, repository: Repository) -> bool:
    """True if `repository` is within the token's reach (and still within its installation's)."""
    installation = state.installations.get(token.installation_id)
    return installation is not None and repository.id in installation.repository_ids & token.repository_ids


def authorize(route: Route, caller: Caller) -> None:
    """Refuses the wrong kind of credential, then the too narrow one."""
    if route.needs == ANYONE:
        return
    if route.needs == APP:
        if caller.app is None or caller.token is not None:
            raise Refused(401, "A JSON web token could not be decoded")
        return
    if caller.token is None:
        raise Refused(401, "Bad credentials" if caller.app else "Requires authentication")
    if route.needs != TOKEN:
        check_permissions(caller.token, route.needs)
