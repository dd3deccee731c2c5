"""What is wrong with a call's arguments, in one plain clause for each. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_TOLD = 5  # of one call's faults
_NAME = 60  # characters of one name that the caller made up
# What an argument must be, by the first word of the fault's kind.
_MUST = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "finite": "a number",
    "bool": "true or false",
    "tuple": "a list",
    "mapping": "an object",
    "dict": "an object",
    "dataclass": "an object",
}


def told(faults: Sequence[Mapping[str, Any]]) -> str:
    """`faults` are {type, loc, input}, as the checking library gives them; at most five are told."""
    rows = [_told(fault) for fault in faults[:_TOLD]]
    more = [f"and {len(faults) - _TOLD} more"] if len(faults) > _TOLD else []
    return "; ".join([*rows, *more])


def _told(fault: Mapping[str, Any]) -> str:
    name = _name(fault["loc"])
    kind = str(fault["type"])
    if kind.startswith("missing"):
        return f"{name} is missing"
    if kind.startswith("unexpected"):
        return f"{name} is no argument of it"
    must = _MUST.get(kind.partition("_")[0])
    return (
        f"{name} must be {must}, not {_given(fault['input'])}" if must else f"{name} can't be {_given(fault['input'])}"
    )


def _name(place: Sequence[str | int]) -> str:
    """`edits[0].path` for ("edits", 0, "path")."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part[:_NAME]}" for part in place]
    return "".join(parts).removeprefix(".") or "the arguments"


def _given(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)[:_NAME]
    if isinstance(value, str):
        return "text"
    return "an object" if isinstance(value, Mapping) else "a list"
