"""Webhook events: the payload around each act, and where it goes."""

from __future__ import annotations

from app.local.hub.records import Account, Body, Repository
from app.local.hub.state import State, node_id
from app.local.hub.views import accounts, repositories

_ALWAYS = ("installation", "installation_repositories", "ping")  # sent whatever the App subscribed to


def emit(state: State, which: Repository, event: str, sender: Account, **parts: object) -> None:
    """Sends `event` with `parts` (`action` among them) to the App, if it is installed and subscribed."""
    installation = state.installation_of(which)
    if installation is None or (event not in state.app.events and event not in _ALWAYS):
        return
    payload: Body = {**parts, "repository": repositories.repository(state.links, which)}
    if which.owner.kind == "Organization":
        payload["organization"] = accounts.organization(state.links, which.owner)
    payload["sender"] = accounts.account(state.links, sender)
    payload["installation"] = {"id": installation.id, "node_id": node_id("I", installation.id)}
    state.deliver(event, payload)


def emit_installed(state: State, which: Repository, sender: Account) -> None:
    """Tells the App that it may now touch `which`."""
    installation = state.installation_of(which)
    assert installation is not None
    repository = {
        "id": which.id,
        "node_id": node_id("R", which.id),
        "name": which.name,
        "full_name": which.full_name,
        "private": which.private,
    }
    first = len(installation.repository_ids) == 1
    lists: Body = {"repositories": [repository]}
    if not first:
        lists = {"repositories_added": [repository], "repositories_removed": [], "repository_selection": "selected"}
    state.deliver(
        "installation" if first else "installation_repositories",
        {
            "action": "created" if first else "added",
            "installation": accounts.installation(state.links, installation, state.app),
            **lists,
            "requester": None,
            "sender": accounts.account(state.links, sender),
        },
    )
