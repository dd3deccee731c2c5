"""Touching trees that hostile code may have written: by folder descriptors, never through a link."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from jobs.errors import EnvironmentFault

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PLAIN = {"PATH": os.defpath, "LC_ALL": "C"}
# Tool output that no one edits by hand: the same names that the cell's own scripts leave out.
GENERATED = frozenset({".git", "node_modules", "__pycache__", ".venv", ".tox", ".nox", ".hypothesis"})
GENERATED |= {".mypy_cache", ".pytest_cache", ".ruff_cache"}
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def read_inside(root: Path, name: str, limit: int = 1 << 20, *, names: int = 1) -> bytes:
    """The regular file `name` below `root`; no part of `name` may be a link, `..` or absolute.

    Raises OSError if it is not there, not a plain file with at most `names` names, or above `limit` bytes.
    """
    parts = PurePosixPath(name).parts
    if not parts or "\0" in name or any(part in ("..", "/") for part in parts):
        raise OSError(f"not a name below the folder: {name!r}")
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            inner = os.open(part, _DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = inner
        file = os.open(parts[-1], _FILE, dir_fd=folder)
    finally:
        os.close(folder)
    with os.fdopen(file, "rb") as opened:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > names:
            raise OSError(f"not a plain file: {name!r}")
        if status.st_size > limit:
            raise OSError(f"larger than {limit} bytes: {name!r}")
        return opened.read(limit)


def give(tree: Path, uid: int, gid: int) -> None:
    """Makes everything below and with `tree` belong to `uid`; links themselves, never what they point to. Nothing may
    run in it."""
    try:
        _give(tree, uid, gid)
    except (RecursionError, OSError):  # too deep to be walked here
        subprocess.run(["chown", "-hR", f"{uid}:{gid}", "--", str(tree)], env=_PLAIN, capture_output=True, check=True)


def _give(tree: Path, uid: int, gid: int) -> None:
    for _, folders, files, folder in os.fwalk(tree, follow_symlinks=False):
        for name in (*folders, *files):
            now = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if (now.st_uid, now.st_gid) != (uid, gid):  # giving it to its owner would change its times
                os.chown(name, uid, gid, dir_fd=folder, follow_symlinks=False)
    os.chown(tree, uid, gid, follow_symlinks=False)


def take_back(tree: Path, uid: int, gid: int) -> None:
    """Makes `tree` belong to `uid`, readable by all and writable by its owner only, without set-id bits; what is
    neither file, folder nor link is removed, at any depth. Nothing of the former owner may still run."""
    place = str(tree)
    for command in (
        ("chown", "-hR", f"{uid}:{gid}", "--", place),
        ("chmod", "-R", "a-st,a=rX,u+w", "--", place),  # a folder before what is in it; no link is followed
        ("find", "-P", place, "!", "-type", "f", "!", "-type", "d", "!", "-type", "l", "-delete"),
    ):
        subprocess.run(command, env=_PLAIN, capture_output=True, check=True)


def open_to_read(tree: Path) -> None:
    """Lets everybody read and pass all below `tree`, which nobody else writes to."""
    for top, _, names in os.walk(tree):
        Path(top).chmod(0o755)
        for name in names:
            path = Path(top, name)
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)


def paths(tree: Path, *, skip: tuple[str, ...] = ()) -> Iterator[tuple[str, bool]]:
    """(path below `tree`, is it a folder) of all that is there, parents first, links as plain paths; folders and
    files named in `skip` are left out at the top."""
    for top, folders, files, _ in os.fwalk(tree, follow_symlinks=False):
        where = Path(top).relative_to(tree)
        if where == Path():
            folders[:] = [name for name in folders if name not in skip]
            files = [name for name in files if name not in skip]
        links = [name for name in folders if Path(top, name).is_symlink()]
        for name in folders:
            yield str(where / name), name not in links
        for name in files:
            yield str(where / name), False


def fingerprints(tree: Path) -> dict[str, str]:
    """`size:mtime_ns:ctime_ns:mode` of every file and link below `tree` by its path there, generated folders left
    out. No content is read, no link followed; nothing of the tree's owner may run meanwhile. Names that are no UTF-8
    keep their bytes as lone surrogates; what lies deeper than a path can tell is left out."""
    found: dict[str, str] = {}
    ahead = [(f"{tree}/", "")]
    while ahead:
        folder, below = ahead.pop()
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in GENERATED:
                        ahead.append((f"{folder}{entry.name}/", f"{below}{entry.name}/"))
                    continue
                s = entry.stat(follow_symlinks=False)
                found[below + entry.name] = f"{s.st_size}:{s.st_mtime_ns}:{s.st_ctime_ns}:{s.st_mode}"
    return found


def disk_usage(tree: Path) -> tuple[int, int]:
    """(bytes on disk, entries) below `tree`, however deep; what vanishes meanwhile is not counted."""
    size = _counted("du", "-sx", "-B1", "--", str(tree)) - tree.lstat().st_blocks * 512
    return max(0, size), max(0, _counted("du", "-sx", "--inodes", "--", str(tree)) - 1)


def _counted(*command: str) -> int:
    """The number that begins a line of output; 0 where there is none."""
    said = subprocess.run(command, env=_PLAIN, capture_output=True, check=False).stdout.split(maxsplit=1)
    return int(said[0]) if said and said[0].isdigit() else 0


def held_without_name(uid: int, device: int) -> int:
    """Bytes on `device` in files that processes of `uid` hold open and that are in no folder any more."""
    found: dict[int, int] = {}
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if not process.name.isdigit() or process.stat().st_uid != uid:
                continue
            for descriptor in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    status = descriptor.stat()
                    if status.st_nlink == 0 and status.st_dev == device:
                        found[status.st_ino] = status.st_blocks * 512
    return sum(found.values())


def clear(tree: Path) -> None:
    """Removes `tree` and all below it, whatever depth and permissions its hostile owner left; it may be absent."""
    with contextlib.suppress(OSError):
        tree.rmdir()  # mostly it is empty
        return
    remove = ["rm", "-rf", "--", str(tree)]
    if subprocess.run(remove, env=_PLAIN, capture_output=True, check=False).returncode:
        subprocess.run(["chmod", "-R", "u+rwx", "--", str(tree)], env=_PLAIN, capture_output=True, check=False)
        subprocess.run(remove, env=_PLAIN, capture_output=True, check=False)


def copy(source: Path, target: Path) -> None:
    """Copies `source`, a file, folder or link, to `target`, which must not exist in a folder that nobody else
    writes to; shares blocks where the file system can. Raises EnvironmentFault."""
    command = ["cp", "-a", "--reflink=auto", "-T", "--", str(source), str(target)]
    done = subprocess.run(command, env=_PLAIN, capture_output=True, check=False)
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise EnvironmentFault(f"Files could not be copied: {''.join(last) or done.returncode}")
