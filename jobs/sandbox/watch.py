"""The watchdog's eyes: what a running command takes of memory and disk, seen from outside."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from jobs.sandbox.files import disk_usage, held_without_name
from jobs.sandbox.limits import MIB

_PAGE = os.sysconf("SC_PAGE_SIZE")


def memory_watch(pid_of: Callable[[], int | None], limit: int) -> Callable[[], str | None]:
    """Compares the resident memory of a process and all its descendants with `limit` bytes."""

    def look() -> str | None:
        pid = pid_of()
        used = resident(pid) if pid is not None else 0
        return f"It used more memory than {limit // MIB} MiB." if used > limit else None

    return look


def disk_watch(
    folders: tuple[Path, ...], limit: int, entries: int, before: tuple[int, int] | None = None
) -> Callable[[], str | None]:
    """Ends a command that adds more than `limit` bytes or `entries` files below `folders`, which lie on one file
    system; with what its predecessors added, if `before` is what was `free` when the first of them began.

    Free space tells at no cost that somebody writes much; only then are the folders walked, and files counted that
    are in no folder any more.
    """
    before = before or free(folders[0])
    walked = free(folders[0])
    owner = folders[0].stat()

    def look() -> str | None:
        nonlocal walked
        now = free(folders[0])
        much = before[0] - now[0] > limit or before[1] - now[1] > entries
        more = walked[0] - now[0] >= limit // 8 or walked[1] - now[1] >= entries // 8
        if not (much and more):
            return None
        walked = now
        used = [sum(column) for column in zip(*map(disk_usage, folders), strict=True)]
        if used[0] > limit or used[0] + held_without_name(owner.st_uid, owner.st_dev) > limit:
            return f"It wrote more than {limit // MIB} MiB to disk."
        return f"It made more than {entries} files." if used[1] > entries else None

    return look


def resident(root: int) -> int:
    """Bytes in memory of `root` and its descendants; shared pages count each time."""
    children: dict[int, list[int]] = {}
    pages: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            parent, size = _stat(entry.name)
            children.setdefault(parent, []).append(int(entry.name))
            pages[int(entry.name)] = size
    total, open_ends = 0, [root]
    while open_ends:
        pid = open_ends.pop()
        total += pages.get(pid, 0)
        open_ends += children.get(pid, ())
    return total * _PAGE


def _stat(pid: str) -> tuple[int, int]:
    """(parent, resident pages); the command's name may hold anything, so fields count from its last bracket."""
    try:
        fields = Path("/proc", pid, "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0, 0
    return int(fields[1]), int(fields[21])


def free(folder: Path) -> tuple[int, int]:
    """Bytes and files that still fit on the file system of `folder`."""
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize, status.f_favail
