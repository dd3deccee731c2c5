"""Takes a hostile work tree back into a bare repository, byte for byte, without running anything on it.

No git porcelain sees the folder: it is walked with open file descriptors that follow no link, and only plain bytes
are handed to git. (Porcelain would run filters of nested repositories and attributes.)
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jobs.errors import Stopped
from jobs.outcome import Outcome
from jobs.repo.git import git, text
from jobs.repo.litter import is_litter
from jobs.repo.trees import Trees

_MAX_FILE = 50 << 20  # bytes
_MAX_FILES = 200_000
_MAX_PATH = 4096


@dataclass(frozen=True)
class Harvest:
    """The tree that was found, and what was left out: (path, why)."""

    tree: str
    skipped: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Found:
    path: bytes
    mode: str
    data: bytes


class _Kept:
    """Paths that could not be taken, and all below them: in the new tree they stay as the base has them."""

    def __init__(self, skipped: Iterable[tuple[str, str]]) -> None:
        self._paths = frozenset(os.fsencode(path) for path, _ in skipped)

    def __contains__(self, path: bytes) -> bool:
        return path in self._paths or any(folder in self._paths for folder in folders_of((path,)))


def harvest(
    trees: Trees, base: str, folder: Path, layer_source: Path | None = None, leave: frozenset[str] = frozenset()
) -> Harvest:
    """`folder` as a tree. Paths of `base` are compared; new files count unless ignored, dropped by tools, laid over the
    checkout by set-up (`layer_source`), or named in `leave`.

    Submodule links, and what could not be taken, stay as in `base`.
    """
    known = {os.fsencode(path): (mode, oid) for mode, _, oid, path in trees.entries(base)}
    algorithm = "sha256" if len(trees.tree_of(base)) == 64 else "sha1"
    walk = _Walk(folder, frozenset(known), layer_source, frozenset(map(os.fsencode, leave)))
    changed: list[_Found] = []
    seen: set[bytes] = set()
    for found in walk:
        seen.add(found.path)
        if known.get(found.path) != (found.mode, blob_id(algorithm, found.data)):
            changed.append(found)
    wanted = _not_ignored(trees.git_dir, folder, changed, known)
    kept = _Kept(walk.skipped)
    gone = [p for p, (mode, _) in known.items() if p not in seen and mode != "160000" and p not in kept]
    lines = [f"{f.mode} {_store(trees.git_dir, f.data)}\t{os.fsdecode(f.path)}" for f in wanted]
    zero = "0" * (64 if algorithm == "sha256" else 40)
    removals = [f"0 {zero}\t{os.fsdecode(p)}" for p in gone]
    return Harvest(trees.edit(base, [*removals, *lines]), tuple(walk.skipped))


class _Walk:
    """Every regular file and link below a folder; `skipped` fills while iterating."""

    def __init__(self, root: Path, known: frozenset[bytes], layer_source: Path | None, leave: frozenset[bytes]) -> None:
        self._root = root
        self._leave = leave
        self._known = known
        self._known_folders = frozenset(folders_of(known))
        self._layer = os.fsencode(layer_source) if layer_source else None
        self._count = 0
        self.skipped: list[tuple[str, str]] = []

    def __iter__(self) -> Iterator[_Found]:
        top = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            yield from self._folder(top, b"")
        finally:
            os.close(top)

    def _folder(self, fd: int, prefix: bytes) -> Iterator[_Found]:
        names = sorted(os.fsencode(n) for n in os.listdir(fd))
        if prefix and any(n.lower() == b".git" for n in names):
            if prefix not in self._known:  # a submodule's folder is expected to look like this
                self._skip(prefix, "a nested repository")
            return
        for name in names:
            path = prefix + b"/" + name if prefix else name
            if name.lower() == b".git" or self._is_foreign(path):
                continue
            yield from self._entry(fd, name, path)

    def _entry(self, fd: int, name: bytes, path: bytes) -> Iterator[_Found]:
        info = os.stat(name, dir_fd=fd, follow_symlinks=False)
        if stat.S_ISDIR(info.st_mode):
            child = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
            try:
                yield from self._folder(child, path)
            finally:
                os.close(child)
        elif reason := refusal(path, info, known=path in self._known):
            self._skip(path, reason)
        else:
            self._bound()
            if stat.S_ISLNK(info.st_mode):
                yield _Found(path, "120000", os.fsencode(os.readlink(name, dir_fd=fd)))
            else:
                mode = "100755" if info.st_mode & stat.S_IXUSR else "100644"
                yield _Found(path, mode, _read(fd, name))

    def _is_foreign(self, path: bytes) -> bool:
        """Neither the base's nor a person's: left by a tool, or laid over the checkout by set-up."""
        if path in self._known or path in self._known_folders:
            return False
        if path in self._leave or is_litter(os.fsdecode(path)):
            return True
        return self._layer is not None and os.path.lexists(os.path.join(self._layer, path))  # noqa: PTH118 - bytes

    def _bound(self) -> None:
        self._count += 1
        if self._count > _MAX_FILES:
            raise Stopped(Outcome.NOT_FIXED, f"The work tree grew beyond {_MAX_FILES:,} files.")

    def _skip(self, path: bytes, reason: str) -> None:
        self.skipped.append((os.fsdecode(path), reason))


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


def _read(folder: int, name: bytes) -> bytes:
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    with os.fdopen(fd, "rb") as handle:
        return handle.read(_MAX_FILE + 1)


def folders_of(paths: Iterable[bytes]) -> Iterator[bytes]:
    """Every folder above each of `paths`, the nearest first."""
    for path in paths:
        while b"/" in path:
            path = path.rpartition(b"/")[0]
            yield path


def blob_id(algorithm: str, data: bytes) -> str:
    """The object id of a file with these bytes."""
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data).hexdigest()


def _store(git_dir: Path, data: bytes) -> str:
    return text(git_dir, "hash-object", "-w", "--no-filters", "--stdin", stdin=data)


def _not_ignored(git_dir: Path, folder: Path, found: list[_Found], known: dict[bytes, tuple[str, str]]) -> list[_Found]:
    """`found` without new files that are ignored."""
    left_out = ignored(git_dir, folder, [f.path for f in found if f.path not in known])
    return [f for f in found if f.path not in left_out]


def ignored(git_dir: Path, folder: Path, paths: Iterable[bytes]) -> frozenset[bytes]:
    """Those of `paths` that the .gitignore files of `folder` exclude (read as data by check-ignore)."""
    stdin = b"".join(path + b"\0" for path in paths)
    if not stdin:
        return frozenset()
    # check-ignore knows no literal pathspecs, and takes each line literally anyway.
    environment = {"GIT_WORK_TREE": str(folder), "GIT_LITERAL_PATHSPECS": "0"}
    # Four fields a path, matched or not; exit status 1 says that nothing matched.
    out = git(
        git_dir, "check-ignore", "-z", "--stdin", "--no-index", "--verbose", "--non-matching",
        stdin=stdin, env=environment, cwd=folder, accept=(0, 1),
    )  # fmt: skip
    fields = out.split(b"\0")
    return frozenset(
        path
        for source, pattern, path in zip(fields[0::4], fields[2::4], fields[3::4], strict=False)
        if source and not pattern.startswith(b"!")
    )
