"""Scripts for the scripted model endpoint: which reply answers which request. Pure.

A script is a list of replies in YAML or JSON. Each is one of

    {text: "…"} | {calls: [{name: edit, input: {…}}]} (with an optional text before them) | {blocks: [content blocks]}

with these optional keys:

    when      {contains, not_contains, regex: text or list of texts, turn: n}; all must hold. Texts are looked for in
              everything the request says (system, messages, results); `turn` counts the assistant's turns so far.
    repeat    how often it may answer within one conversation (1), or true for always
    thinking  text of a thinking block that comes first
    extract   {NAME: regex}; the first group found in the request replaces `<<NAME>>` in the reply's texts
    fault     overloaded | rate_limited | unauthorized | forbidden | billing | spend_limit | spend_limit_429
              | server_error | too_long | too_large | not_found | retry_never | retry_please (by `x-should-retry`)
              | mid_stream_overloaded | cut | reset | max_tokens | overflow | slow | pings | paused | empty | refusal;
              used `times` times (1), per server
    times, seconds    of a fault: how often it happens, how long `slow` and `pings` take and a refusal asks to wait

A call may have `raw`, the text of its arguments as it is sent, instead of `input`.

The first reply in the list answers that fits and is not used up. What is used up is read from the request itself (its
tool ids and texts), so a run that begins again finds the script unused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

_REFUSED = (
    *("overloaded", "rate_limited", "unauthorized", "forbidden", "spend_limit", "server_error", "too_long"),
    *("billing", "spend_limit_429", "not_found", "too_large", "retry_never", "retry_please"),
)
_SPOILED = (
    *("mid_stream_overloaded", "cut", "reset", "max_tokens", "overflow", "slow", "pings", "paused", "empty"),
    "refusal",
)
FAULTS = frozenset((*_REFUSED, *_SPOILED))
_ID = "toolu_s{index:03d}u{use}c{call}"
_IDS = re.compile(r"toolu_s(\d{3})u(\d+)c\d+$")
_KEYS = {"when", "repeat", "thinking", "extract", "fault", "times", "seconds", "text", "calls", "blocks"}


class BadScript(ValueError):
    """The script can't be used; the text says which reply and why."""


@dataclass(frozen=True)
class Step:
    """One reply of the script."""

    index: int
    when: Mapping[str, Any] = field(default_factory=dict)
    blocks: tuple[Mapping[str, Any], ...] = ()
    repeat: int | None = 1  # None: always
    extract: Mapping[str, str] = field(default_factory=dict)
    fault: str | None = None
    times: int = 1
    seconds: float = 0.0


@dataclass(frozen=True)
class Request:
    """One Messages request, as far as scripts look at it."""

    text: str
    turns: int
    ids: tuple[str, ...]
    said: tuple[str, ...]  # texts of the assistant's turns

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Request:
        """From a request's JSON body."""
        messages = body.get("messages") or []
        assistant = [b for m in messages if m["role"] == "assistant" for b in _blocks(m["content"])]
        return cls(
            text="\n".join(texts([body.get("system") or [], *(m["content"] for m in messages)])),
            turns=sum(m["role"] == "assistant" for m in messages),
            ids=tuple(b["id"] for b in assistant if b.get("type") == "tool_use"),
            said=tuple(b["text"] for b in assistant if b.get("type") == "text"),
        )


