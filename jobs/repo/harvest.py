"""Takes a hostile work tree back into a bare repository, byte for byte, without running anything on it.

No git porcelain sees the folder: it is walked with open file descriptors that follow no link, and only plain bytes
are handed to git. (Porcelain would run filters of nested repositories and attributes.) What can't be part of a tree
is named, never dropped in silence.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jobs.errors import Stopped
from jobs.outcome import Outcome
from jobs.repo import below
from jobs.repo.folders import folders_of
from jobs.repo.ignored import ignored
from jobs.repo.litter import is_litter
from jobs.repo.trees import Trees

_MAX_FILE = 50 << 20  # bytes
_MAX_FILES = 200_000
_MAX_PATH = 4096
_DEEPEST = 200  # folders in each other; each is held open while what lies in it is looked at
_BATCH = 32 << 20  # bytes that are held in memory before git gets them
_SUBMODULE = "160000"
_UNREADABLE = "not readable"

Entry = tuple[str, str]  # mode, object id
Proof = Callable[[bytes, os.stat_result], Entry | None]


def nothing_proven(_path: bytes, _status: os.stat_result) -> Entry | None:
    """The proof of who knows nothing: every file is read."""
    return None


@dataclass(frozen=True)
class Harvest:
    """The tree that was found, and what was left out: (path, why)."""

    tree: str
    skipped: tuple[tuple[str, str], ...]


class _Kept:
    """Paths that could not be taken, and all below them: in the new tree they stay as the base has them."""

    def __init__(self, skipped: Iterable[tuple[str, str]]) -> None:
        self._paths = frozenset(os.fsencode(path) for path, _ in skipped)

    def __contains__(self, path: bytes) -> bool:
        return path in self._paths or any(folder in self._paths for folder in folders_of((path,)))


def harvest(
    trees: Trees,
    base: str,
    folder: Path,
    layer_source: Path | None = None,
    leave: frozenset[str] = frozenset(),
    proof: Proof = nothing_proven,
) -> Harvest:
    """`folder` as a tree. Paths of `base` (a tree's id) are compared; new files count unless ignored, dropped by tools,
    laid over the checkout by set-up (`layer_source`), or named in `leave`.

    Submodule links, and what could not be taken, stay as in `base`. `proof` gives the entry of a file that is proven
    to be as it was checked out: such a file is not read.
    """
    known = trees.leaves(base)
    walk = _Walk(folder, known, layer_source, frozenset(map(os.fsencode, leave)), proof)
    seen: set[bytes] = set()
    unproven: dict[bytes, str] = {}
    now: dict[bytes, Entry] = {}
    for path, status in walk:
        seen.add(path)
        if (entry := proof(path, status)) is None:
            unproven[path] = _mode(status)
        elif entry != known.get(path):
            now[path] = entry
    for path in ignored(trees.git_dir, folder, [p for p in unproven if p not in known]):
        del unproven[path]
    algorithm = "sha256" if len(base) == 64 else "sha1"
    now |= _taken(trees, folder, _Files(algorithm, unproven, known), walk.skip)
    kept = _Kept(walk.skipped)
    gone = [p for p, (mode, _) in known.items() if p not in seen and mode != _SUBMODULE and p not in kept]
    return Harvest(_edited(trees, base, gone, now, walk.skip), tuple(walk.skipped))


@dataclass(frozen=True)
class _Files:
    """Files to read, with their modes, and what the base has."""

    algorithm: str
    modes: dict[bytes, str]
    known: dict[bytes, Entry]


def _taken(trees: Trees, folder: Path, files: _Files, skip: Callable[[bytes, str], None]) -> dict[bytes, Entry]:
    """The entries of those of `files` that are not the base's, their contents kept in the repository."""
    there = {oid for _, oid in files.known.values()}
    found: dict[bytes, Entry] = {}
    waiting: list[bytes] = []
    size = 0
    for path, mode in files.modes.items():
        try:
            data = below.read(folder, path, _MAX_FILE)
        except OSError:
            skip(path, _UNREADABLE)
            continue
        entry = mode, blob_id(files.algorithm, data)
        if entry == files.known.get(path):
            continue
        found[path] = entry
        if entry[1] not in there:
            there.add(entry[1])
            waiting.append(data)
            size += len(data)
        if size > _BATCH:
            trees.store(waiting)
            waiting, size = [], 0
    trees.store(waiting)
    return found


def _edited(
    trees: Trees, base: str, gone: list[bytes], now: dict[bytes, Entry], skip: Callable[[bytes, str], None]
) -> str:
    """`base` without `gone` and with `now`; names that git takes into no tree are skipped aloud."""
    if not gone and not now:
        return base
    zero = "0" * len(base)
    removals = [f"0 {zero}\t{os.fsdecode(path)}" for path in gone]
    tree = trees.edit(base, [*removals, *(f"{mode} {oid}\t{os.fsdecode(p)}" for p, (mode, oid) in now.items())])
    for path in sorted(now.keys() - trees.differing(base, tree)):
        skip(path, "a name that git refuses, since some file systems take it for git's own")
    return tree


class _Walk:
    """Every regular file and link below a folder that may be part of a tree; `skipped` fills while iterating."""

    def __init__(
        self,
        root: Path,
        known: dict[bytes, Entry],
        layer_source: Path | None,
        leave: frozenset[bytes],
        proof: Proof,
    ) -> None:
        self._root = root
        self._proof = proof
        self._leave = leave
        self._known = known
        self._known_folders = frozenset(folders_of(known))
        self._submodules = frozenset(path for path, (mode, _) in known.items() if mode == _SUBMODULE)
        self._layer = os.fsencode(layer_source) if layer_source else None
        self._count = 0
        self.skipped: list[tuple[str, str]] = []

    def __iter__(self) -> Iterator[tuple[bytes, os.stat_result]]:
        top = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            yield from self._folder(top, b"", 0)
        finally:
            os.close(top)

    def skip(self, path: bytes, reason: str) -> None:
        """Notes that `path` is left out."""
        self.skipped.append((os.fsdecode(path), reason))

    def _folder(self, fd: int, prefix: bytes, depth: int) -> Iterator[tuple[bytes, os.stat_result]]:
        names = sorted(map(os.fsencode, os.listdir(fd)))
        if prefix in self._submodules:
            if names and not self._is_laid(prefix):
                self.skip(prefix, "a submodule's folder: what lies in it belongs to another repository")
            return
        if prefix and any(name.lower() == b".git" for name in names):
            self.skip(prefix, "a nested repository")
            return
        for name in names:
            path = prefix + b"/" + name if prefix else name
            if path != b".git" and not self._is_foreign(path):
                yield from self._entry(fd, name, path, depth)

    def _entry(self, fd: int, name: bytes, path: bytes, depth: int) -> Iterator[tuple[bytes, os.stat_result]]:
        status = os.stat(name, dir_fd=fd, follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            if depth == _DEEPEST:
                self.skip(path, f"deeper than {_DEEPEST} folders")
            else:
                yield from self._opened(fd, name, path, depth)
        elif path in self._submodules:
            self.skip(path, "in the place of a submodule")
        elif (reason := refusal(path, status, known=path in self._known)) and self._proof(path, status) is None:
            self.skip(path, reason)
        else:
            self._bound()
            yield path, status

    def _opened(self, fd: int, name: bytes, path: bytes, depth: int) -> Iterator[tuple[bytes, os.stat_result]]:
        try:
            child = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
        except PermissionError:  # the slot's user is us, and took the right away
            self.skip(path, _UNREADABLE)
            return
        try:
            yield from self._folder(child, path, depth + 1)
        finally:
            os.close(child)

    def _is_foreign(self, path: bytes) -> bool:
        """Neither the base's nor a person's: left by a tool, or laid over the checkout by set-up."""
        if path in self._known or path in self._known_folders:
            return False
        return path in self._leave or is_litter(os.fsdecode(path)) or self._is_laid(path)

    def _is_laid(self, path: bytes) -> bool:
        return self._layer is not None and os.path.lexists(os.path.join(self._layer, path))  # noqa: PTH118 - bytes

    def _bound(self) -> None:
        self._count += 1
        if self._count > _MAX_FILES:
            raise Stopped(Outcome.NOT_FIXED, f"The work tree grew beyond {_MAX_FILES:,} files.")


def refusal(path: bytes, info: os.stat_result, *, known: bool) -> str | None:
    """Why what stands at `path` can be no part of a tree; None if it can."""
    if not (stat.S_ISREG(info.st_mode) or stat.S_ISLNK(info.st_mode)):
        return "a special file"
    if stat.S_ISREG(info.st_mode) and info.st_nlink != 1:
        return "a hard link"
    if info.st_size > _MAX_FILE:
        return f"larger than {_MAX_FILE >> 20} MiB"
    if not known and (len(path) > _MAX_PATH or any(c < 32 for c in path)):
        return "a name with control characters or too long a path"
    return None


def blob_id(algorithm: str, data: bytes) -> str:
    """The object id of a file with these bytes."""
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data).hexdigest()


def _mode(status: os.stat_result) -> str:
    if stat.S_ISLNK(status.st_mode):
        return below.LINK
    return "100755" if status.st_mode & stat.S_IXUSR else "100644"
