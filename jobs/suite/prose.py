"""Files of words: how those are named that hold no code. Pure."""

from __future__ import annotations

import re

MARKUP = ("md", "markdown", "rst", "adoc")
PROSE = (*MARKUP, "txt")  # txt is as often data, or what a package needs
# What stands beside the code of most projects, with any of these endings or none.
ASIDE = (
    *("CHANGELOG", "CHANGES", "NEWS", "HISTORY", "AUTHORS", "CONTRIBUTORS"),
    *("LICENSE", "LICENCE", "COPYING", "NOTICE"),
)
# By name and ending: history.py is code.
_ASIDE = re.compile(rf"(?:{'|'.join(ASIDE)})(?:[-_][^.]*)?(?:\.(?:{'|'.join(PROSE)}|in|(?-i:[A-Z]+)))?", re.IGNORECASE)


def is_prose(path: str) -> bool:
    """True if a path's ending says that it is written for people."""
    return path.lower().endswith(tuple(f".{ending}" for ending in PROSE))


def is_aside(name: str) -> bool:
    """True if a file of that name (without its folders) is a change log, a licence or the like."""
    return _ASIDE.fullmatch(name) is not None
