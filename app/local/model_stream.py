"""One reply as the Messages API sends it: whole, or as a stream of events. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_PIECE = 60  # characters of one delta


def stop_reason(blocks: Sequence[Mapping[str, Any]]) -> str:
    """Why such a reply ends."""
    return "tool_use" if any(b["type"] == "tool_use" for b in blocks) else "end_turn"


def message(
    ident: str, model: str, blocks: Sequence[Mapping[str, Any]], stop: str | None, usage: Mapping[str, Any]
) -> dict[str, Any]:
    """The message object."""
    return {
        "id": ident,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"citations": None, **b} if b["type"] == "text" else dict(b) for b in blocks],
        "stop_reason": stop,
        "stop_sequence": None,
        "stop_details": {"type": "refusal", "category": None, "explanation": None} if stop == "refusal" else None,
        "container": None,
        "usage": dict(usage),
    }


def events(whole: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of a stream that carries `whole`."""
    start = {**whole, "content": [], "stop_reason": None, "stop_details": None}
    yield {"type": "message_start", "message": {**start, "usage": {**whole["usage"], "output_tokens": 1}}}
    yield {"type": "ping"}
    for index, block in enumerate(whole["content"]):
        yield {"type": "content_block_start", "index": index, "content_block": _empty(block)}
        for delta in _deltas(block):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {key: whole[key] for key in ("stop_reason", "stop_sequence", "stop_details")}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": whole["usage"]["output_tokens"]}}
    yield {"type": "message_stop"}


def shown(whole: Mapping[str, Any]) -> dict[str, Any]:
    """The reply that needs no stream."""
    return {**whole, "content": [_bare(block) for block in whole["content"]]}


def halved(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """The event with half of what it says of a call's input."""
    delta = event.get("delta") or {}
    if delta.get("type") != "input_json_delta":
        return event
    return {**event, "delta": {**delta, "partial_json": delta["partial_json"][: len(delta["partial_json"]) // 2]}}


def wire(event: Mapping[str, Any]) -> bytes:
    """One event as it stands in the stream."""
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def error(kind: str, text: str, request_id: str) -> dict[str, Any]:
    """The body of an error, or (with `type: error`) the event of one."""
    return {"type": "error", "error": {"type": kind, "message": text}, "request_id": request_id}


def _empty(block: Mapping[str, Any]) -> dict[str, Any]:
    blank: dict[str, dict[str, Any]] = {
        "text": {"text": ""},
        "tool_use": {"input": {}},
        "thinking": {"thinking": "", "signature": ""},
    }
    return {**_bare(block), **blank.get(block["type"], {})}


def _bare(block: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key != "raw"}


def _deltas(block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    kind = block["type"]
    if kind == "text":
        yield from ({"type": "text_delta", "text": piece} for piece in _pieces(block["text"]))
    elif kind == "tool_use":
        written = block.get("raw") or json.dumps(block["input"], ensure_ascii=False)
        yield from ({"type": "input_json_delta", "partial_json": piece} for piece in ["", *_pieces(written)])
    elif kind == "thinking":
        yield from ({"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"]))
        yield {"type": "signature_delta", "signature": block["signature"]}


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
