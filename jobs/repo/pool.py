"""Checkouts that are kept between uses: where a file system is slow to make what was just removed, reuse is quick."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jobs.repo import held
from jobs.repo.kept import Kept, Wanted
from jobs.sandbox import files
from jobs.sandbox.files import disk_usage

_MOST = 6  # checkouts of one repository for one user
_MOST_OF_ALL = 200
_LARGEST = 20 << 30  # bytes of all checkouts together
_LOCK = "lock"
_GONE = "gone-"


@dataclass(frozen=True)
class Pool:
    """The checkouts of the repository whose objects lie at `objects`, below `root`; other repositories have others."""

    root: Path
    objects: Path

    @contextlib.contextmanager
    def take(self, wanted: Wanted) -> Iterator[Kept | None]:
        """A checkout of `wanted` that nobody else has meanwhile; None where all that may be kept are in use.

        What is left in it at the end is taken away. Raises GitError where `wanted` can't be laid out.
        """
        uid = os.geteuid() if wanted.owner is None else wanted.owner[0]
        place = self.root / f"{hashlib.sha256(os.fsencode(self.objects)).hexdigest()[:16]}-{uid}"
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _free(place) as folder:
            if folder is None:
                yield None
                return
            kept = Kept(folder)
            kept.become(wanted)
            try:
                yield kept
            finally:
                with contextlib.suppress(OSError, RecursionError):  # then it is made anew for the next one
                    kept.give_back()


@contextlib.contextmanager
def _free(place: Path) -> Iterator[Path | None]:
    """A folder of `place` that is locked until the end, the one that was used last."""
    there = sorted((f for f in place.iterdir() if f.name.isdigit()), key=_used, reverse=True)
    fresh = (place / str(n) for n in range(_MOST) if not (place / str(n)).exists())
    for folder in (*there, *fresh):
        folder.mkdir(mode=0o700, exist_ok=True)
        with _locked(folder) as mine:
            if mine:
                yield folder
                return
    yield None


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Whether `folder` could be locked; if so it is until the end."""
    try:
        lock = (folder / _LOCK).open("w")
    except FileNotFoundError:  # just pruned
        yield False
        return
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield _there(folder / _LOCK, lock.fileno())  # else it was pruned meanwhile


def _there(path: Path, descriptor: int) -> bool:
    try:
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    except OSError:
        return False


def _used(folder: Path) -> float:
    """When it was used last."""
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def prune(root: Path, limit: int = _LARGEST, most: int = _MOST_OF_ALL) -> int:
    """Removes the checkouts below `root` whose users were killed, then those that were used longest ago, until what is
    left is no more than `most` and fits into `limit` bytes; those in use stay. How many were removed."""
    for left in root.glob(f"*/{_GONE}*"):
        files.clear(left)
    removed, idle, total = 0, [], 0
    for folder in sorted(root.glob("*/[0-9]*"), key=_used):
        if held.known(folder):
            idle.append(folder)
        elif _removed(folder, even_if_known=False):
            removed += 1
            continue
        total += _size(folder)
    number = len(idle)
    for folder in idle:
        if total <= limit and number <= most:
            break
        size = _size(folder)
        if _removed(folder):
            total, number, removed = total - size, number - 1, removed + 1
    return removed


def _size(folder: Path) -> int:
    known = held.size(folder)
    if known is None:
        with contextlib.suppress(FileNotFoundError):  # just removed by another
            known = disk_usage(folder)[0]
    return known or 0


def _removed(folder: Path, *, even_if_known: bool = True) -> bool:
    """Removes the folder, if nobody has it."""
    with _locked(folder) as mine:
        if mine and (even_if_known or not held.known(folder)):
            # By another name: if we are killed, removing goes on for a moment beside the place's next user.
            gone = folder.with_name(f"{_GONE}{secrets.token_hex(8)}")
            folder.rename(gone)
            files.clear(gone)
            return True
    return False
