"""Refuses what the Messages API refuses, in its words. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any


class BadRequest(ValueError):
    """The request is refused with status 400; the text is the endpoint's message."""


def signature(thinking: str) -> str:
    """The signature of a thinking block: it no longer fits once the text is changed."""
    return "sig_" + hashlib.sha256(f"scripted:{thinking}".encode()).hexdigest()


def check(body: Mapping[str, Any], thought: Mapping[str, str]) -> None:
    """Raises BadRequest. `thought` maps ids of tool calls to the thinking that came before them."""
    for key in ("model", "max_tokens", "messages"):
        if key not in body:
            raise BadRequest(f"{key}: Field required")
    for key in ("temperature", "top_p", "top_k"):
        if key in body:
            raise BadRequest(f"{key}: Extra inputs are not permitted")
    messages = [{**m, "content": _content(m.get("content"))} for m in body["messages"]]
    if not messages or messages[0]["role"] != "user":
        raise BadRequest("messages: first message must use the user role")
    for n, message in enumerate(messages):
        _texts(n, message)
        if message["role"] == "assistant":
            _answered(n, message["content"], messages[n + 1 : n + 2])
            _thinking(n, message["content"], thought)
        else:
            _expected(n, message["content"], messages[n - 1]["content"] if n else [])


def _content(content: Any) -> list[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])


def _texts(n: int, message: Mapping[str, Any]) -> None:
    if not message["content"]:
        raise BadRequest(f"messages.{n}: all messages must have non-empty content")
    for block in message["content"]:
        if block.get("type") == "text" and not block.get("text"):
            raise BadRequest("messages: text content blocks must be non-empty")


def _answered(n: int, blocks: Sequence[Mapping[str, Any]], following: Sequence[Mapping[str, Any]]) -> None:
    asked = [b["id"] for b in blocks if b.get("type") == "tool_use"]
    if not asked:
        return
    given = [b.get("tool_use_id") for m in following for b in m["content"] if b.get("type") == "tool_result"]
    if missing := [i for i in asked if i not in given]:
        raise BadRequest(
            f"messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message."
        )
    if twice := [i for i, count in Counter(given).items() if count > 1]:
        raise BadRequest(
            f"messages.{n + 1}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
            f"{twice[0]}"
        )


def _expected(n: int, blocks: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]]) -> None:
    asked = {b["id"] for b in before if b.get("type") == "tool_use"}
    for at, block in enumerate(blocks):
        if block.get("type") == "tool_result" and block.get("tool_use_id") not in asked:
            raise BadRequest(
                f"messages.{n}.content.{at}: unexpected `tool_use_id` found in `tool_result` blocks: "
                f"{block.get('tool_use_id')}. Each `tool_result` block must have a corresponding `tool_use` block in "
                "the previous message."
            )


def _thinking(n: int, blocks: Sequence[Mapping[str, Any]], thought: Mapping[str, str]) -> None:
    there = [b for b in blocks if b.get("type") == "thinking"]
    for at, block in enumerate(blocks):
        if block.get("type") == "thinking" and block.get("signature") != signature(block.get("thinking", "")):
            raise BadRequest(f"messages.{n}.content.{at}: Invalid `signature` in `thinking` block")
        needed = thought.get(block.get("id", ""))
        if needed is not None and needed not in [b.get("thinking") for b in there]:
            raise BadRequest(
                f"messages.{n}.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message "
                "cannot be modified. These blocks must remain as they were in the original response."
            )
