"""The places that an answer names, and which of them do not exist. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from jobs.agent.tools.paths import tidy

# A path with an ending or a folder, a colon, a line or a range of lines; nothing that is part of an address.
_PLACE = re.compile(r"(?<![\w/:.@-])((?:\.{0,2}/)?[\w.@+-]+(?:/[\w.@+-]+)*):(\d+)(?:[-–](\d+))?(?![\w:])")
# How the names of files end that answers name without a folder; other words with a dot are addresses.
_ENDINGS = re.compile(
    r"\.(?:py|pyi|pyx|[cm]?[jt]sx?|vue|svelte|go|rs|rb|php|java|kts?|scala|swift|cs|fs|[ch](?:pp|c|h|xx)?|exs?|erl|lua|pl|r"
    r"|sh|bash|sql|html?|css|scss|less|xml|json5?|ya?ml|toml|ini|cfg|conf|md|rst|txt|adoc|lock|gradle|cmake|proto|ipynb)$",
    re.IGNORECASE,
)
Lines = Callable[[str], int | None]  # a file's number of lines, None where there is no such file


@dataclass(frozen=True)
class Place:
    """Lines `start` to `end` of a file, from 1."""

    path: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.path}:{self.start}" + (f"-{self.end}" if self.end != self.start else "")


def places(text: str, lines_of: Lines) -> tuple[Place, ...]:
    """Every `file:line` and `file:line-line` in `text`, once each; a word without folder or a file's ending counts
    where there is such a file (`Makefile:3`), else it is something else (`localhost:8080`)."""
    found = [Place(tidy(path), int(start), int(end or start)) for path, start, end in _PLACE.findall(text)]
    known = (p for p in found if "/" in p.path or _ENDINGS.search(p.path) or lines_of(p.path) is not None)
    return tuple(dict.fromkeys(known))


def missing(text: str, lines_of: Lines) -> tuple[Place, ...]:
    """The places of `text` that don't exist."""
    return tuple(p for p in places(text, lines_of) if not 1 <= p.start <= p.end <= (lines_of(p.path) or 0))
