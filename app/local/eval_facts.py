"""Judges an answer to a question by the facts and places that it must name. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_NEAR = 3  # lines that a named place may be off
_BETWEEN = r"[`*\]\)\"']*(?:\([^)\n]*\))?\s*(?::|#L|,?\s*(?:at |on )?lines?\s*|\s*\(lines?\s*)\s*[`*]*"
_RANGE = r"(\d+)(?:\s*[-–]\s*L?(\d+))?"


def missing(answer: str, facts: Sequence[Mapping[str, Any]], read: Callable[[str], str]) -> tuple[str, ...]:
    """What `answer` does not say, in words. `read` gives a file of the repository by path.

    A fact is {says, path, line, near?, words?}: the answer must name `path` with a number at most `near` (3) lines
    from the line whose text is `line`, or a range that holds it, and one of `words`. Raises ValueError for a fact whose
    line is not in its file.
    """
    return tuple(str(fact["says"]) for fact in facts if not _told(answer, fact, read(str(fact["path"]))))


def _told(answer: str, fact: Mapping[str, Any], text: str) -> bool:
    words = [str(word).casefold() for word in fact.get("words", ())]
    said = not words or any(word in answer.casefold() for word in words)
    return said and places(answer, str(fact["path"]), number(text, fact), int(fact.get("near", _NEAR)))


def number(text: str, fact: Mapping[str, Any]) -> int:
    """The number (from 1) of a fact's line in its file."""
    rows = [row.strip() for row in text.splitlines()]
    if rows.count(str(fact["line"]).strip()) != 1:
        raise ValueError(f"{fact['path']} has the line {fact['line']!r} {rows.count(str(fact['line']).strip())} times.")
    return rows.index(str(fact["line"]).strip()) + 1


def places(answer: str, path: str, line: int, near: int) -> bool:
    """True if the answer names `path` with a line, or a range of lines, that is at most `near` off.

    Read are `a/b.py:12`, `a/b.py:12-20`, `a/b.py#L12`, `a/b.py, line 12` and further numbers behind commas.
    """
    found = re.finditer(
        rf"(?<![\w/.-])(?:\./|/src/)?{re.escape(path)}{_BETWEEN}{_RANGE}((?:\s*(?:,|and)\s*:?\d+(?!\w))*)", answer
    )
    for one in found:
        first, last = int(one[1]), int(one[2] or one[1])
        more = [int(n) for n in re.findall(r"\d+", one[3])]
        if first - near <= line <= last + near or any(abs(line - n) <= near for n in more):
            return True
    return False
