"""What GitHub can refuse, as errors of ours: the one map from its answers to what Patchwright does next.

DeadCredential  401                       the App's key or an installation is gone (renewed once before it is told)
Forbidden       403                       names the permission that is missing
NotFound        404, 410                  gone, or hidden from this token
Rejected        400, 409, 422 and others  GitHub's own words
RateLimited     403, 429 with a limit     says when to come back; nothing was done
Unclear         5xx, timeouts, cut        for a write: it may have been done
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx
from githubkit.exception import GitHubException, RequestError, RequestFailed

from jobs.errors import EnvironmentFault, PatchwrightError, Retry

_LONGEST_WAIT_S = 3600.0  # a limit window lasts at most an hour
_SECONDARY_WAIT_S = 60.0  # GitHub's advice where a secondary limit names no time
_UNCLEAR_WAIT_S = 15.0


class DeadCredential(EnvironmentFault):
    """GitHub does not accept the credentials."""


class Forbidden(EnvironmentFault):
    """GitHub knows who asks and says no; `needed` is its `X-Accepted-GitHub-Permissions`, "" if it names none."""

    def __init__(self, sentence: str, *, needed: str = "") -> None:
        super().__init__(sentence)
        self.needed = needed


class NotFound(EnvironmentFault):
    """No such thing, or none that this token may see."""


class Rejected(EnvironmentFault):
    """GitHub understood the request and refuses it; `messages` are its words."""

    def __init__(self, sentence: str, *, status: int, messages: tuple[str, ...]) -> None:
        super().__init__(sentence)
        self.status = status
        self.messages = messages

    def says(self, *words: str) -> bool:
        """True if one message holds all of `words`, whatever their case."""
        return any(all(w.lower() in m.lower() for w in words) for m in self.messages)


class RateLimited(Retry):
    """A primary or secondary limit; the request was not carried out."""


class Unclear(Retry):
    """No readable answer. `sent` is False only where the request never left this machine."""

    def __init__(self, reason: str, *, sent: bool = True) -> None:
        super().__init__(reason, after_s=_UNCLEAR_WAIT_S)
        self.sent = sent


@contextmanager
def edge(what: str) -> Iterator[None]:
    """Turns githubkit's errors and answers of an unknown shape into ours; `what` is the request in words."""
    try:
        yield
    except RequestFailed as failed:
        raise refusal(what, failed.response.raw_response) from failed
    except RequestError as failed:
        never = isinstance(failed.exc, httpx.ConnectError | httpx.ConnectTimeout)
        raise Unclear(f"GitHub could not be reached ({what}): {type(failed.exc).__name__}.", sent=not never) from failed
    except GitHubException as failed:
        raise Unclear(f"GitHub gave no readable answer ({what}): {type(failed).__name__}.") from failed
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as odd:
        raise EnvironmentFault(f"The answer is not GitHub's ({what}): check GITHUB_API_URL.") from odd


def refusal(what: str, response: httpx.Response) -> PatchwrightError:
    """The error for a response of 400 and above."""
    status, messages = response.status_code, _messages(response)
    said = "; ".join(messages) or f"status {status}"
    if status in (403, 429) and (wait_s := _limit_wait_s(response, said)) is not None:
        return RateLimited(f"GitHub's rate limit is reached ({what}).", after_s=min(wait_s, _LONGEST_WAIT_S))
    if status >= 500:
        return Unclear(f"GitHub failed with status {status} ({what}).")
    if status == 401:
        return DeadCredential(
            f"GitHub refused the App's credentials ({what}): check GITHUB_APP_ID, its private key, that the App "
            "is still installed, and this machine's clock."
        )
    if status == 403:
        return _forbidden(what, said, response.headers)
    if status in (404, 410):
        return NotFound(f"GitHub knows no such thing, or the App may not see it ({what}).")
    return Rejected(f"GitHub refused ({what}): {said}", status=status, messages=messages)


def _forbidden(what: str, said: str, headers: Mapping[str, str]) -> Forbidden:
    needed = headers.get("x-accepted-github-permissions", "")
    if not needed:
        return Forbidden(f"GitHub forbids it ({what}): {said}")
    return Forbidden(
        f"The App lacks a permission ({what}): it needs {needed}. Grant it in the App's settings, then accept it "
        "for the installation.",
        needed=needed,
    )


def _limit_wait_s(response: httpx.Response, said: str) -> float | None:
    """Seconds until the limit ends, None if this is no limit. GitHub sends secondary limits as plain 403s too."""
    headers = response.headers
    if (after := headers.get("retry-after", "")).isdigit():
        return float(after)
    if any(words in said.lower() for words in ("secondary rate", "abuse detection")):
        return _SECONDARY_WAIT_S
    if headers.get("x-ratelimit-remaining") == "0":
        reset = headers.get("x-ratelimit-reset", "")
        return max(float(reset) - time.time(), 1.0) if reset.isdigit() else _SECONDARY_WAIT_S
    return _SECONDARY_WAIT_S if response.status_code == 429 else None


def _messages(response: httpx.Response) -> tuple[str, ...]:
    try:
        body = response.json()
    except ValueError:
        return ()
    if not isinstance(body, dict):
        return ()
    found = [str(body.get("message") or "")]
    errors = body.get("errors")
    found += [_detail(e) for e in errors] if isinstance(errors, list) else [str(errors or "")]
    return tuple(m[:500] for m in found if m)


def _detail(error: Any) -> str:
    if not isinstance(error, dict):
        return str(error)
    return str(error.get("message") or " ".join(str(error.get(k, "")) for k in ("resource", "field", "code")).strip())
