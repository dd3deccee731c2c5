"""The App's own routes: who it is, where it is installed, and what became of its webhook deliveries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import quote

from jobs.github import values
from jobs.github.auth import Tokens
from jobs.github.client import GitHub
from jobs.github.errors import NotFound
from jobs.github.values import AppIdentity, Delivery, Installation
from jobs.github.wire import Call, nothing, unfenced


class App:
    """The GitHub App behind a key."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens

    def whoami(self) -> AppIdentity:
        """The App, asked anew. Raises DeadCredential for a wrong id or key."""
        return self.tokens.whoami()

    def installation(self, full_name: str) -> Installation | None:
        """The installation that covers a repository; None if the App is not installed there."""
        path = f"/repos/{quote(full_name)}/installation"
        try:
            return self.tokens.wire.get(path, values.installation, what=f"installation on {full_name}")
        except NotFound:
            return None

    def repository(self, repository_id: int, full_name: str, installation_id: int, wanted: Mapping[str, str]) -> GitHub:
        """The client for one repository, with the permissions `wanted`."""
        return GitHub(self.tokens, self.tokens.api_url, repository_id, full_name, installation_id, wanted)

    def deliveries(self, *, most: int = 1000) -> Iterator[Delivery]:
        """Webhook deliveries, newest first."""
        query: dict[str, str | int] = {"per_page": 100}
        seen = 0
        while True:
            page, cursor = self.tokens.wire.cursor("/app/hook/deliveries", values.delivery, query, what="deliveries")
            yield from page[: most - seen]
            seen += len(page)
            if cursor is None or seen >= most:
                return
            query = {"per_page": 100, "cursor": cursor}

    def redeliver(self, delivery_id: int) -> None:
        """Asks GitHub to send a delivery again; it keeps its guid."""
        path = f"/app/hook/deliveries/{delivery_id}/attempts"
        self.tokens.wire.write(Call("POST", path, "redelivery"), nothing, guard=unfenced)
