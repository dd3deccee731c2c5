"""Things below one folder of ours, reached from its descriptor; nothing of anybody else's may run there meanwhile."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType

from jobs.repo.marks import Mark, mark

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PLAIN = 0o755
_SET_ID = 0o6000
_HUNG_ON = ("user.", "system.posix_acl_")  # access lists of a folder would hold for what comes into it


class Top:
    """The folder `root`, open. Paths are bytes, relative to it; links themselves, never what they point to. All of it
    raises OSError."""

    def __init__(self, root: Path) -> None:
        self.fd = os.open(root, FOLDER)

    def __enter__(self) -> Top:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        os.close(self.fd)

    @contextlib.contextmanager
    def folder(self, path: bytes) -> Iterator[int]:
        """The open folder at `path`; the top itself where that is empty."""
        fd = os.open(path or b".", FOLDER, dir_fd=self.fd)
        try:
            yield fd
        finally:
            os.close(fd)

    def status(self, path: bytes) -> os.stat_result:
        """What the kernel says of it."""
        return os.stat(path, dir_fd=self.fd, follow_symlinks=False)

    def content(self, path: bytes) -> bytes:
        """A file's bytes; of a link, where it points."""
        if stat.S_ISLNK(self.status(path).st_mode):
            return os.readlink(path, dir_fd=self.fd)
        with os.fdopen(os.open(path, _FILE, dir_fd=self.fd), "rb") as file:
            return file.read()

    def stamped(self, paths: Iterable[bytes], instant: int) -> dict[bytes, Mark]:
        """Gives files the time `instant` (ns); their marks then. A folder in the place of one raises, too."""
        times, utime, status, fd = (instant, instant), os.utime, os.stat, self.fd  # thousands of files
        marks = {}
        for path in paths:
            utime(path, ns=times, dir_fd=fd, follow_symlinks=False)
            marks[path] = mark(status(path, dir_fd=fd, follow_symlinks=False))
        if any(stat.S_ISDIR(mode) for _, _, _, mode, _ in marks.values()):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        return marks

    def give(self, path: bytes, owner: tuple[int, int]) -> None:
        """Gives it to `owner` (uid, gid); its mode stays."""
        mode = self.status(path).st_mode
        os.chown(path, *owner, dir_fd=self.fd, follow_symlinks=False)
        if stat.S_ISREG(mode) and mode & _SET_ID:  # giving away clears these
            os.chmod(path, stat.S_IMODE(mode), dir_fd=self.fd)

    def unlink(self, path: bytes) -> None:
        """Removes a file."""
        os.unlink(path, dir_fd=self.fd)

    def rmdir(self, path: bytes) -> None:
        """Removes an empty folder."""
        os.rmdir(path, dir_fd=self.fd)

    def mkdir(self, path: bytes) -> None:
        """Makes a folder, or gives the one that is there its plain mode."""
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, dir_fd=self.fd)
        with self.folder(path) as fd:
            os.fchmod(fd, _PLAIN)


def mend(fd: int, owner: tuple[int, int] | None) -> None:
    """Gives an open folder its plain mode and its owner back, and takes off what hangs on it."""
    status = os.fstat(fd)
    if stat.S_IMODE(status.st_mode) != _PLAIN:
        os.fchmod(fd, _PLAIN)
    if owner is not None and (status.st_uid, status.st_gid) != owner:
        os.fchown(fd, *owner)
    with contextlib.suppress(OSError):  # a file system without them
        for name in os.listxattr(fd):
            if name.startswith(_HUNG_ON):
                os.removexattr(fd, name)
