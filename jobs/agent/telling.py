"""What a reply without calls means, and what the trace tells of a round. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from jobs.agent.record import Call
from jobs.model.base import Reply

Kind = Literal["last", "paused", "refused", "cut", "empty"]


def kind_of(reply: Reply) -> Kind:
    """What a reply is whose calls, if it has any, must not be run."""
    if reply.stop_reason == "refusal":
        return "refused"
    if reply.stop_reason in ("max_tokens", "model_context_window_exceeded"):
        return "cut"
    if reply.stop_reason == "pause_turn":
        return "paused"
    return "last" if reply.text else "empty"


def round_fields(
    number: int, reply: Reply, calls: Sequence[Call], first: int, tool_bytes: int, request: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields of a `round` event. `tool_output_bytes` is how much of the request were results of tools, `first` the
    number of the first call, `request` what names the bodies that were sent."""
    usage = reply.usage
    writing_s = reply.writing_s
    return {
        "n": number,
        "model": reply.model,
        "request_bytes": reply.request_bytes,
        "tool_output_bytes": tool_bytes,
        "usage": {
            "input": usage.input,
            "output": usage.output,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
        },
        "usd": reply.usd,
        "first_token_ms": reply.first_token_ms,
        "tokens_per_s": round(usage.output / writing_s, 1) if writing_s > 0.05 else None,
        "seconds": round(reply.seconds, 3),
        "stop_reason": reply.stop_reason,
        "text": reply.text[:4000],
        "mended": list(reply.mended),
        "calls": [call.to_trace(n) for n, call in enumerate(calls, first)],
        "request": dict(request),
    }
