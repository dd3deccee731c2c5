"""What the files of the tree held when a tool last knew, so that a change can be shown. Pure."""

from __future__ import annotations

MOST_EACH = 1 << 20  # bytes of a file that is kept
MOST = 64 << 20  # bytes of all; the oldest go first


class Texts:
    """Bytes by path, None for what does not exist."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes | None] = {}
        self._lost: set[str] = set()
        self._size = 0

    def keep(self, path: str, data: bytes | None) -> None:
        """`path` holds `data` now."""
        self.lose(path)
        if data is not None and len(data) > MOST_EACH:
            return
        self._lost.discard(path)
        self._kept[path] = data
        self._size += len(data or b"")
        while self._size > MOST:
            self.lose(next(iter(self._kept)))

    def lose(self, path: str) -> None:
        """`path` holds something that is not known."""
        self._size -= len(self._kept.pop(path, None) or b"")
        self._lost.add(path)

    def known(self, path: str) -> bool:
        """True if what `path` holds is kept."""
        return path in self._kept

    def lost(self, path: str) -> bool:
        """True if `path` was known once, or changed: what it held at first tells nothing any more."""
        return path in self._lost

    def of(self, path: str) -> bytes | None:
        """What is kept of `path`."""
        return self._kept.get(path)
