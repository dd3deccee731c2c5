"""Takes the oldest tool results out of a conversation in one batch when the model's window presses. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jobs.agent.merging import merged
from jobs.model.base import Block, Message

PRESSED, RELIEVED = 0.70, 0.45  # of the usable window: where it begins, and what it is brought down to
NEWEST = 40_000  # tokens of the newest results that stay, in a window of 200,000 or more; a fifth of a smaller one
LATEST = 3  # results that stay
LEAST = 20_000  # tokens; less is not worth a new cache
_DONE = "it was carried out as its result said; do not repeat it, read the files if you need their state"
_AGAIN = {"edit": _DONE, "write_file": _DONE, "shell": "it ran then; run it again only if it changes nothing"}
_TOO_MUCH = "it did not fit into the conversation; ask for less of it at once"
BYTES_A_TOKEN = 3.8


@dataclass(frozen=True)
class Keep:
    """What a cut must leave: this many of the latest results, and so many tokens of the newest ones."""

    results: int = LATEST
    tokens: int = NEWEST

    @classmethod
    def within(cls, window: int, results: int = LATEST) -> Keep:
        """For a window of so many tokens."""
        return cls(results, min(NEWEST, window // 5))


@dataclass(frozen=True)
class Cut:
    """The conversation after a cut, the ids of the calls whose results are gone, and how many tokens went."""

    messages: tuple[Message, ...]
    ids: frozenset[str]
    tokens: int


def cut(messages: Sequence[Message], too_many: int, *, least: int = LEAST, keep: Keep = Keep()) -> Cut | None:
    """`messages` without about `too_many` tokens of the oldest results, and with its one-call rounds merged; None where
    not even `least` can go. The task, calls, thinking and order stay."""
    asked = {b["id"]: b for m in messages if m["role"] == "assistant" for b in m["content"] if _is(b, "tool_use")}
    results = [b for m in messages if m["role"] == "user" for b in m["content"] if _is(b, "tool_result")]
    gone, tokens = _chosen(results, asked, too_many, keep)
    if tokens < least:
        return None
    kept = [_without(m, gone) for m in messages]
    return Cut((kept[0], *merged(kept[1:])), frozenset(gone), tokens)


def estimate(text: str) -> int:
    """About how many tokens `text` has."""
    return int(len(text.encode("utf-8", "replace")) / BYTES_A_TOKEN)


def _chosen(
    results: Sequence[Block], asked: Mapping[str, Block], too_many: int, keep: Keep
) -> tuple[dict[str, str], int]:
    """(placeholder by id, tokens) of the results to take out, oldest first, until enough are."""
    sizes = [estimate(r["content"]) for r in results]
    gone: dict[str, str] = {}
    tokens = 0
    for n, result in enumerate(results):
        if tokens >= too_many or n >= len(results) - keep.results or sum(sizes[n + 1 :]) < keep.tokens:
            break
        again = _TOO_MUCH if n == len(results) - 1 else "call it again if you need what it said"
        place = _placeholder(asked.get(result["tool_use_id"], {}), again)
        if not result["content"].startswith("[cleared: ") and sizes[n] > 2 * estimate(place):
            gone[result["tool_use_id"]] = place
            tokens += sizes[n] - estimate(place)
    return gone, tokens


def _placeholder(call: Block, again: str) -> str:
    """Names the call, so that the model knows what it can ask for again, and what it has done and must not repeat."""
    arguments = json.dumps(call.get("input", {}), ensure_ascii=False)
    short = arguments if len(arguments) <= 200 else f"{arguments[:200]}…"
    name = call.get("name", "result")
    return f"[cleared: {name} {short}; {_AGAIN.get(str(name), again)}]"


def _without(message: Message, gone: Mapping[str, str]) -> Message:
    content = message["content"]
    if not any(_is(b, "tool_result") and b["tool_use_id"] in gone for b in content):
        return message
    return {**message, "content": [_replaced(b, gone) for b in content]}


def _replaced(block: Block, gone: Mapping[str, str]) -> Block:
    place = gone.get(block.get("tool_use_id", "")) if _is(block, "tool_result") else None
    return block if place is None else {**block, "content": place}


def _is(block: Block, kind: str) -> bool:
    return bool(block.get("type") == kind)
