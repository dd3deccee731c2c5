"""Around a command: what it left in /out is collected, its .git is covered, and what killed owners left goes."""

from __future__ import annotations

import contextlib
import stat
from pathlib import Path

from jobs.sandbox import files
from jobs.sandbox.limits import Limits


def sweep(folder: Path) -> None:
    """Removes what commands of a killed owner left in its slot's folder."""
    for pattern in ("out-*", "proof-*"):
        for scratch in folder.glob(pattern):
            files.clear(scratch)


def collect(out: Path, names: tuple[str, ...], bounds: Limits) -> dict[str, bytes]:
    """The files of `names` that the command left in `out`: plain files only, within the size caps; others are
    left out, as missing ones are."""
    found: dict[str, bytes] = {}
    room = bounds.out_total
    for name in names:
        try:
            found[name] = files.read_inside(out, name, min(bounds.out_file, room))
        except OSError:
            continue
        room -= len(found[name])
    return found


def cover(tree: Path) -> None:
    """Makes sure that what is mounted over /src/.git goes onto a real folder: bubblewrap follows links, and a
    former command may have left one."""
    place = tree / ".git"
    with contextlib.suppress(OSError):
        if stat.S_ISDIR(place.lstat().st_mode):
            return
    if place.is_symlink() or (place.exists() and not place.is_dir()):
        place.unlink()
    place.mkdir(exist_ok=True)
