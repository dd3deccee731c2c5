"""How long layers are kept: those that were used longest ago go first, and none that a run may be using."""

from __future__ import annotations

import os
import time
from pathlib import Path

from jobs.sandbox import files
from jobs.sandbox.files import disk_usage

LIMIT = 30 << 30  # bytes of all layers together
_SAFE_S = 24 * 3600.0  # no run lasts as long: what was used since may be in use
_RECORD, _SIZE = "layer.json", "size"


def used(layer: Path) -> None:
    """Remembers that the layer at `layer` is used now."""
    os.utime(layer / _RECORD)


def weighed(layer: Path) -> None:
    """Remembers how many bytes a layer that was just made holds."""
    (layer / _SIZE).write_text(str(disk_usage(layer)[0]))


def prune(root: Path, limit: int = LIMIT, *, safe_s: float = _SAFE_S) -> int:
    """Removes layers below `root` (repository/layer), the longest unused first, until the rest fits into `limit` bytes;
    those used within `safe_s` seconds stay. How many were removed."""
    found = [(_used_at(record), _size(record.parent), record.parent) for record in root.glob(f"*/*/{_RECORD}")]
    total, removed = sum(size for _, size, _ in found), 0
    for at, size, layer in sorted(found):
        if total <= limit or at > time.time() - safe_s:
            break
        gone = layer.with_name(f".gone-{layer.name}")
        try:
            layer.rename(gone)  # from here on nobody finds it
        except OSError:  # another worker was quicker
            continue
        files.clear(gone)
        total, removed = total - size, removed + 1
    return removed


def _used_at(record: Path) -> float:
    try:
        return record.stat().st_mtime
    except OSError:
        return time.time()


def _size(layer: Path) -> int:
    try:
        return int((layer / _SIZE).read_text())
    except (OSError, ValueError):
        return disk_usage(layer)[0]
