"""All that the hub holds in memory, behind one lock."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.local.hub.identity import EVENTS, PERMISSIONS, Keys, new_keys
from app.local.hub.limits import Budget
from app.local.hub.links import Links
from app.local.hub.records import Account, App, Body, Installation, Issue, Repository
from app.local.hub.refusal import not_found
from app.local.hub.tokens import Tokens

Deliver = Callable[[str, Body], None]
ROLES = ("none", "read", "triage", "write", "maintain", "admin")
_FIRST_ID = 1001


def stamp(at: float | None = None) -> str:
    """A time (seconds since the epoch, or now) as REST shows it."""
    moment = datetime.now(UTC) if at is None else datetime.fromtimestamp(at, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class Receipt:
    """A push in flight: who pushes where. The receive hook names it by its nonce."""

    repository: Repository
    account: Account
    permissions: dict[str, str]


@dataclass
class State:
    """Accounts, repositories, installations and tokens. Every reader and writer holds `lock`."""

    root: Path
    links: Links
    keys: Keys
    app: App
    actions_app: App
    deliver: Deliver
    lock: threading.RLock = field(default_factory=threading.RLock)
    accounts: dict[str, Account] = field(default_factory=dict)  # by login in lower case
    repositories: dict[int, Repository] = field(default_factory=dict)
    installations: dict[int, Installation] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    tokens: Tokens = field(default_factory=Tokens)
    receipts: dict[str, Receipt] = field(default_factory=dict)
    manifests: dict[str, Body] = field(default_factory=dict)  # code to manifest
    files: dict[str, tuple[float, bytes]] = field(default_factory=dict)  # signed name to (expiry, bytes)
    ids: itertools.count[int] = field(default_factory=lambda: itertools.count(_FIRST_ID))

    def new_id(self) -> int:
        """A number never given before."""
        return next(self.ids)

    def account(self, login: str) -> Account:
        """The account `login`, case aside. Raises Refused 404."""
        found = self.accounts.get(login.lower())
        if found is None:
            raise not_found()
        return found

    def add_account(self, login: str, kind: str = "User") -> Account:
        """The account `login`, made if new."""
        if login.lower() not in self.accounts:
            self.accounts[login.lower()] = Account(self.new_id(), login, kind, stamp())
        return self.accounts[login.lower()]

    def repository(self, full_name: str) -> Repository:
        """The repository owner/name, case aside. Raises Refused 404."""
        for repository in self.repositories.values():
            if repository.full_name.lower() == full_name.lower():
                return repository
        raise not_found()

    def issue(self, repository: Repository, number: int) -> Issue:
        """Issue or pull request `number`. Raises Refused 404."""
        if number not in repository.issues:
            raise not_found()
        return repository.issues[number]

    def installation_of(self, repository: Repository) -> Installation | None:
        """The installation that covers `repository`."""
        covering = (i for i in self.installations.values() if repository.id in i.repository_ids)
        return next(covering, None)

    def install(self, repository: Repository) -> Installation:
        """Puts the App on `repository`, through its owner's installation (made if new)."""
        same = (i for i in self.installations.values() if i.account is repository.owner)
        found = next(same, None) or Installation(self.new_id(), repository.owner, stamp())
        self.installations[found.id] = found
        found.repository_ids.add(repository.id)
        return found

    def role(self, repository: Repository, account: Account) -> str:
        """The role of `account` on `repository` (one of ROLES)."""
        if repository.owner is account:
            return "admin"
        granted = repository.roles.get(account.login.lower())
        return granted or ("none" if repository.private else "read")


def new_state(root: Path, links: Links, deliver: Deliver) -> State:
    """An empty hub with one App, not yet installed anywhere, and the App that runs workflows."""
    numbers = itertools.count(1)

    def account(login: str, kind: str) -> Account:
        return Account(next(numbers), login, kind, stamp())

    owner, runner = account("patchwright-owner", "User"), account("github", "Organization")
    bots = [account(f"{slug}[bot]", "Bot") for slug in ("patchwright", "github-actions")]
    app = App(4242, "patchwright", "Patchwright", "Iv23lipatchwright", owner, bots[0], stamp(), {}, [])
    app.permissions, app.events = dict(PERMISSIONS), list(EVENTS)
    actions = App(15368, "github-actions", "GitHub Actions", "Iv1.actions", runner, bots[1], stamp(), {}, [])
    actions.permissions = {"metadata": "read", "checks": "write"}
    state = State(root, links, new_keys(), app, actions, deliver)
    state.accounts = {a.login.lower(): a for a in (owner, runner, *bots)}
    return state


def node_id(kind: str, number: Any) -> str:
    """An opaque global id."""
    return f"{kind}_hub{number}"
