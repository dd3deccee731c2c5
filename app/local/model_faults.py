"""The faults that a script can ask for, as the Messages API shows them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.local.model_script import Step

MID_STREAM = {"mid_stream_overloaded": ("overloaded_error", "Overloaded")}
_REFUSALS = {
    "overloaded": (529, "overloaded_error", "Overloaded"),
    "rate_limited": (429, "rate_limit_error", "This request would exceed your organization's rate limit."),
    "unauthorized": (401, "authentication_error", "invalid x-api-key"),
    "forbidden": (403, "permission_error", "Your API key does not have permission to use the specified resource."),
    "spend_limit": (400, "invalid_request_error", "You have reached your specified API usage limits (spend limit)."),
    "server_error": (500, "api_error", "Internal server error"),
    "billing": (402, "billing_error", "Your credit balance is too low. Go to Plans and Billing to add to it."),
    "spend_limit_429": (429, "rate_limit_error", "You have reached your workspace's monthly limit (spend limit)."),
    "not_found": (404, "not_found_error", "model: claude-nowhere"),
    "too_large": (413, "request_too_large", "Request exceeds the maximum size"),
    "retry_never": (529, "overloaded_error", "Overloaded"),
    "retry_please": (400, "invalid_request_error", "Try that again."),
    "too_long": (400, "invalid_request_error", "prompt is too long: 1200000 tokens > 1000000 maximum"),
}


_SHOULD_RETRY = {"retry_never": "false", "retry_please": "true"}


@dataclass(frozen=True)
class Refusal:
    """An error response."""

    status: int
    kind: str
    text: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Spoiled:
    """How a reply is sent: only the first `events` of its stream (None: all), with another reason to stop, after a
    wait, or after pings for so long; `half` cuts the JSON of tool calls, `reset` ends with the connection torn down."""

    blocks: Sequence[Mapping[str, Any]]
    events: int | None = None
    stop: str | None = None
    wait_s: float = 0.0
    pings_s: float = 0.0
    half: bool = False
    reset: bool = False


def refusal(step: Step) -> Refusal | None:
    """The error response that the step asks for."""
    if step.fault not in _REFUSALS:
        return None
    headers = {"retry-after": f"{step.seconds:g}"} if step.fault == "rate_limited" or step.seconds else {}
    if step.fault in _SHOULD_RETRY:
        headers["x-should-retry"] = _SHOULD_RETRY[step.fault]
    return Refusal(*_REFUSALS[step.fault], headers)


def spoil(step: Step, blocks: Sequence[Mapping[str, Any]]) -> Spoiled:
    """The reply as the step's fault leaves it."""
    ways = {
        "cut": Spoiled(blocks, events=6),
        "reset": Spoiled(blocks, events=5, reset=True),
        "mid_stream_overloaded": Spoiled(blocks, events=4),
        "max_tokens": Spoiled(blocks, stop="max_tokens", half=True),
        "slow": Spoiled(blocks, wait_s=step.seconds),
        "pings": Spoiled(blocks, pings_s=step.seconds),
        "paused": Spoiled(blocks, stop="pause_turn"),
        "overflow": Spoiled(blocks, stop="model_context_window_exceeded", half=True),
        "empty": Spoiled((), stop="end_turn"),
        "refusal": Spoiled(blocks, stop="refusal"),
    }
    return ways.get(step.fault or "", Spoiled(blocks))
