"""Requests as chat completions: the Messages form translated message by message. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from jobs.model.base import Block, Message
from jobs.model.encode import encoded

FAILED = "FAILED: "  # before a failed call's result, which this protocol has no mark for


def chat_message(message: Message) -> bytes:
    """One message as the elements of the `messages` array that it becomes, none or several."""
    blocks: Sequence[Block] = message["content"]
    if isinstance(blocks, str):
        blocks = [{"type": "text", "text": blocks}]
    made = [_spoken(blocks)] if message["role"] == "assistant" else _heard(blocks, message["role"])
    return b",".join(encoded(one) for one in made)


def chat_system(system: Sequence[Block]) -> list[dict[str, Any]]:
    """The system prompt as the first message, none if there is none."""
    text = _joined(system)
    return [{"role": "system", "content": text}] if text else []


def chat_tools(tools: Sequence[Block]) -> list[dict[str, Any]]:
    """The tools as functions."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool.get("description", ""),
                "parameters": tool.get("input_schema") or {"type": "object", "properties": {}},
            },
        }
        for tool in tools
    ]


def _spoken(blocks: Sequence[Block]) -> dict[str, Any]:
    """An assistant turn; its thinking stays behind, as nobody else can check it."""
    calls = [_call(block) for block in blocks if block["type"] == "tool_use"]
    text = _joined(blocks)
    made: dict[str, Any] = {"role": "assistant", "content": text or (None if calls else "")}
    return {**made, "tool_calls": calls} if calls else made


def _heard(blocks: Sequence[Block], role: str) -> list[dict[str, Any]]:
    """The results, each a message of its own in their order, then what was said."""
    results = [
        {"role": "tool", "tool_call_id": block["tool_use_id"], "content": _result(block)}
        for block in blocks
        if block["type"] == "tool_result"
    ]
    text = _joined(blocks)
    return [*results, {"role": role, "content": text}] if text else results


def _call(block: Block) -> dict[str, Any]:
    arguments = json.dumps(block.get("input") or {}, ensure_ascii=False)
    return {"id": block["id"], "type": "function", "function": {"name": block["name"], "arguments": arguments}}


def _result(block: Mapping[str, Any]) -> str:
    content = block.get("content") or ""
    text = content if isinstance(content, str) else _joined(content)
    return f"{FAILED}{text}" if block.get("is_error") and FAILED not in text[:80] else text


def _joined(blocks: Sequence[Block]) -> str:
    return "\n\n".join(b["text"] for b in blocks if b.get("type") == "text" and b.get("text"))
