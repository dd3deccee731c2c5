"""The folders that paths of a tree lie in. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def folders_of(paths: Iterable[bytes]) -> Iterator[bytes]:
    """Every folder above each of `paths`, the nearest first."""
    for path in paths:
        while b"/" in path:
            path = path.rpartition(b"/")[0]
            yield path
