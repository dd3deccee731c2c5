"""Puts right what weaker endpoints send, where it is clear what was meant, before anybody acts on it. Pure.

Well-formed calls pass untouched. Every mend of what the model wrote is named; ids are the endpoint's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from jobs.model.base import Block, Request
from jobs.model.lenient import objects
from jobs.model.mend_arguments import fits, mend
from jobs.model.second_names import COMMANDS, TOOLS
from jobs.model.wrapped import wrapped_calls

# Tools whose several objects are the items of one list.
_LISTS = {"edit": "edits", "write_file": "files"}


class Unreadable(ValueError):
    """A call's arguments are no JSON and leave a doubt about what was meant."""


@dataclass(frozen=True)
class Mended:
    """The blocks to keep (the very same tuple where nothing was mended), why the reply ended, and one phrase a mend."""

    blocks: tuple[Block, ...]
    stop_reason: str
    notes: tuple[str, ...] = ()


def normalise(
    blocks: tuple[Block, ...], stop: str, unread: Mapping[str, str], request: Request, *, in_text: bool = True
) -> Mended:
    """A complete reply put right. `unread` are arguments that are no JSON, by the call's id; with `in_text` a reply
    without calls is searched for some that were written as text.

    Raises Unreadable. A reply that was cut or refused stays as it came: nothing in it is run.
    """
    if stop not in ("end_turn", "stop_sequence", "tool_use"):
        return Mended(blocks, stop)
    schemas = {str(tool["name"]): tool.get("input_schema") or {} for tool in request.tools}
    if not any(block.get("type") == "tool_use" for block in blocks):
        return _from_text(blocks, stop, schemas, len(request.messages)) if in_text else Mended(blocks, stop)
    if stop != "tool_use":  # not asked for properly: whoever reads it decides
        return Mended(blocks, stop)
    kept: list[Block] = []
    notes: list[str] = []
    for block in blocks:
        made, said = _call(block, unread, schemas) if block.get("type") == "tool_use" else ([block], [])
        kept += made
        notes += said
    made = _returnable(kept, request, notes)
    same = len(made) == len(blocks) and all(new is old for new, old in zip(made, blocks, strict=True))
    return Mended(blocks if same else tuple(made), stop, tuple(notes))


def _returnable(blocks: Sequence[Block], request: Request, notes: list[str]) -> list[Block]:
    """The blocks as every endpoint takes them back: a call's arguments are an object, and its id is no other call's."""
    new = tuple(block["id"] for block in blocks if block.get("type") == "tool_use")
    said = [m["content"] for m in request.messages if m["role"] == "assistant" and type(m["content"]) is list]
    # A conversation is long and this is done for each reply: only ids that could stand in the way are kept.
    taken = {b["id"] for content in said for b in content if "id" in b and str(b["id"]).startswith(new)}
    made = []
    for block in blocks:
        if block.get("type") == "tool_use":
            if not isinstance(block.get("input"), Mapping):
                given = block.get("input")
                notes.append(f"{block['name']}: arguments that were no object")
                block = {**block, "input": {} if given is None else {"input": given}}
            if (ident := _free(block["id"], taken)) != block["id"]:
                block = {**block, "id": ident}
            taken.add(ident)
        made.append(block)
    return made


def _free(ident: str, taken: Container[object]) -> str:
    return next(name for name in chain([ident], (f"{ident}_{n}" for n in count(2))) if name not in taken)


def _call(block: Block, unread: Mapping[str, str], schemas: Mapping[str, Any]) -> tuple[list[Block], list[str]]:
    """The calls that one block becomes, and what was mended."""
    given: Sequence[Any] = [block.get("input")]
    notes: list[str] = []
    written = unread.get(str(block.get("id")))
    if written is None and isinstance(given[0], str):
        written = given[0]
    if written is not None:
        given = _read(str(block.get("name")), written)
        notes.append(f"{block.get('name')}: {len(given)} sets of arguments in loose JSON")
    name, renamed = _named(block, given[0], schemas)
    if name not in schemas:
        return ([block] if written is None else [{**block, "input": given[0]}]), notes
    if not notes and not renamed and fits(given[0], schemas[name]):
        return [block], []
    if renamed:
        notes.append(f"{block.get('name')} -> {name}")
    inputs = []
    for one in given:
        arguments, said = mend(one, schemas[name])
        inputs.append(arguments)
        notes += [f"{name}: {phrase}" for phrase in said]
    return _blocks(block, name, inputs), notes


def _read(name: str, written: str) -> list[dict[str, Any]]:
    try:
        return objects(written)
    except ValueError as wrong:
        raise Unreadable(f"the arguments of {name} are no JSON ({wrong}).") from None


def _named(block: Block, given: Any, schemas: Mapping[str, Any]) -> tuple[str, bool]:
    """The tool that is meant, and whether it was called by another name."""
    name = str(block.get("name"))
    if name in schemas:
        return name, False
    if name in COMMANDS and isinstance(given, dict):
        known = COMMANDS[name].get(str(given.get("command")), name)
    else:
        known = TOOLS.get(name, name)
    return (known, True) if known in schemas else (name, False)


def _blocks(block: Block, name: str, inputs: list[Any]) -> list[Block]:
    """One call; several where several were made at once and they are not items of one list."""
    items = _LISTS.get(name)
    if len(inputs) > 1 and items and all(isinstance(i, dict) and set(i) == {items} for i in inputs):
        inputs = [{items: [item for one in inputs for item in one[items]]}]
    ids = [str(block["id"]) if n == 0 else f"{block['id']}_{n + 1}" for n in range(len(inputs))]
    return [{**block, "id": ident, "name": name, "input": i} for ident, i in zip(ids, inputs, strict=True)]


def _from_text(blocks: tuple[Block, ...], stop: str, schemas: Mapping[str, Any], turn: int) -> Mended:
    """Calls that were written into the text where none was made."""
    kept: list[Block] = []
    notes: list[str] = []
    for at, block in enumerate(blocks):
        text, calls = wrapped_calls(str(block.get("text"))) if block.get("type") == "text" else ("", [])
        made: list[Block] = []
        for n, (name, arguments) in enumerate(calls):
            ident = f"call_t{turn}_{at}_{n}_{_short(str(block['text']))}"  # no other turn's
            call: Block = {"type": "tool_use", "id": ident, "name": name, "input": arguments}
            try:
                several, said = _call(call, {}, schemas)
            except Unreadable:
                return Mended(blocks, stop)
            if several[0]["name"] not in schemas or not all(isinstance(one["input"], Mapping) for one in several):
                return Mended(blocks, stop)  # an example of something else
            made += several
            notes += [f"call in the text -> {several[0]['name']}", *said]
        kept += [*([{**block, "text": text}] if text else []), *made] if made else [block]
    return Mended(tuple(kept), "tool_use", tuple(notes)) if notes else Mended(blocks, stop)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
