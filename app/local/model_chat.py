"""The same replies as chat completions: what was asked in the Messages form, and the chunks of an answer. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.local.model_check import BadRequest

_PIECE = 60  # characters of one chunk
_STOPS = {
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
ENDING = 3  # chunks that say how it ended: the reason, the tokens, the last word
KEEP_ALIVE = b": keep-alive\n\n"


def asked(body: Mapping[str, Any]) -> dict[str, Any]:
    """A chat request as the Messages request that it stands for. Raises BadRequest."""
    if not isinstance(body.get("messages"), list) or "model" not in body:
        raise BadRequest("you must provide a model and messages")
    said = [m for m in body["messages"] if m.get("role") != "system"]
    system = [{"type": "text", "text": m["content"]} for m in body["messages"] if m.get("role") == "system"]
    messages: list[dict[str, Any]] = []
    for message in said:
        role, blocks = _blocks(message)
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": role, "content": blocks})
    most = body.get("max_tokens") or body.get("max_completion_tokens") or 4096
    tools = [t["function"] for t in body.get("tools") or ()]
    return {"model": body["model"], "max_tokens": most, "system": system, "tools": tools, "messages": _marked(messages)}


def _blocks(message: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    role, content = message.get("role"), message.get("content")
    text = [{"type": "text", "text": content}] if content else []
    if role == "tool":
        return "user", [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": content}]
    if role == "assistant":
        return role, [*text, *(_called(call) for call in message.get("tool_calls") or ())]
    if role != "user":
        raise BadRequest(f"{role!r} is not one of ['system', 'assistant', 'user', 'tool'] - 'messages.role'")
    return role, text


def _called(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    try:
        arguments = json.loads(function["arguments"])
    except ValueError:
        raise BadRequest(f"the arguments of {function['name']} are no JSON") from None
    return {"type": "tool_use", "id": call["id"], "name": function["name"], "input": arguments}


def _marked(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With a cache marker on the end: this protocol caches by itself."""
    if not messages or not messages[-1]["content"]:
        return messages
    *before, last = messages
    *blocks, end = last["content"]
    return [*before, {**last, "content": [*blocks, {**end, "cache_control": {"type": "ephemeral"}}]}]


def whole(message: Mapping[str, Any]) -> dict[str, Any]:
    """A Messages reply as one chat completion."""
    text = "".join(b["text"] for b in message["content"] if b["type"] == "text")
    calls = [_call(b) for b in message["content"] if b["type"] == "tool_use"]
    said: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        said["tool_calls"] = calls
    choice = {"index": 0, "message": said, "finish_reason": _finish(message)}
    return {**_head(message, "chat.completion"), "choices": [choice], "usage": _usage(message["usage"])}


def chunks(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A Messages reply as the chunks of a stream; the last word is the caller's."""
    head = _head(message, "chat.completion.chunk")

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": dict(delta), "finish_reason": finish}], "usage": None}

    yield chunk({"role": "assistant", "content": ""})
    calls = 0
    for block in message["content"]:
        if block["type"] == "tool_use":
            yield from (chunk({"tool_calls": [piece]}) for piece in _called_in_pieces(block, calls))
            calls += 1
        else:
            key = "content" if block["type"] == "text" else "reasoning_content"
            yield from (chunk({key: piece}) for piece in _pieces(block.get("text") or block.get("thinking") or ""))
    yield chunk({}, _finish(message))
    yield {**head, "choices": [], "usage": _usage(message["usage"])}


def halved(chunk: Mapping[str, Any]) -> Mapping[str, Any]:
    """The chunk with half of what it says of a call's arguments."""
    for choice in chunk.get("choices") or ():
        for call in choice["delta"].get("tool_calls") or ():
            arguments = call["function"].get("arguments", "")
            call["function"]["arguments"] = arguments[: len(arguments) // 2]
    return chunk


def wire(chunk: Mapping[str, Any]) -> bytes:
    """One chunk as it stands in the stream; nothing in it is escaped that need not be."""
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()


def error(kind: str, text: str) -> dict[str, Any]:
    """The body, or the chunk, of an error."""
    return {"error": {"message": text, "type": kind, "param": None, "code": None}}


def _head(message: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{message['id']}", "object": kind, "created": 1_700_000_000, "model": message["model"]}


def _finish(message: Mapping[str, Any]) -> str:
    return _STOPS.get(str(message["stop_reason"]), "stop")


def _usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    cached = usage["cache_read_input_tokens"]
    prompt = usage["input_tokens"] + cached + usage["cache_creation_input_tokens"]
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage["output_tokens"],
        "total_tokens": prompt + usage["output_tokens"],
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    written = block.get("raw") or json.dumps(block["input"], ensure_ascii=False)
    return {"id": block["id"], "type": "function", "function": {"name": block["name"], "arguments": written}}


def _called_in_pieces(block: Mapping[str, Any], index: int) -> Iterator[dict[str, Any]]:
    call = _call(block)
    written = call["function"]["arguments"]
    yield {"index": index, **call, "function": {"name": block["name"], "arguments": ""}}
    yield from ({"index": index, "function": {"arguments": piece}} for piece in _pieces(written))


def _pieces(text: str) -> Sequence[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
