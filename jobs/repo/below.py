"""Files below a hostile folder, reached through open folders so that no link is ever followed.

What is made there belongs to whom the folder itself belongs.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
LINK = "120000"


def read(root: Path, path: bytes, limit: int) -> bytes:
    """The bytes of a regular file, at most `limit` + 1 of them; of a link, where it points. Raises OSError."""
    with _parent(root, path, make=False) as (folder, name):
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            return os.fsencode(os.readlink(name, dir_fd=folder))
        with os.fdopen(os.open(name, _FILE, dir_fd=folder), "rb") as file:
            return file.read(limit + 1)


def status(root: Path, path: bytes) -> os.stat_result:
    """What stands at `path` itself. Raises OSError."""
    with _parent(root, path, make=False) as (folder, name):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)


def write(root: Path, path: bytes, mode: str, data: bytes) -> None:
    """Puts a file or link (`mode` as git has it) at `path`, at once; what is in its way goes. Raises OSError."""
    with _parent(root, path, make=True) as (folder, name):
        partial = b".pw-" + secrets.token_hex(8).encode()
        if mode == LINK:
            os.symlink(data, partial, dir_fd=folder)
            _give(root, partial, folder)
        else:
            with os.fdopen(os.open(partial, _NEW, 0o600, dir_fd=folder), "wb") as file:
                file.write(data)
                _give(root, partial, folder)  # before the mode: giving away clears bits of it
                os.fchmod(file.fileno(), 0o755 if mode == "100755" else 0o644)
        if _is_folder(name, folder):
            shutil.rmtree(name, dir_fd=folder)
        os.replace(partial, name, src_dir_fd=folder, dst_dir_fd=folder)


def remove(root: Path, path: bytes) -> None:
    """Takes the file or link at `path` away, and the folders that are empty then. Raises OSError."""
    with _parent(root, path, make=False) as (folder, name):
        os.unlink(name, dir_fd=folder)
    while b"/" in path:
        path = path.rpartition(b"/")[0]
        with _parent(root, path, make=False) as (folder, name):
            try:
                os.rmdir(name, dir_fd=folder)
            except OSError:  # holds something else
                return


@contextlib.contextmanager
def _parent(root: Path, path: bytes, *, make: bool) -> Iterator[tuple[int, bytes]]:
    """The open folder that holds `path`, and the name there; `make` makes folders where there are none."""
    *folders, name = path.split(b"/")
    here = os.open(root, _FOLDER)
    try:
        for part in folders:
            if make and not _is_folder(part, here):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(part, dir_fd=here)
                os.mkdir(part, 0o755, dir_fd=here)
                _give(root, part, here)
            inner = os.open(part, _FOLDER, dir_fd=here)
            os.close(here)
            here = inner
        yield here, name
    finally:
        os.close(here)


def _give(root: Path, name: bytes, folder: int) -> None:
    if os.geteuid() == 0:
        owner = root.stat()
        os.chown(name, owner.st_uid, owner.st_gid, dir_fd=folder, follow_symlinks=False)


def _is_folder(name: bytes, folder: int) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False
