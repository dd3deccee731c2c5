"""Sees when a session goes round in circles: the same call on the same tree with the same result."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping
from hashlib import sha256
from typing import Any

from jobs.agent.tools.paths import tidy

STOP_AT = 4  # the repeat that is not run any more
GRACES = 2  # how often one call on one tree may lose its result and count as new

# What differs between two runs of the same thing without meaning anything.
_NOISE = re.compile(
    r"\d+(?:\.\d+)?\s?m?s\b|0x[0-9a-f]{4,}|/tmp/\S+|\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?|\bpid \d+", re.IGNORECASE
)
_PATHS = ("path", "paths")
# On an unchanged tree these can't say anything new, however they word it.
_STEADY = ("readfile", "search", "edit", "write_file")


class Stuck:
    """Counts repeats, whatever lies between them, so that a circle of several calls is seen too: the same call on the
    same tree with the same result. Of reads, searches and edits the tree alone says what they can give, so how they
    word it does not count; of other calls a result that changes by itself, as of a job that is polled, is a new one."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str, str]] = Counter()
        self._last: dict[tuple[str, str], str] = {}
        self._graced: Counter[tuple[str, str]] = Counter()

    def forget(self, names: Collection[str]) -> None:
        """Whose results left the conversation may be called again; `names` are keys of calls. Not for ever: what a
        window can't hold beside the rest would go round in it until a cap ends it."""
        graced = {seen[:2] for seen in self._seen if seen[0] in names and self._graced[seen[:2]] < GRACES}
        self._graced.update(graced)
        self._seen = Counter({seen: times for seen, times in self._seen.items() if seen[:2] not in graced})

    def before(self, tool: str, args: Mapping[str, Any], workspace: str) -> int:
        """How often this call has already given its latest result on this tree."""
        name = key(tool, args)
        result = self._last.get((name, workspace))
        return self._seen[name, workspace, result] if result is not None else 0

    def after(self, tool: str, args: Mapping[str, Any], workspace: str, result: str) -> int:
        """Remembers a result; how often it was given now. `workspace` is the tree before the call."""
        name, plain = key(tool, args), "" if tool in _STEADY else digest(result)
        self._last[name, workspace] = plain
        self._seen[name, workspace, plain] += 1
        return self._seen[name, workspace, plain]


def key(tool: str, args: Mapping[str, Any]) -> str:
    """A name for a call that is equal for calls which ask the same: key order, spelling of paths and white space around
    a command aside."""
    try:
        plain = json.dumps(_tidied(args), sort_keys=True, ensure_ascii=False, default=str)
    except (RecursionError, TypeError):  # nested without end, or keys that can't be sorted: no tool takes that
        plain = "unreadable"
    return sha256(f"{tool} {plain}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def digest(result: str) -> str:
    """A name for a result, equal for results that differ in durations, addresses and the like only."""
    return sha256(_NOISE.sub("", result).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _tidied(value: Any, name: str = "") -> Any:
    if isinstance(value, Mapping):
        return {k: _tidied(v, str(k)) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_tidied(v, name) for v in value]
    if not isinstance(value, str):
        return value
    return tidy(value) if name in _PATHS else value.strip() if name == "command" else value
