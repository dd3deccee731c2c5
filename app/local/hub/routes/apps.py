"""REST: the App, its installations, tokens, webhook deliveries, and small things that need no repository."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from app.local.hub.calls import ANYONE, APP, TOKEN, Call, Reply, Route, number, page
from app.local.hub.deliveries import Delivery, Outbox
from app.local.hub.records import Body, Installation, Repository
from app.local.hub.refusal import Refused, not_found
from app.local.hub.state import State, stamp
from app.local.hub.tokens import Token, new_value
from app.local.hub.views import accounts, repositories

_RANK = {"read": 1, "write": 2, "admin": 3}


def get_app(call: Call) -> Reply:
    """The App that asks."""
    return Reply(200, accounts.app(call.links, call.state.app, installations=len(call.state.installations)))


def list_installations(call: Call) -> Reply:
    """Where the App is installed."""
    every = list(call.state.installations.values())
    return page(call, every, view=lambda i: accounts.installation(call.links, i, call.state.app))


def get_installation(call: Call) -> Reply:
    """One installation."""
    return Reply(200, accounts.installation(call.links, _installation(call), call.state.app))


def get_repository_installation(call: Call) -> Reply:
    """The installation that covers a repository."""
    found = call.state.installation_of(call.repository)
    if found is None:
        raise not_found()
    return Reply(200, accounts.installation(call.links, found, call.state.app))


def _installation(call: Call) -> Installation:
    found = call.state.installations.get(call.path["installation_id"])
    if found is None:
        raise not_found()
    return found


def create_token(call: Call) -> Reply:
    """A token for one installation, as narrow as asked."""
    installation, state = _installation(call), call.state
    chosen = _chosen(call, installation)
    permissions = _permissions(state, call.fields.get("permissions"))
    selected = chosen is not None
    reach = frozenset(r.id for r in chosen) if chosen is not None else frozenset(installation.repository_ids)
    token = mint(state, installation, reach, permissions, selected=selected)
    return Reply(201, _token(call, token))


def mint(
    state: State, installation: Installation, reach: frozenset[int], permissions: dict[str, str], *, selected: bool
) -> Token:
    """A new token, remembered."""
    expires_at = time.time() + state.tokens.ttl_s
    value = new_value(state.app.id)
    return state.tokens.add(Token(value, installation.id, reach, permissions, expires_at, selected))


def _chosen(call: Call, installation: Installation) -> list[Repository] | None:
    names, numbers = call.fields.get("repositories"), call.fields.get("repository_ids")
    if names is None and numbers is None:
        return None
    reachable = [call.state.repositories[i] for i in sorted(installation.repository_ids)]
    chosen = [r for r in reachable if r.id in (numbers or ()) or r.name in (names or ())]
    if len(chosen) < len({*(numbers or ()), *(names or ())}):
        raise Refused(
            422,
            "There is at least one repository that does not exist or is not accessible to the parent installation.",
        )
    return chosen


def _permissions(state: State, asked: dict[str, str] | None) -> dict[str, str]:
    granted = state.app.permissions
    for name, level in (asked or {}).items():
        if _RANK.get(level, 9) > _RANK.get(granted.get(name, ""), 0):
            raise Refused(422, "The permissions requested are not granted to this installation.")
    return {"metadata": "read", **(granted if asked is None else asked)}


def _token(call: Call, token: Token) -> Body:
    body: Body = {
        "token": token.value,
        "expires_at": stamp(token.expires_at),
        "permissions": dict(token.permissions),
        "repository_selection": "selected",
    }
    if not token.selected:
        return body
    shown = [repositories.repository(call.links, call.state.repositories[i]) for i in sorted(token.repository_ids)]
    return {**body, "repositories": shown}


def revoke_token(call: Call) -> Reply:
    """Ends the token that asks."""
    assert call.caller.token is not None
    call.state.tokens.revoke(call.caller.token.value)
    return Reply(204)


def list_token_repositories(call: Call) -> Reply:
    """The repositories that the token reaches."""
    token = call.caller.token
    assert token is not None
    every = [r for i, r in sorted(call.state.repositories.items()) if i in token.repository_ids]
    return page(call, every, wrap="repositories", view=lambda r: repositories.repository(call.links, r))


def rate_limit(call: Call) -> Reply:
    """What is left of this hour."""
    core = call.state.budget.overview(call.caller.key)
    return Reply(200, {"resources": {"core": core, "search": core, "graphql": core}, "rate": core})


def meta(call: Call) -> Reply:
    """About the server."""
    return Reply(200, {"verifiable_password_authentication": False})


def get_user(call: Call) -> Reply:
    """One account."""
    return Reply(200, accounts.public_account(call.links, call.state.account(call.path["username"])))


def convert_manifest(call: Call) -> Reply:
    """Turns the code of an App registration into the App's secrets, once."""
    state = call.state
    manifest = state.manifests.pop(call.path["code"], None)
    if manifest is None:
        raise not_found()
    secrets = {
        "client_secret": state.keys.client_secret,
        "webhook_secret": state.keys.webhook_secret,
        "pem": state.keys.private_key,
    }
    return Reply(201, {**accounts.app(call.links, state.app), **secrets})


