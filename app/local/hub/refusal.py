"""How the hub says no: one error that carries GitHub's status and body. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jobs.errors import PatchwrightError

DOCUMENTATION = "https://docs.github.com/rest"  # only ever a text in a body


class Refused(PatchwrightError):
    """The request ends with `status` and a body in GitHub's shape."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: Sequence[Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors
        self.headers = dict(headers or {})

    def body(self) -> dict[str, Any]:
        """{message, errors?, documentation_url, status}."""
        body: dict[str, Any] = {"message": self.message}
        if self.errors is not None:
            body["errors"] = list(self.errors)
        return {**body, "documentation_url": DOCUMENTATION, "status": str(self.status)}


def not_found() -> Refused:
    """404, also for what the caller may not know of."""
    return Refused(404, "Not Found")


def invalid(resource: str, field: str, code: str, message: str | None = None) -> Refused:
    """422 Validation Failed with one error."""
    error = {"resource": resource, "field": field, "code": code}
    return Refused(422, "Validation Failed", errors=[{**error, "message": message} if message else error])


def malformed(problem: str) -> Refused:
    """422 for a body that does not have the route's shape."""
    return Refused(422, f"Invalid request.\n\n{problem}")
