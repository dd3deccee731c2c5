"""The places that an answer names, and which of them do not exist. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from jobs.agent.tools.paths import tidy

# A path with an ending or a folder, a colon, a line or a range of lines; nothing that is part of an address.
_PLACE = re.compile(r"(?<![\w/:.@-])((?:\.{0,2}/)?[\w.@+-]+(?:/[\w.@+-]+)*):(\d+)(?:[-–](\d+))?(?![\w:])")
_FILE = re.compile(r"/|\.[A-Za-z]\w*$")


@dataclass(frozen=True)
class Place:
    """Lines `start` to `end` of a file, from 1."""

    path: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.path}:{self.start}" + (f"-{self.end}" if self.end != self.start else "")


def places(text: str) -> tuple[Place, ...]:
    """Every `file:line` and `file:line-line` in `text`, once each."""
    found = [
        Place(tidy(path), int(start), int(end or start))
        for path, start, end in _PLACE.findall(text)
        if _FILE.search(path)
    ]
    return tuple(dict.fromkeys(found))


def missing(text: str, lines_of: Callable[[str], int | None]) -> tuple[Place, ...]:
    """The places of `text` that don't exist. `lines_of` gives a file's number of lines, None where there is no file."""
    return tuple(p for p in places(text) if not 1 <= p.start <= p.end <= (lines_of(p.path) or 0))