def load(script: Path | Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    """The steps of a script file or list. Raises BadScript."""
    rows = yaml.safe_load(script.read_text("utf-8")) if isinstance(script, Path) else script
    if not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        raise BadScript("a script is a list of replies")
    return tuple(_step(index, row) for index, row in enumerate(rows))


def _step(index: int, row: Mapping[str, Any]) -> Step:
    if unknown := sorted(set(row) - _KEYS):
        raise BadScript(f"reply {index + 1} has unknown keys: {', '.join(unknown)}")
    fault = row.get("fault")
    if fault is not None and fault not in FAULTS:
        raise BadScript(f"reply {index + 1} has an unknown fault {fault!r}")
    repeat = row.get("repeat", 1)
    return Step(
        index=index,
        when=row.get("when") or {},
        blocks=tuple(_written(row)),
        repeat=None if repeat is True else int(repeat),
        extract=row.get("extract") or {},
        fault=fault,
        times=int(row.get("times", 1)),
        seconds=float(row.get("seconds", 0.0)),
    )


def _written(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    thinking = [{"type": "thinking", "thinking": row["thinking"]}] if row.get("thinking") else []
    if "blocks" in row:
        return [*thinking, *row["blocks"]]
    text = [{"type": "text", "text": row["text"]}] if row.get("text") else []
    calls = [{"type": "tool_use", "input": {}, **c} for c in row.get("calls", ())]
    return [*thinking, *text, *calls]


def choose(steps: Sequence[Step], request: Request, faults_done: Mapping[int, int]) -> Step | None:
    """The step that answers `request`; `faults_done` counts the faults that already happened, by index."""
    for step in steps:
        if step.fault is not None and faults_done.get(step.index, 0) >= step.times:
            continue
        if step.fault is None and step.repeat is not None and used(step, request) >= step.repeat:
            continue
        if fits(step.when, request):
            return step
    return None


def used(step: Step, request: Request) -> int:
    """How often `step` stands in the request's history."""
    uses = {m[2] for i in request.ids if (m := _IDS.match(i)) and int(m[1]) == step.index}
    if uses or any(b["type"] == "tool_use" for b in step.blocks):
        return len(uses)
    own = [b["text"] for b in rendered(step, request) if b["type"] == "text"]
    return request.said.count(own[0]) if own else 0


def fits(when: Mapping[str, Any], request: Request) -> bool:
    """Whether every condition holds."""
    checks: dict[str, Callable[[Any], bool]] = {
        "contains": lambda want: all(w in request.text for w in _several(want)),
        "not_contains": lambda want: not any(w in request.text for w in _several(want)),
        "regex": lambda want: all(re.search(w, request.text, re.MULTILINE) for w in _several(want)),
        "turn": lambda want: request.turns == want,
    }
    if unknown := sorted(set(when) - set(checks)):
        raise BadScript(f"unknown condition: {', '.join(unknown)}")
    return all(checks[name](want) for name, want in when.items())


def rendered(step: Step, request: Request) -> list[dict[str, Any]]:
    """The step's blocks with values out of the request filled in and ids given."""
    values = {name: _found(pattern, request.text) for name, pattern in step.extract.items()}
    blocks = [dict(_filled(block, values)) for block in step.blocks]
    use = len({m[2] for i in request.ids if (m := _IDS.match(i)) and int(m[1]) == step.index}) + 1
    for number, block in enumerate(b for b in blocks if b["type"] == "tool_use"):
        block.setdefault("id", _ID.format(index=step.index, use=use, call=number))
    return blocks


def texts(node: Any) -> list[str]:
    """Every text that a person would read in a part of a request."""
    if isinstance(node, str):
        return [node]
    if isinstance(node, Mapping):
        if node.get("type") == "tool_use":
            return [json.dumps(node["input"], ensure_ascii=False)]
        return [t for key in ("text", "content", "thinking") for t in texts(node.get(key, []))]
    return [t for item in node for t in texts(item)] if isinstance(node, Sequence) else []


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return (found[1] if found.groups() else found[0]) if found else ""


def _filled(node: Any, values: Mapping[str, str]) -> Any:
    if isinstance(node, str):
        for name, value in values.items():
            node = node.replace(f"<<{name}>>", value)
        return node
    if isinstance(node, Mapping):
        return {key: _filled(value, values) for key, value in node.items()}
    return [_filled(item, values) for item in node] if isinstance(node, list) else node


def _blocks(content: Any) -> list[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _several(value: Any) -> Sequence[str]:
    return [value] if isinstance(value, str) else list(value)
