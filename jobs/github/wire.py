"""Sends requests to GitHub under one credential: time limits, one error map, patience, the fence before each write."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from urllib.parse import parse_qs, urlsplit

import httpx
from githubkit.auth.unauth import UnauthAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.core import GitHubCore

from jobs.github.errors import DeadCredential, RateLimited, Unclear, edge

# Every supported GitHub Enterprise Server and github.com know this version; the routes used here are the same in both.
API_VERSION = "2022-11-28"
USER_AGENT = "patchwright"
_MOST_PAGES = 300

T = TypeVar("T")
Guard = Callable[[], None]
Query = Mapping[str, str | int]


def unfenced() -> None:
    """The guard of writes that no lease protects (control's acknowledgements, tests)."""


@dataclass(frozen=True)
class Patience:
    """How long one call may wait in place before it raises Retry. `tries` is for what is safe to repeat; `answer_s`
    is how long one answer may take."""

    tries: int = 3
    first_delay_s: float = 0.5  # doubles from try to try
    limit_s: float = 20.0  # a rate limit that ends sooner is waited for
    answer_s: float = 30.0


class Credential(Protocol):
    """Authorizes requests."""

    def headers(self) -> Mapping[str, str]:
        """The authorization, renewed in time."""
        ...

    def renew(self) -> bool:
        """Drops what GitHub has refused; False if there is nothing to try instead."""
        ...


@dataclass(frozen=True)
class Call:
    """One request. `what` says it in words; a `repeatable` one done twice is the same as once."""

    method: str
    path: str
    what: str
    query: Query | None = None
    body: Mapping[str, Any] | None = None
    repeatable: bool = True


class Wire:
    """Requests to one API under one credential. Thread-safe; its connections close with the last reference."""

    def __init__(self, api_url: str, credential: Credential, *, patience: Patience | None = None) -> None:
        self.patience = patience or Patience()
        self._credential = credential
        self._kit = _Kit(
            UnauthAuthStrategy(),
            base_url=api_url,
            user_agent=USER_AGENT,
            timeout=httpx.Timeout(self.patience.answer_s, connect=min(10.0, self.patience.answer_s)),
            http_cache=False,
            cache_strategy=MemCacheStrategy(),
            auto_retry=False,
        )

    def get(self, path: str, shape: Callable[[Any], T], query: Query | None = None, *, what: str) -> T:
        """One resource, read by `shape` from its JSON. Raises the errors of jobs.github.errors."""
        response = self._send(Call("GET", path, what, query))
        with edge(what):
            return shape(response.json())

    def pages(
        self, path: str, shape: Callable[[Any], T], query: Query | None = None, *, what: str, key: str | None = None
    ) -> Iterator[T]:
        """Every item of a list on all its pages; `key` names the list inside wrapped ones."""
        for number in range(1, _MOST_PAGES + 1):
            response = self._send(Call("GET", path, what, {**(query or {}), "per_page": 100, "page": number}))
            with edge(what):
                body = response.json()
                items = [shape(item) for item in (body if key is None else body[key])]
            yield from items
            if "next" not in response.links:
                return

    def cursor(
        self, path: str, shape: Callable[[Any], T], query: Query, *, what: str
    ) -> tuple[tuple[T, ...], str | None]:
        """One page of a list that goes on by cursor: its items, and the next page's cursor or None."""
        response = self._send(Call("GET", path, what, query))
        with edge(what):
            items = tuple(shape(item) for item in response.json())
        following = parse_qs(urlsplit(response.links.get("next", {}).get("url", "")).query)
        return items, next(iter(following.get("cursor", ())), None)

    def write(self, call: Call, shape: Callable[[Any], T], *, guard: Guard) -> T:
        """One change; returns what `shape` reads from the answer's JSON (None where it has no body).

        `guard` is called right before each try and stops it by raising. Only a repeatable change is tried again after
        an unclear answer; otherwise Unclear is raised and the caller looks what became of it.
        """
        response = self._send(call, guard)
        with edge(call.what):
            return shape(response.json() if response.content else None)

    def _send(self, call: Call, guard: Guard = unfenced) -> httpx.Response:
        left = _Left(self.patience)
        while True:
            headers = {"X-GitHub-Api-Version": API_VERSION, **self._credential.headers()}
            guard()
            try:
                with edge(call.what):
                    return self._kit.request(
                        call.method, call.path, params=call.query, json=call.body, headers=headers
                    ).raw_response
            except DeadCredential:
                if not left.renewal or not self._credential.renew():
                    raise
                left.renewal = False
            except RateLimited as limited:
                left.wait_for(limited)
            except Unclear as unclear:
                left.wait_after(unclear, safe=call.repeatable or not unclear.sent)


class _Left:
    """What is left of one call's patience."""

    def __init__(self, patience: Patience) -> None:
        self.renewal = True
        self._tries = patience.tries - 1
        self._delay_s = patience.first_delay_s
        self._limit_s = patience.limit_s

    def wait_for(self, limited: RateLimited) -> None:
        if limited.after_s > self._limit_s:
            raise limited
        self._limit_s -= max(limited.after_s, 1.0)
        time.sleep(limited.after_s)

    def wait_after(self, unclear: Unclear, *, safe: bool) -> None:
        if not safe or self._tries <= 0:
            raise unclear
        self._tries -= 1
        time.sleep(self._delay_s)
        self._delay_s *= 2


class _Kit(GitHubCore[UnauthAuthStrategy]):
    """githubkit with one connection pool for all threads (its own is bound to the context that entered it)."""

    _pool: httpx.Client | None = None

    @contextmanager
    def get_sync_client(self) -> Iterator[httpx.Client]:
        if self._pool is None:
            self._pool = self._create_sync_client()
            weakref.finalize(self, self._pool.close)
        yield self._pool


def nothing(_: Any) -> None:
    """The shape of an answer that is not needed."""
