"""Puts one call's arguments into the form that its tool's schema asks for, where it is clear what was meant. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobs.model.lenient import objects, strict
from jobs.model.second_names import ARGUMENTS, REMARKS

Schema = Mapping[str, Any]
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}


def fits(value: Any, schema: Schema) -> bool:
    """Whether `value` has the form that the schema asks for."""
    kind = _KINDS.get(str(schema.get("type")))
    if kind is not None and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)):
        return False
    if isinstance(value, dict):
        known = _properties(schema)
        if not known and not schema.get("required"):
            return True
        there = set(value) <= set(known) and set(schema.get("required") or ()) <= set(value)
        return there and all(fits(one, known[key]) for key, one in value.items())
    return not isinstance(value, list) or all(fits(one, schema.get("items") or {}) for one in value)


def mend(value: Any, schema: Schema) -> tuple[Any, list[str]]:
    """`value` in the schema's form as far as it can be told, and what was mended."""
    if fits(value, schema):
        return value, []
    kind = schema.get("type")
    if kind == "array":
        return _list(value, schema)
    if kind == "object":
        return _object(value, schema)
    return _scalar(value, str(kind))


def _object(value: Any, schema: Schema) -> tuple[Any, list[str]]:
    notes: list[str] = []
    if isinstance(value, str):
        try:
            (value,) = objects(value)
        except ValueError:
            return value, []
        notes.append("an object from JSON text")
    if not isinstance(value, dict) or not _properties(schema):
        return value, notes
    flat, said = _flat(value, schema)
    if flat is None:
        flat, said = _renamed(value, schema)
    known = _properties(schema)
    out = {}
    for key, one in flat.items():
        out[key], deeper = mend(one, known[key]) if key in known else (one, [])
        said = [*said, *(f"{key}: {phrase}" for phrase in deeper)]
    return out, [*notes, *said]


def _flat(value: Mapping[str, Any], schema: Schema) -> tuple[dict[str, Any] | None, list[str]]:
    """The arguments as the one item of the one list that they fit, None if there is no such list."""
    known = _properties(schema)
    if set(value) - REMARKS <= set(known):
        return None, []
    found = []
    for name, one in known.items():
        item = one.get("items") or {}
        if one.get("type") != "array" or not _properties(item) or name in value:
            continue
        inner, said = _renamed(value, item)
        if set(inner) <= set(_properties(item)) and set(item.get("required") or ()) <= set(inner):
            found.append((name, inner, said))
    if len(found) != 1:
        return None, []
    ((name, inner, said),) = found
    return {name: [inner]}, [*said, f"one item given flat -> {name}"]


def _renamed(value: Mapping[str, Any], schema: Schema) -> tuple[dict[str, Any], list[str]]:
    """The arguments by the schema's names; one whose name could stand for two, or whose place is taken, stays."""
    known = set(_properties(schema))
    meant = {key: _meaning(key, known - set(value)) for key in value if key not in known}
    targets = list(meant.values())
    out: dict[str, Any] = {}
    notes = []
    for key, one in value.items():
        target = meant.get(key)
        if target is not None and targets.count(target) == 1:
            out[target] = one
            notes.append(f"{key} -> {target}")
        elif key in meant and key in REMARKS | {"command"} and target is None and _spare(key, value, known):
            notes.append(f"{key} left out")
        else:
            out[key] = one
    return out, notes


def _spare(key: str, value: Mapping[str, Any], known: set[str]) -> bool:
    """Remarks are; so is what an editing tool of another kind said in `command`."""
    return key in REMARKS or value[key] in ("view", "create", "str_replace")


def _meaning(key: str, free: set[str]) -> str | None:
    return next((target for target in ARGUMENTS.get(key, ()) if target in free), None)


def _list(value: Any, schema: Schema) -> tuple[Any, list[str]]:
    item = schema.get("items") or {}
    notes: list[str] = []
    if isinstance(value, str):
        value, notes = _list_of_text(value, item)
    elif isinstance(value, dict) and item.get("type") == "object":
        value, notes = [value], ["one item -> list"]
    if not isinstance(value, list):
        return value, notes
    mended = [mend(one, item) for one in value]
    return [one for one, _ in mended], [*notes, *(phrase for _, said in mended for phrase in said)]


def _list_of_text(text: str, item: Schema) -> tuple[Any, list[str]]:
    """A list in JSON text, or the one text that a list of texts would hold."""
    try:
        value = objects(text) if item.get("type") == "object" else strict(text)
    except ValueError:
        value = None
    if isinstance(value, list):
        return value, ["a list from JSON text"]
    return ([text], ["one text -> list"]) if item.get("type") == "string" else (text, [])


def _scalar(value: Any, kind: str) -> tuple[Any, list[str]]:
    if kind in ("integer", "number", "boolean") and isinstance(value, str):
        try:
            read = strict(value.strip().lower())
        except ValueError:
            return value, []
        if fits(read, {"type": kind}):
            return read, [f"a {kind} from text"]
    return value, []


def _properties(schema: Schema) -> Mapping[str, Any]:
    return schema.get("properties") or {}
