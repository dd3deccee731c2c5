"""What a failed request to a model endpoint means: wait and try again, or give up with a sentence. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

LONGEST_WAIT_S = 60.0  # of one wait, whatever the endpoint asks for
LONGEST_WAITING_S = 300.0  # of all waits of one request
MOST_TRIES = 8
MOST_UNREADABLE = 3  # tries of a request whose replies are complete but no JSON: waiting does not mend a model
UNREADABLE = "unreadable_reply"

# What an error inside a stream, which has status 200, may be called where another try is of no use.
_LASTING = (
    *("invalid_request_error", "authentication_error", "permission_error", "not_found_error", "billing_error"),
    *("request_too_large", "content_filter", "invalid_api_key", "model_not_found"),
)
_SPENT = (
    *("credit balance", "spend limit", "spending limit", "usage limit", "monthly limit"),
    *("billing_error", "billing details", "billing hard limit"),  # an address of a billing page is in many a 429
    *("insufficient_quota", "insufficient balance", "insufficient credit", "more credits"),
)
_LONG = (
    *("prompt is too long", "exceed context limit", "context window", "too many total text bytes"),
    *("maximum context length", "context_length_exceeded", "context length"),
    *("context size", "exceeds the maximum number of tokens"),
)

Kind = Literal["temporary", "dead", "too_long"]


@dataclass(frozen=True)
class Fault:
    """One failed try. `status` is None where no response came, 200 where a stream broke after it began."""

    status: int | None
    type: str
    message: str
    after_s: float | None = None
    should_retry: bool | None = None
    settings: str = "ANTHROPIC"  # how the names of the settings begin that lead there

    @property
    def kind(self) -> Kind:
        """Whether waiting may help."""
        words = f"{self.type} {self.message}".lower()
        if self.status == 402 or any(sign in words for sign in _SPENT):
            return "dead"
        if self.status == 413 or (self.status in (200, 400) and any(sign in words for sign in _LONG)):
            return "too_long"
        if self.should_retry is not None:
            return "temporary" if self.should_retry else "dead"
        if self.status is None or self.status in (408, 409, 429) or self.status >= 500:
            return "temporary"
        return "temporary" if self.status == 200 and self.type not in _LASTING else "dead"

    @property
    def sentence(self) -> str:
        """What people are told."""
        what = f"{self.status} {self.type}" if self.status else self.type
        if self.status in (401, 403):
            return f"The model key was refused ({what}): {self.message} Check {self.settings}_API_KEY."
        if self.status == 404:
            return (
                f"The model endpoint does not know this model or address ({what}): {self.message} "
                f"Check the model's name and {self.settings}_BASE_URL."
            )
        if self.type == UNREADABLE:
            return f"The model's replies can't be read: {self.message} Try another model."
        if self.kind == "temporary":
            return f"The model endpoint is away ({what}): {self.message} Check {self.settings}_BASE_URL if it is set."
        return f"The model endpoint refused the request ({what}): {self.message}"


def wait_s(fault: Fault, *, tries: int, waited_s: float, jitter: float) -> float | None:
    """Seconds to wait before try `tries` + 1, None to give up. `jitter` is between 0 and 1."""
    if fault.kind != "temporary" or tries >= (MOST_UNREADABLE if fault.type == UNREADABLE else MOST_TRIES):
        return None
    wanted = fault.after_s if fault.after_s is not None else min(0.5 * 2 ** (tries - 1), 8.0) * (0.75 + jitter / 4)
    wait = min(wanted, LONGEST_WAIT_S)
    return wait if waited_s + wait <= LONGEST_WAITING_S else None


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that the response's headers ask to wait; None if they don't say, never negative."""
    if (ms := _number(headers.get("retry-after-ms"))) is not None:
        return max(0.0, ms / 1000)
    text = headers.get("retry-after")
    if (seconds := _number(text)) is not None:
        return max(0.0, seconds)
    try:
        at = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - now).total_seconds())


def should_retry(headers: Mapping[str, str]) -> bool | None:
    """What the response itself says about another try; None if it says nothing."""
    return {"true": True, "false": False}.get(headers.get("x-should-retry") or "")


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if value == value and abs(value) < 1e9 else None
