"""What stands in a checkout that hostile code has used: what is known stays, all else is moved away at once."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Set
from itertools import count

from jobs.repo.marks import Mark, mark
from jobs.repo.top import Top, mend

AsMade = Callable[[bytes], bool] | None


class Survey:
    """One look at everything below `top`. Nothing may run there meanwhile.

    `marks` are of the files that may stay, `folders` the folders; `gone` is an empty folder on the same file system,
    where only we can write. Afterwards `kept` has the sizes of the files that stayed, and `seen` the folders.
    """

    def __init__(
        self,
        top: Top,
        marks: Mapping[bytes, Mark],
        folders: Set[bytes],
        gone: Top,
        owner: tuple[int, int] | None,
    ) -> None:
        self._top, self._marks, self._folders, self._gone, self._owner = top, marks, folders, gone, owner
        self._numbers = count()
        self.kept: dict[bytes, int] = {}
        self.seen: set[bytes] = set()

    def clean(self, as_made: AsMade) -> None:
        """Takes away what is not known, and files whose mark is another or that are not `as_made` (None: the
        mark is enough); folders get their plain mode and owner back. Raises OSError."""
        ahead = [b""]
        while ahead:
            below = ahead.pop()
            if os.geteuid():  # what its owner can't open is opened for us
                os.chmod(below or b".", stat.S_IRWXU, dir_fd=self._top.fd)
            with self._top.folder(below) as fd, os.scandir(fd) as entries:
                mend(fd, self._owner)
                for entry in list(entries):
                    path = below + b"/" + os.fsencode(entry.name) if below else os.fsencode(entry.name)
                    if not entry.is_dir(follow_symlinks=False):
                        self._file(fd, path, entry, as_made)
                    elif path in self._folders:
                        self.seen.add(path)
                        ahead.append(path)
                    else:
                        self._move(fd, entry.name)

    def _move(self, fd: int, name: str) -> None:
        if os.geteuid():  # moving a folder takes the right to write into it
            os.chmod(name, stat.S_IRWXU, dir_fd=fd)
        os.rename(name, str(next(self._numbers)), src_dir_fd=fd, dst_dir_fd=self._gone.fd)

    def _file(self, fd: int, path: bytes, entry: os.DirEntry[str], as_made: AsMade) -> None:
        known = self._marks.get(path)
        if known is not None:
            status = entry.stat(follow_symlinks=False)
            if mark(status) == known and (as_made is None or as_made(path)):
                self.kept[path] = status.st_size
                return
        os.unlink(entry.name, dir_fd=fd)


def listed(top: Top) -> tuple[dict[bytes, os.stat_result], set[bytes]]:
    """The files and links below `top` with what the kernel says of them, and the folders. Raises OSError."""
    files: dict[bytes, os.stat_result] = {}
    folders: set[bytes] = set()
    ahead = [b""]
    while ahead:
        below = ahead.pop()
        with top.folder(below) as fd, os.scandir(fd) as entries:
            for entry in entries:
                path = below + b"/" + os.fsencode(entry.name) if below else os.fsencode(entry.name)
                if entry.is_dir(follow_symlinks=False):
                    folders.add(path)
                    ahead.append(path)
                else:
                    files[path] = entry.stat(follow_symlinks=False)
    return files, folders
