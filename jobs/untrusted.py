"""Text that comes in from people: what a reader of the page could not see is taken out and told. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import NewType

UntrustedText = NewType("UntrustedText", str)
LIMIT = 32_000  # characters of one text that go into a prompt

_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# `[//]: # (text)` and its like: a link definition that nothing links to, used to hide text.
_NULL_DEFINITION = re.compile(r"^[ >]*\[[^\]\n]*\]:[ \t]*(?:#|<>|<#>)(?:[ \t]+.*)?$", re.MULTILINE)
_LINE_ENDS = re.compile(r"\r\n?|\u2028|\u2029|\x85|\x0b|\x0c")
# Letters and marks by category, blank on the page all the same.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


@dataclass(frozen=True)
class Received:
    """`text` is what a person could read; `removed` says in words what was taken out."""

    text: UntrustedText
    removed: tuple[str, ...]


def receive(text: str, *, limit: int = LIMIT) -> Received:
    """Cleans one text from people: hidden comments until none is left, invisible characters, terminal codes; at most
    `limit` characters stay."""
    seen, comments = visible(text), 0
    invisible = len(_LINE_ENDS.sub("\n", text)) - len(seen)
    while True:
        less, first = _HTML_COMMENT.subn("", seen)
        less, second = _NULL_DEFINITION.subn("", less)
        comments += first + second
        if less == seen:
            break
        seen = less
    cut = max(0, len(seen) - limit)
    removed = (
        _count(comments, "hidden comment"),
        _count(invisible, "invisible character"),
        _count(cut, "character over the limit", "characters over the limit"),
    )
    return Received(UntrustedText(seen[:limit]), tuple(r for r in removed if r))


def visible(text: str) -> str:
    """`text` with one kind of line end, plain spaces, and without characters that show nothing."""
    text = _BLANK.sub("", _TERMINAL.sub("", _LINE_ENDS.sub("\n", text)))
    return text if text.isascii() and text.isprintable() else "".join(map(_shown, text))


def _shown(char: str) -> str:
    if char in "\n\t":
        return char
    category = unicodedata.category(char)
    if category == "Zs":
        return " "
    return "" if category in ("Cc", "Cf", "Co", "Cs") else char


def _count(number: int, one: str, many: str = "") -> str:
    if number <= 0:
        return ""
    return f"{number} {one if number == 1 else many or one + 's'}"
