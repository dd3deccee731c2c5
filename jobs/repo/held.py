"""What is known to stand in a kept checkout between two uses, and the file in which that is written down."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from jobs.repo.folders import folders_of
from jobs.repo.harvest import Entry
from jobs.repo.marks import Mark

_VERSION = 2
_RECORD = "record.json"
_SIZE = "size"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass
class Held:
    """Everything in the checkout: `files` are `tree`'s (those of them that are there), `laid` are those of `layer`, a
    folder of set-up's; `whole` says that none of the layer's is lacking. `folders` are all folders below the top,
    `laid_folders` those of them that came with the layer."""

    tree: str = ""
    layer: str = ""
    whole: bool = False
    files: dict[bytes, Entry] = field(default_factory=dict)
    laid: dict[bytes, Mark] = field(default_factory=dict)
    folders: set[bytes] = field(default_factory=set)
    laid_folders: set[bytes] = field(default_factory=set)

    def write(self, place: Path, size: int) -> None:
        """Writes it into the folder `place`, all or nothing; `size` is the bytes of all files."""
        told = {
            "version": _VERSION,
            "boot": _boot(),
            "tree": self.tree,
            "layer": self.layer,
            "whole": self.whole,
            "files": {os.fsdecode(path): f"{mode} {oid}" for path, (mode, oid) in self.files.items()},
            "laid": {os.fsdecode(path): mark for path, mark in self.laid.items()},
            "folders": list(map(os.fsdecode, self.folders)),
            "laid_folders": list(map(os.fsdecode, self.laid_folders)),
        }
        partial = place / "record.new"
        partial.write_text(json.dumps(told))
        (place / _SIZE).write_text(str(size))
        partial.replace(place / _RECORD)


def read(place: Path) -> Held | None:
    """What was written last, which then is forgotten: from here on it need not be true. None if nothing is known, or
    the machine was started anew since: then files may be there whose contents are not."""
    record = place / _RECORD
    try:
        told = json.loads(record.read_text())
        record.unlink()
        if told["version"] != _VERSION or not _boot() or told["boot"] != _boot():
            return None
        return Held(
            tree=str(told["tree"]),
            layer=str(told["layer"]),
            whole=bool(told["whole"]),
            files={os.fsencode(path): (one[:6], one[7:]) for path, one in told["files"].items()},
            laid={os.fsencode(path): _mark(row) for path, row in told["laid"].items()},
            folders=set(map(os.fsencode, told["folders"])),
            laid_folders=set(map(os.fsencode, told["laid_folders"])),
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        with contextlib.suppress(OSError):
            record.unlink()
        return None


def known(place: Path) -> bool:
    """Whether something is written down there: not so while the checkout is used, nor after its user was killed."""
    return (place / _RECORD).exists()


def size(place: Path) -> int | None:
    """Bytes of all files, as they were when they were written down last; None if they never were."""
    try:
        return int((place / _SIZE).read_text())
    except (OSError, ValueError):
        return None


def parents(paths: Iterable[bytes]) -> set[bytes]:
    """Every folder that `paths` lie in."""
    nearest = {path.rpartition(b"/")[0] for path in paths} - {b""}
    return nearest | set(folders_of(nearest))


def _mark(row: list[int]) -> Mark:
    changed, inode, length, mode, owner = row
    return int(changed), int(inode), int(length), int(mode), int(owner)


def _boot() -> str:
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return ""
