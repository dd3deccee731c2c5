"""What of a recorded request is changed before it is sent again. Pure but for the files that a change names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from jobs.agent.merging import merged
from jobs.errors import UserError
from jobs.model.base import Block, Message
from jobs.trace.bodies import Recorded, marked

_CHOICES = {"thinking": ("off", "adaptive"), "merged": ("yes", "no")}
KEYS = ("model", "base_url", "thinking", "prompt", "descriptions", "tools", "merged")
_THOUGHT = ("thinking", "redacted_thinking")


@dataclass(frozen=True)
class Variant:
    """One set of changes, by key; empty: everything as it was recorded."""

    changes: Mapping[str, str]

    @property
    def name(self) -> str:
        """How the table calls it."""
        return " ".join(f"{key}={value}" for key, value in self.changes.items()) or "as recorded"

    def of(self, recorded: Recorded) -> Recorded:
        """The request with the changes made. Raises UserError where a change does not fit it."""
        changes = self.changes
        made = replace(recorded, model=changes.get("model", recorded.model))
        if "prompt" in changes:
            made = replace(made, system=_prompt(made.system, Path(changes["prompt"])))
        if "descriptions" in changes:
            made = replace(made, tools=_described(made.tools, Path(changes["descriptions"])))
        if "tools" in changes:
            made = replace(made, tools=_kept(made.tools, changes["tools"]))
        if made.model != recorded.model or changes.get("thinking") == "off":
            made = replace(made, messages=_thoughtless(made.messages))
        if changes.get("merged") == "yes":
            made = replace(made, messages=_merged(made.messages))
        return made


def variants(given: Sequence[str]) -> tuple[Variant, ...]:
    """The variants of KEY=VALUE texts: a key that is given several times makes one variant for each of its values.

    Raises UserError with the next step.
    """
    values: dict[str, list[str]] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or key not in KEYS or not value:
            raise UserError(f"--set {text}: give KEY=VALUE, where KEY is one of {', '.join(KEYS)}.")
        if value not in _CHOICES.get(key, (value,)):
            raise UserError(f"--set {text}: {key} is {' or '.join(_CHOICES[key])}.")
        values.setdefault(key, []).append(value)
    return tuple(Variant(dict(zip(values, chosen, strict=True))) for chosen in product(*values.values()))


def _prompt(system: Sequence[Block], path: Path) -> tuple[Block, ...]:
    marks = {k: v for block in system[-1:] for k, v in block.items() if k == "cache_control"}
    return ({"type": "text", "text": _text(path), **marks},)


def _described(tools: Sequence[Block], folder: Path) -> tuple[Block, ...]:
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder (--set descriptions): give one with a NAME.md for each tool.")
    found = {tool["name"]: folder / f"{tool['name']}.md" for tool in tools}
    texts = {name: _text(path) for name, path in found.items() if path.is_file()}
    if not texts:
        raise UserError(f"{folder} describes none of the tools: it needs files such as {tools[0]['name']}.md.")
    return tuple({**t, "description": texts[t["name"]]} if t["name"] in texts else t for t in tools)


def _kept(tools: Sequence[Block], wanted: str) -> tuple[Block, ...]:
    names = [tool["name"] for tool in tools]
    asked = {name.strip() for name in wanted.split(",")}
    if unknown := sorted(asked - set(names)):
        raise UserError(f"--set tools: there is no {', '.join(unknown)}. The tools were {', '.join(names)}.")
    return tuple(tool for tool in tools if tool["name"] in asked)


def _merged(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The conversation with earlier one-call rounds merged into several-call rounds, as at a context cut."""
    plain = merged([_without(message, "cache_control") for message in messages])
    return (*plain[:-1], marked(plain[-1]))


def _without(message: Message, key: str) -> Message:
    return {**message, "content": [{k: v for k, v in block.items() if k != key} for block in _blocks(message)]}


def _thoughtless(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Without thinking, which only the model that wrote it can read."""
    bare = ({**m, "content": [b for b in _blocks(m) if b.get("type") not in _THOUGHT]} for m in messages)
    return tuple(message for message in bare if message["content"])


def _blocks(message: Message) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _text(path: Path) -> str:
    if not path.is_file():
        raise UserError(f"{path} is not a file: give one with the new text.")
    return path.read_text(encoding="utf-8", errors="replace").strip()
