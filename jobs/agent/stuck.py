"""Sees when a session goes round in circles: the same call on the same tree with the same result. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

STOP_AT = 4  # the repeat that is not run any more

# What differs between two runs of the same thing without meaning anything.
_NOISE = re.compile(
    r"\d+(?:\.\d+)?\s?m?s\b|0x[0-9a-f]{4,}|/tmp/\S+|\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?|\bpid \d+", re.IGNORECASE
)


class Stuck:
    """Counts repeats. A repeat counts only if call, result and tree are all the same."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str, str]] = Counter()
        self._last: dict[tuple[str, str], str] = {}

    def before(self, tool: str, args: Mapping[str, Any], workspace: str) -> int:
        """How often this call has already given its latest result on this tree."""
        key = _key(tool, args)
        result = self._last.get((key, workspace))
        return self._seen[key, workspace, result] if result is not None else 0

    def after(self, tool: str, args: Mapping[str, Any], workspace: str, result: str) -> int:
        """Remembers a result; how often it was given now. `workspace` is the tree before the call."""
        key, plain = _key(tool, args), _NOISE.sub("", result)
        self._last[key, workspace] = plain
        self._seen[key, workspace, plain] += 1
        return self._seen[key, workspace, plain]


def _key(tool: str, args: Mapping[str, Any]) -> str:
    return f"{tool} {' '.join(json.dumps(args, sort_keys=True, ensure_ascii=False, default=str).split())}"
