"""The maintainers' own words for contributors and agents, from the base commit."""

from __future__ import annotations

from jobs.repo.workspace import Workspace

_FILES = ("AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", ".github/CONTRIBUTING.md")
_BYTES = 8192


def guidance(workspace: Workspace) -> tuple[tuple[str, str], ...]:
    """(path, text) of each file, at most 8 KB together."""
    found: list[tuple[str, str]] = []
    room = _BYTES
    for path in _FILES:
        data = workspace.trees.read(workspace.base, path)
        if data and room > 0:
            found.append((path, data[:room].decode("utf-8", "replace")))
            room -= len(data)
    return tuple(found)
