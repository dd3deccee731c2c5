"""Brings what a tool changed in a copy back to the person's work tree, and nothing else: neither what set-up laid over
the copy, nor caches, nor over what the person did meanwhile."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from app.local.copy import Copy, plain, state
from jobs.repo.ignored import ignored
from jobs.repo.litter import is_litter

_RUN, _ALL = 0o111, 0o777


@dataclass(frozen=True)
class Returned:
    """`written` are the paths that changed in the work tree, `refused` those that a change was not brought back to,
    with why, `left` new files that stayed behind since git ignores them."""

    written: tuple[str, ...]
    refused: Mapping[str, str]
    left: tuple[str, ...]


def write_back(copy: Copy, told: Iterable[str], laid: Path | None, *, named: bool) -> Returned:
    """Brings changes back: those of the copied files, and `told`, the paths that the tool says it changed.

    `laid` is the folder with what set-up put over the copy. `named`: the call named each file itself, so ignored
    files come back too.
    """
    after = {path: state(copy.folder, path) for path in {*copy.before, *told} if _inside(path)}
    changed = sorted(path for path, now in after.items() if now != copy.before.get(path))
    own = [path for path in changed if path in copy.before or _own(path, laid, named=named)]
    hidden = frozenset[bytes]() if named else _ignored(copy, own)
    left = tuple(path for path in own if os.fsencode(path) in hidden)
    own = [path for path in own if path not in left]
    refused = {path: why for path in own if (why := _conflict(copy, path, after[path]))}
    wanted = [path for path in own if path not in refused]
    for path in sorted(wanted, key=lambda path: after[path] is not None):  # what is gone makes room
        try:
            why = _remove(copy, path) if after[path] is None else _put(copy, path)
        except OSError as wrong:
            why = str(wrong.strerror or wrong)
        if why:
            refused[path] = why
    return Returned(tuple(path for path in wanted if path not in refused), refused, left)


def _inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and parts[0] not in ("/", ".git") and ".." not in parts


def _own(path: str, laid: Path | None, *, named: bool) -> bool:
    """Whether a new file is a person's, not one of set-up or of tools."""
    if laid is not None and os.path.lexists(laid / path):
        return False
    return named or not any(is_litter(str(one)) for one in (PurePosixPath(path), *PurePosixPath(path).parents))


def _ignored(copy: Copy, paths: Iterable[str]) -> frozenset[bytes]:
    new = [os.fsencode(path) for path in paths if path not in copy.before]
    return ignored(copy.repository.git_dir, copy.folder, new)


def _conflict(copy: Copy, path: str, now: str | None) -> str:
    """Why `path` in the work tree must stay as it is, empty if it need not."""
    if now == "special":
        return "it is neither a file nor a link"
    theirs, known = state(copy.repository.top, path), copy.before.get(path)
    if theirs in (known, now):
        return ""
    if known is None:
        return "a file stands there that git ignores, so the tool has not seen it"
    return "it was changed there while the tool ran"


def _remove(copy: Copy, path: str) -> str:
    """Deletes the file, then the folders above it that the copy has no more; why it can't, where it can't."""
    (copy.repository.top / path).unlink(missing_ok=True)
    for folder in Path(path).parents:
        if folder == Path() or (copy.folder / folder).is_dir():
            break
        with suppress(OSError):  # files that were not copied keep it
            (copy.repository.top / folder).rmdir()
    return ""


def _put(copy: Copy, path: str) -> str:
    """Puts the copy's file or link in its place in one step; why it can't be, where it can't."""
    source, target = copy.folder / path, copy.repository.top / path
    if not plain(copy.repository.top, path):
        return "a file or link stands where its folder should be"
    with suppress(OSError):  # a folder that deletions left empty
        target.rmdir()
    if target.is_dir() and not target.is_symlink():
        return "a folder with other files stands there"
    target.parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=".patchwright-", dir=target.parent))
    try:
        shutil.copyfile(source, place / "new", follow_symlinks=False)
        _like(place / "new", source, target, copy.repository.top)
        (place / "new").replace(target)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return ""


def _like(new: Path, source: Path, target: Path, top: Path) -> None:
    """Owner and mode: those of the file that is replaced, but for who may run it."""
    old = target if target.exists() and not target.is_symlink() else None
    if os.geteuid() == 0:
        owner = (old or top).stat()
        os.chown(new, owner.st_uid, owner.st_gid, follow_symlinks=False)
    if new.is_symlink():
        return
    mode = (old or new).stat().st_mode & _ALL  # a new file's is what the umask leaves
    runs = source.stat().st_mode & _RUN
    if runs != mode & _RUN:
        mode = mode & ~_RUN | (mode >> 2 & _RUN if runs else 0)  # whoever may read it
    new.chmod(mode)
