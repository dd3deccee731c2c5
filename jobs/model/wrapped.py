"""Finds tool calls that a model wrote into its text. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from jobs.model.lenient import objects

_WRAPS = re.compile(
    r"<(?P<tag>tool_call|function_call|tool_use)>(?P<tagged>.*?)</(?P=tag)>"
    r"|^```[ \t]*(?:json|tool_call|tool_code|tool)?[ \t]*\n(?P<fenced>.*?)\n[ \t]*```[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_FUNCTION = re.compile(r"\s*<function=(?P<name>[\w.-]+)>(?P<body>.*?)</function>\s*", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=(?P<name>[\w.-]+)>\n?(?P<value>.*?)\n?</parameter>", re.DOTALL)
_ARGUMENTS = ("arguments", "parameters", "input", "args")

Named = tuple[str, Any]  # a tool's name and its arguments


def wrapped_calls(text: str) -> tuple[str, list[Named]]:
    """The text without the calls, and the calls in order; the text as it is where there is none."""
    if (bare := _calls(text)) and text.lstrip().startswith(("{", "[")):
        return "", bare
    calls: list[Named] = []
    rest: list[str] = []
    at = 0
    for wrap in _WRAPS.finditer(text):
        found = _calls(wrap["tagged"] if wrap["tag"] else wrap["fenced"])
        if found:
            rest.append(text[at : wrap.start()])
            at = wrap.end()
            calls += found
    return ("".join([*rest, text[at:]]).strip(), calls) if calls else (text, [])


def _calls(inner: str) -> list[Named]:
    """The calls that fill a wrap, [] if anything else stands there."""
    if function := _FUNCTION.fullmatch(inner):
        values = {p["name"]: p["value"] for p in _PARAMETER.finditer(function["body"])}
        return [(function["name"], values)]
    try:
        found = [_named(one) for one in objects(inner)]
    except ValueError:
        return []
    return [one for one in found if one is not None] if all(found) else []


def _named(one: Mapping[str, Any]) -> Named | None:
    """{name, arguments} or {function: {name, arguments}}; nothing else is a call."""
    inner = one.get("function")
    if isinstance(inner, Mapping):
        one = inner
    name = one.get("name") or one.get("tool")
    keys = [key for key in _ARGUMENTS if key in one]
    if not isinstance(name, str) or len(keys) != 1:
        return None
    return name, one[keys[0]]
