"""States of a hostile work tree as git trees in the run's own store: one a round, and the way back to each.

No git command sees the folder but check-ignore, which reads .gitignore files as data; only files whose fingerprint
changed are read again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from jobs.errors import EnvironmentFault
from jobs.repo import below
from jobs.repo.folders import folders_of
from jobs.repo.git import git
from jobs.repo.harvest import blob_id, refusal
from jobs.repo.ignored import ignored
from jobs.repo.litter import is_litter
from jobs.repo.trees import Trees
from jobs.sandbox.files import GENERATED, fingerprints

_LARGEST = 50 << 20  # bytes of one file, as for what is taken at the end
_SUBMODULE = "160000"
# What git takes for its own folder on some file system, and therefore in no tree.
_UNSEEN = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_GITS = re.compile(r"(?:\.git|git~1)[ .]*(?::.*)?", re.IGNORECASE | re.DOTALL)

Entry = tuple[str, str]  # mode, object id


@dataclass(frozen=True)
class _Known:
    """What a path was when it was last looked at; `kept` is False for what is no part of a state."""

    fingerprint: str
    kept: bool


class TreeCheckpoints:
    """The states of the checkout `folder` of `base`.

    Part of a state is what may become part of the change: the base's files, and new ones that are neither ignored,
    nor dropped by tools, nor written by set-up (`layer_source`). Everything else is left alone, both ways. What is
    put back belongs to whom `folder` belongs: give that away first. Nothing may run in it meanwhile.
    `clean` says that nothing ran in it since it was checked out, so that the base's files need not be read.
    """

    def __init__(
        self, trees: Trees, base: str, folder: Path, layer_source: Path | None = None, *, clean: bool = False
    ) -> None:
        self._trees, self._folder, self._layer = trees, folder, layer_source
        self._tree = trees.tree_of(base)
        self._algorithm = "sha256" if len(self._tree) == 64 else "sha1"
        self._entries = trees.leaves(self._tree)
        self._submodules = frozenset(p for p, (mode, _) in self._entries.items() if mode == _SUBMODULE)
        self._base = frozenset(self._entries)
        self._base_folders = frozenset(folders_of(self._base))
        self._marks: dict[str, str] | None = None  # of the whole tree when it was taken last
        self._seen: dict[str, _Known] = {}
        if clean:
            self._marks = {p: mark for p, mark in fingerprints(folder).items() if os.fsencode(p) in self._base}
            self._seen = {path: _Known(mark, kept=True) for path, mark in self._marks.items()}
        self._untaken: set[bytes] = set()  # entries in whose place something stands that can't be taken

    def take(self) -> str:
        """Keeps the tree as it is now; the name of this state, equal for equal states.

        Raises EnvironmentFault if the store can't be written to.
        """
        now = fingerprints(self._folder)
        if now == self._marks:
            return self._tree
        changed = [path for path, mark in now.items() if path not in self._seen or self._seen[path].fingerprint != mark]
        if any(path.rpartition("/")[2] == ".gitignore" for path in changed):
            changed = [p for p in now if p in set(changed) or not self._seen[p].kept]
        gone = self._gone(now)
        found = self._taken(changed)
        self._seen = {path: self._seen[path] for path in now if path in self._seen}
        for path in changed:
            raw = os.fsencode(path)
            self._seen[path] = _Known(now[path], raw in self._entries or raw in found)
            (self._untaken.discard if raw in found or raw not in self._entries else self._untaken.add)(raw)
        self._untaken.difference_update(gone)
        self._keep(gone, found)
        self._marks = now
        return self._tree

    def restore(self, name: str) -> tuple[str, ...]:
        """Makes the tree's files those of the state `name`; the paths that changed by it, sorted.

        Raises EnvironmentFault where there is no such state, or a file can't be put in its place.
        """
        wanted = self._trees.leaves(name)
        self.take()
        differ = {p: one for p, one in wanted.items() if self._entries.get(p) != one or p in self._untaken}
        put = {p: one for p, one in differ.items() if one[0] != _SUBMODULE}
        drop = [p for p, (mode, _) in self._entries.items() if p not in wanted and mode != _SUBMODULE]
        blobs = self._blobs({oid for _, oid in put.values()})
        path = b""
        try:
            for path in drop:
                below.remove(self._folder, path)
            for path in sorted(put):
                below.write(self._folder, path, put[path][0], blobs[put[path][1]])
        except OSError as why:
            raise EnvironmentFault(f"{os.fsdecode(path)} could not be put back: {why.strerror or why}.") from None
        finally:
            if put or drop:
                self.take()
        return tuple(sorted(os.fsdecode(path) for path in (*drop, *put)))

    def _gone(self, now: Iterable[str]) -> list[bytes]:
        """Entries that no longer stand in the tree; what lies in generated folders is not looked at."""
        here = set(map(os.fsencode, now))
        missing = [p for p, (mode, _) in self._entries.items() if p not in here and mode != _SUBMODULE]
        return [p for p in missing if not GENERATED & set(os.fsdecode(p).split("/")[:-1])]

    def _taken(self, changed: Iterable[str]) -> dict[bytes, tuple[str, bytes]]:
        """(mode, bytes) of those of `changed` that are part of a state."""
        found: dict[bytes, tuple[str, bytes]] = {}
        for path in map(os.fsencode, changed):
            if path in self._entries or not self._is_foreign(path):
                row = self._read(path)
                if row is not None:
                    found[path] = row
        left_out = ignored(self._trees.git_dir, self._folder, [p for p in found if p not in self._entries])
        return {path: row for path, row in found.items() if path not in left_out}

    def _read(self, path: bytes) -> tuple[str, bytes] | None:
        try:
            info = below.status(self._folder, path)
            if refusal(path, info, known=path in self._base) or _is_git(path):
                return None
            data = below.read(self._folder, path, _LARGEST)
        except OSError:  # not ours to read
            return None
        if info.st_mode & 0o170000 == 0o120000:
            return None if path.endswith(b".gitmodules") else (below.LINK, data)
        return "100755" if info.st_mode & 0o100 else "100644", data

    def _is_foreign(self, path: bytes) -> bool:
        """Neither the base's nor a person's: left by a tool, laid over the checkout by set-up, or a submodule's."""
        for step in (*reversed(list(folders_of((path,)))), path):
            if step in self._submodules:
                return True
            if step in self._base or step in self._base_folders:
                continue
            if is_litter(os.fsdecode(step)):
                return True
            if self._layer is not None and os.path.lexists(self._layer / os.fsdecode(step)):
                return True
        return False

    def _keep(self, gone: list[bytes], found: dict[bytes, tuple[str, bytes]]) -> None:
        """Moves on to the state in which `gone` are away and `found` are as they were read."""
        entries = {path: (mode, blob_id(self._algorithm, data)) for path, (mode, data) in found.items()}
        new = {path: entry for path, entry in entries.items() if self._entries.get(path) != entry}
        if not new and not gone:
            return
        have = {oid for _, oid in self._entries.values()}
        self._trees.store(found[path][1] for path, (_, oid) in new.items() if oid not in have)
        zero = "0" * len(self._tree)
        lines = [f"0 {zero}\t{os.fsdecode(path)}" for path in gone]
        lines += [f"{mode} {oid}\t{os.fsdecode(path)}" for path, (mode, oid) in new.items()]
        self._tree = self._trees.edit(self._tree, lines)
        for path in gone:
            del self._entries[path]
        self._entries |= new

    def _blobs(self, oids: Iterable[str]) -> dict[str, bytes]:
        wanted = list(oids)
        out = git(self._trees.git_dir, "cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in wanted).encode())
        found, at = {}, 0
        for oid in wanted:
            end = out.index(b"\n", at)
            size = int(out[at:end].rpartition(b" ")[2])
            found[oid] = out[end + 1 : end + 1 + size]
            at = end + size + 2
        return found


def _is_git(path: bytes) -> bool:
    parts = re.split(r"[/\\]", _UNSEEN.sub("", os.fsdecode(path)))
    return any(_GITS.fullmatch(part) for part in parts)
