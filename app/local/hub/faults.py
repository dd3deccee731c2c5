"""Faults on demand: what to do wrong, to which requests, how often."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from app.local.hub.calls import Reply
from app.local.hub.refusal import Refused

_SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to"
    " GitHub Support for help, please include the request ID."
)


@dataclass(frozen=True)
class Fault:
    """`kind` on requests of `method` (`*` for any) whose path matches `path`, `times` more times.

    `path` is a shell pattern (`/repos/*/pulls`; `*` crosses slashes) or a compiled regular expression, matched
    against the whole path without /api/v3. `seconds` is for slow, `retry_after` for the limits.
    """

    method: str
    path: str | re.Pattern[str]
    kind: str
    times: int = 1
    seconds: float = 1.0
    retry_after: int | None = None

    def matches(self, method: str, path: str) -> bool:
        """True if it is for that request."""
        if self.method not in ("*", method):
            return False
        if isinstance(self.path, re.Pattern):
            return self.path.fullmatch(path) is not None
        return fnmatchcase(path, self.path)


class Faults:
    """The faults still to come, first match first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._coming: list[Fault] = []

    @property
    def coming(self) -> list[Fault]:
        """Those that have not fired as often as asked."""
        with self._lock:
            return list(self._coming)

    def add(self, fault: Fault) -> None:
        """Asks for one. Raises ValueError for a kind that does not exist."""
        if fault.kind not in KINDS:
            raise ValueError(f"no such fault: {fault.kind}; there are {', '.join(sorted(KINDS))}")
        with self._lock:
            self._coming.append(fault)

    def clear(self) -> None:
        """Forgets all."""
        with self._lock:
            self._coming.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """The fault for this request, counted down."""
        with self._lock:
            for at, fault in enumerate(self._coming):
                if fault.matches(method, path):
                    left = replace(fault, times=fault.times - 1)
                    self._coming[at : at + 1] = [left] if left.times > 0 else []
                    return fault
        return None


def _secondary(fault: Fault) -> Refused:
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    return Refused(403, _SECONDARY, headers=headers)


def _primary(fault: Fault) -> Refused:
    reset = int(time.time()) + (3600 if fault.retry_after is None else fault.retry_after)
    numbers = {"Limit": "5000", "Remaining": "0", "Used": "5000", "Reset": str(reset), "Resource": "core"}
    headers = {f"X-RateLimit-{name}": value for name, value in numbers.items()}
    return Refused(403, "API rate limit exceeded for installation.", headers=headers)


def _unprocessable(_: Fault) -> Refused:
    error = {"resource": "Fault", "field": "request", "code": "custom", "message": "refused on demand"}
    return Refused(422, "Validation Failed", errors=[error])


# Answered instead of the request; the others (AFTER, slow) let it happen.
INSTEAD: dict[str, Callable[[Fault], Refused]] = {
    "unauthorized": lambda _: Refused(401, "Bad credentials"),
    "secondary": _secondary,
    "primary": _primary,
    "forbidden": lambda _: Refused(403, "Resource not accessible by integration"),
    "not_found": lambda _: Refused(404, "Not Found"),
    "unprocessable": _unprocessable,
    "server_error": lambda _: Refused(500, "Server Error"),
    "bad_gateway": lambda _: Refused(502, "Server Error"),
    "unavailable": lambda _: Refused(503, "Service Unavailable"),
}
KINDS = {*INSTEAD, "slow", "cut", "bad_gateway_after_write"}


def instead(fault: Fault) -> Reply | None:
    """The answer that takes the request's place, or None if the request is served first."""
    if fault.kind not in INSTEAD:
        return None
    refused = INSTEAD[fault.kind](fault)
    return Reply(refused.status, refused.body(), refused.headers)
