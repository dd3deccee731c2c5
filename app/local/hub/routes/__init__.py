"""REST, a table of routes for each noun."""

from __future__ import annotations

from collections.abc import Iterator

from app.local.hub.calls import Route
from app.local.hub.routes import apps, checks, commits, contents, gitdata, issues, pulls, repositories
from app.local.hub.routes.apps import Deliveries

__all__ = ["Deliveries", "every"]


def every() -> Iterator[Route]:
    """All routes but those over the webhook record; more particular paths come first within each table."""
    for noun in (apps, contents, gitdata, commits, issues, pulls, checks, repositories):
        yield from noun.ROUTES
