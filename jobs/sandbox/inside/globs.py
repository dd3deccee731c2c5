"""Globs with brackets in them: a class of characters, or the name of a folder such as `[id]`; both are tried."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing typing would double the start-up of a script that runs at every call
if TYPE_CHECKING:
    from collections.abc import Sequence


def ways(globs: Sequence[str]) -> list[str]:
    """The globs, and behind each the same with its brackets taken literally, as ripgrep writes them."""
    return [way for glob in globs for way in (glob, _literal(glob)) if way]


def _literal(glob: str) -> str:
    """Empty where nothing would be different."""
    return "" if "[" not in glob or "\\" in glob else glob.replace("[", "\\[").replace("]", "\\]")


def fits(path: str, globs: Sequence[str]) -> bool:
    """Whether the path fits every glob, but for those that begin with `!`."""
    from fnmatch import fnmatchcase  # noqa: PLC0415   slow to load, and rarely needed

    named = ((path if "/" in g else os.path.basename(path), g) for g in globs if not g.startswith("!"))
    return all(fnmatchcase(name, g) or fnmatchcase(name, g.replace("[", "[[]")) for name, g in named)
