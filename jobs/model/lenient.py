"""Reads JSON as models write it: strictly, or with the slips that leave no doubt about what was meant. Pure."""

from __future__ import annotations

import ast
import json
import math
import re
from typing import Any

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<double>"(?:[^"\\]|\\.)*")
      | (?P<single>'(?:[^'\\]|\\.)*')
      | (?P<mark>[{}\[\]:,])
      | (?P<word>True|False|None|true|false|null)\b
      | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])""",
    re.VERBOSE | re.DOTALL,
)
_DEEPEST = 64  # levels; what is nested deeper can't be walked through, or sent back
_WORDS = {"True": "true", "False": "false", "None": "null"}


def strict(text: str) -> Any:
    """The value of a JSON text. Raises ValueError for anything else, NaN, infinities and what is nested too deep
    included: no endpoint takes them back."""
    try:
        return flat(json.loads(text, parse_constant=_refuse, parse_float=_finite))
    except RecursionError:
        raise ValueError("nested too deep") from None


def flat(value: Any, levels: int = _DEEPEST) -> Any:
    """`value`, if it is nested no deeper. Raises ValueError."""
    if levels < 0:
        raise ValueError("nested too deep")
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inside:
        if isinstance(one, dict | list):
            flat(one, levels - 1)
    return value


def objects(text: str) -> list[dict[str, Any]]:
    """The one or more objects that `text` holds and nothing else; raw line ends in texts, commas before a closing
    bracket, single quotes and Python's words are read as what they mean. Raises ValueError, also for half an object."""
    rest, found = _plain(text).strip(), []
    decoder = json.JSONDecoder(strict=False, parse_constant=_refuse, parse_float=_finite)
    while rest:
        try:
            value, end = decoder.raw_decode(rest)
        except RecursionError:
            raise ValueError("nested too deep") from None
        several = value if isinstance(value, list) else [value]
        if not all(isinstance(one, dict) for one in several):
            raise ValueError("not an object")
        found += [flat(one) for one in several]
        rest = rest[end:].lstrip().removeprefix(",").lstrip()
    if not found:
        raise ValueError("nothing there")
    return found


def _plain(text: str) -> str:
    """The text with its slips put right; texts inside it are left as they are."""
    out: list[str] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"no JSON at character {at}")
        at = token.end()
        kind, said = str(token.lastgroup), token[0]
        if said in ("}", "]") and out and out[-1] == ",":
            out.pop()
        if kind != "space":
            out.append(_rewritten(kind, said))
    return " ".join(out)


def _rewritten(kind: str, said: str) -> str:
    if kind == "word":
        return _WORDS.get(said, said)
    if kind == "single":
        try:
            return json.dumps(ast.literal_eval(said.replace("\n", "\\n").replace("\r", "\\r")))
        except SyntaxError as wrong:
            raise ValueError(str(wrong)) from None
    return said


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _refuse(number)


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")