class Deliveries:
    """The routes over the webhook record of `outbox`."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    def routes(self) -> Iterable[Route]:
        """List, get, redeliver."""
        yield Route("GET", "/app/hook/deliveries", APP, self.list)
        yield Route("GET", "/app/hook/deliveries/{delivery_id:int}", APP, self.get)
        yield Route("POST", "/app/hook/deliveries/{delivery_id:int}/attempts", APP, self.redeliver)

    def list(self, call: Call) -> Reply:
        """Newest first; pages by cursor."""
        per_page, cursor = min(number(call, "per_page", 30), 100), number(call, "cursor", 0)
        every = [d for d in reversed(list(self._outbox.sent)) if _wanted(d, call.query.get("status"))]
        rest = [d for d in every if not cursor or d.id <= cursor]
        more = rest[per_page : per_page + 1]
        headers = {"Link": f'<{call.url}?per_page={per_page}&cursor={more[0].id}>; rel="next"'} if more else {}
        return Reply(200, [_item(d) for d in rest[:per_page]], headers)

    def get(self, call: Call) -> Reply:
        """One delivery with both sides' headers and bodies."""
        one = self._outbox.find(call.path["delivery_id"])
        if one is None:
            raise not_found()
        request = {"headers": one.request_headers, "payload": one.payload}
        response = {"headers": one.response_headers, "payload": one.response}
        return Reply(200, {**_item(one), "url": "", "request": request, "response": response})

    def redeliver(self, call: Call) -> Reply:
        """Sends it again, with the same guid."""
        if not self._outbox.again(call.path["delivery_id"]):
            raise not_found()
        return Reply(202, {})


def _wanted(one: Delivery, status: str | None) -> bool:
    return status is None or (one.status == "OK") == (status == "success")


def _item(one: Delivery) -> Body:
    payload: dict[str, Any] = one.payload
    return {
        "id": one.id,
        "guid": one.guid,
        "delivered_at": stamp(one.at),
        "redelivery": one.redelivery,
        "duration": one.duration_s,
        "status": one.status,
        "status_code": one.status_code,
        "event": one.event,
        "action": payload.get("action"),
        "installation_id": payload.get("installation", {}).get("id"),
        "repository_id": payload.get("repository", {}).get("id"),
        "throttled_at": None,
    }


ROUTES = (
    Route("GET", "/app", APP, get_app),
    Route("GET", "/app/installations", APP, list_installations),
    Route("GET", "/app/installations/{installation_id:int}", APP, get_installation),
    Route("POST", "/app/installations/{installation_id:int}/access_tokens", APP, create_token),
    Route("GET", "/repos/{owner}/{repo}/installation", APP, get_repository_installation),
    Route("DELETE", "/installation/token", TOKEN, revoke_token),
    Route("GET", "/installation/repositories", TOKEN, list_token_repositories),
    Route("GET", "/rate_limit", ANYONE, rate_limit),
    Route("GET", "/meta", ANYONE, meta),
    Route("GET", "/users/{username}", TOKEN, get_user),
    Route("POST", "/app-manifests/{code}/conversions", ANYONE, convert_manifest),
)
