"""One checkout that is kept between uses, and how it becomes another tree's: by what differs, and nothing believed."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import time
from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from jobs.repo import held
from jobs.repo.git import GitError, git
from jobs.repo.harvest import Entry, Proof, blob_id, nothing_proven
from jobs.repo.held import Held
from jobs.repo.marks import Clock, Mark, honest, mark, settle
from jobs.repo.survey import Survey, listed
from jobs.repo.top import Top
from jobs.repo.trees import Trees, index
from jobs.sandbox import files
from jobs.sandbox.layer import lay

_SUBMODULE = "160000"


@dataclass(frozen=True)
class Wanted:
    """What a checkout is to hold: a tree's files, and over them those of `layer` (a folder that never changes), all
    owned by `owner` (uid, gid; None: by whom they are)."""

    trees: Trees
    tree: str
    layer: Path | None = None
    owner: tuple[int, int] | None = None


class Kept:
    """A checkout in `folder`/tree, and beside it what is known of it while nobody has it.

    Whoever holds it has locked it: `become` makes it what is wanted, `give_back` takes away all that is not proven to
    be as it was made. A file is proven by its mark where the file system keeps marks honestly, else by its content.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = folder / "tree"
        self._wanted: Wanted | None = None
        self._entries: dict[bytes, Entry] = {}
        self._marks: dict[bytes, Mark] = {}
        self._held = Held()
        self._honest = honest(folder)
        self._clock = Clock.now()

    def become(self, wanted: Wanted) -> Path:
        """Makes it the checkout of `wanted`; its folder. Every file of the tree has the time of this.

        Raises GitError where the tree can't be laid out, and then nothing is known of it.
        """
        leaves = wanted.trees.leaves(wanted.tree)
        self._wanted = wanted
        self._entries = {path: entry for path, entry in leaves.items() if entry[0] != _SUBMODULE}
        submodules = leaves.keys() - self._entries.keys()
        known = held.read(self.folder) if self.tree.is_dir() else None
        if known is not None:
            self._held = known
            with contextlib.suppress(OSError):  # changed by a hand from outside
                self._made(submodules)
                return self.tree
        self._begin_anew()
        self._held = Held()
        self._made(submodules)
        return self.tree

    def _made(self, submodules: Set[bytes]) -> None:
        """Makes what is held into what is wanted."""
        assert self._wanted is not None
        with Top(self.tree) as top:
            self._take_off(top, submodules)
            written = self._fill(top, submodules)
            laid = self._lay(top) if self._wanted.layer is not None else []
            self._hand_over(top, [*written, *laid])

    def proof(self) -> Proof:
        """Gives the tree's entry for a path and a status, if the file is proven to be the one that was laid out."""
        if not (self._honest and self._clock.went_on()):
            return nothing_proven
        marks, entries = self._marks, self._entries

        def proven(path: bytes, status: os.stat_result) -> Entry | None:
            return entries.get(path) if marks.get(path) == mark(status) else None

        return proven

    def give_back(self) -> None:
        """Takes away what its user left and writes down what then is there. Nothing may run in it any more.

        Raises OSError where that can't be done: then nothing is known of it.
        """
        assert self._wanted is not None, "it was taken"
        gone = self._gone()
        with Top(self.tree) as top, Top(gone) as away:
            believed = self._marks if self._clock.went_on() else {}
            survey = Survey(top, believed, self._held.folders, away, self._wanted.owner)
            survey.clean(None if self._honest else partial(self._is_as_made, top))
        files.clear(gone)
        there = survey.kept
        for path in self._marks.keys() - there.keys():
            self._held.files.pop(path, None)
            if self._held.laid.pop(path, None) is not None:
                self._held.whole = False
        if not self._held.folders <= survey.seen:
            self._held.whole = False
            self._held.folders &= survey.seen
            self._held.laid_folders &= survey.seen
        self._held.write(self.folder, sum(there.values()))

    def _gone(self) -> Path:
        """An empty folder for what is to go; whoever was killed over one may still be removing that."""
        for left in self.folder.glob("gone-*"):
            files.clear(left)
        gone = self.folder / f"gone-{secrets.token_hex(8)}"
        gone.mkdir(mode=0o700)
        return gone

    def _begin_anew(self) -> None:
        """An empty tree; the old one is moved away first, in case something of a killed user's still writes to it."""
        gone = self._gone()
        if os.path.lexists(self.tree):
            self.tree.rename(gone / "tree")
        files.clear(gone)
        self.tree.mkdir()
        self.tree.chmod(0o755)

    def _take_off(self, top: Top, submodules: Set[bytes]) -> None:
        """Removes files that are not wanted, and folders that nothing wanted lies in."""
        assert self._wanted is not None
        now, layer = self._held, str(self._wanted.layer or "")
        tracked = held.parents([*self._entries, *submodules]) | submodules
        if now.layer != layer or self._in_the_way(tracked):
            _remove(top, now.laid)
            now.laid, now.laid_folders, now.layer, now.whole = {}, set(), layer, False
        elif both := now.laid.keys() & self._entries.keys():
            _remove(top, both)
            now.laid = {path: one for path, one in now.laid.items() if path not in both}
        stale = [path for path, entry in now.files.items() if self._entries.get(path) != entry]
        _remove(top, stale)
        for path in stale:
            del now.files[path]
        gone = now.folders - tracked - now.laid_folders - held.parents(now.laid)
        for path in sorted(gone, reverse=True):  # what lies in a folder before it
            top.rmdir(path)
        now.folders -= gone
        if gone or not self._entries.keys() >= set(stale):  # the layer may have something in its place
            now.whole = False

    def _in_the_way(self, tracked: Set[bytes]) -> bool:
        """Whether a folder of the layer's stands where a file is wanted, or a file where a folder is."""
        now = self._held
        return bool((now.laid_folders | held.parents(now.laid)) & self._entries.keys() or now.laid.keys() & tracked)

    def _fill(self, top: Top, submodules: Set[bytes]) -> list[bytes]:
        """Writes the files of the tree that are not there; what it made, folders too."""
        assert self._wanted is not None
        now = self._held
        missing = self._entries.keys() - now.files.keys()
        folders = (held.parents([*missing, *submodules]) | submodules) - now.folders
        if missing or folders:
            _refuse_ways_out([*missing, *submodules])
            self._write(missing)
            _require(top, missing)
            for path in sorted(folders):
                top.mkdir(path)  # git has made all but those of submodules
        now.tree, now.files, now.folders = self._wanted.tree, dict(self._entries), now.folders | folders
        return [*folders, *missing]

    def _write(self, paths: Iterable[bytes]) -> None:
        """Lets git write the tree's files at `paths`; names that it refuses are not written."""
        assert self._wanted is not None
        git_dir = self._wanted.trees.git_dir
        rows = (b"%b %b\t%b\0" % (*map(str.encode, self._entries[path]), path) for path in sorted(paths))
        with index(git_dir) as env:
            git(git_dir, "update-index", "-z", "--index-info", stdin=b"".join(rows), env=env)
            work_tree = {**env, "GIT_WORK_TREE": str(self.tree)}
            git(git_dir, "checkout-index", "--quiet", "--all", env=work_tree, cwd=self.tree)

    def _lay(self, top: Top) -> list[bytes]:
        """Copies what is lacking of the layer; what it made, folders too."""
        assert self._wanted is not None
        assert self._wanted.layer is not None
        now = self._held
        if now.whole:
            return []
        lay(self._wanted.layer, self.tree)
        there, folders = listed(top)
        made = [path for path in there if path not in now.files and path not in now.laid]
        new = folders - now.folders
        now.laid |= {path: mark(there[path]) for path in made}
        now.laid_folders |= new
        now.folders |= new
        now.whole = True
        return [*new, *made]

    def _hand_over(self, top: Top, made: list[bytes]) -> None:
        """Gives what was `made` to its owner, the tree's files one time, and takes the marks of all."""
        assert self._wanted is not None
        owner, instant = self._wanted.owner, time.time_ns()
        if owner is not None:
            for path in (b".", *made):
                top.give(path, owner)
        # As in a new checkout, nothing that was made of a file is newer than the file.
        self._marks = top.stamped(self._entries, instant)
        newest = max((one[0] for one in self._marks.values()), default=0)
        for path in made:
            if path in self._held.laid:
                self._held.laid[path] = mark(top.status(path))
                newest = max(newest, self._held.laid[path][0])
        self._marks |= self._held.laid
        self._clock = Clock.now()
        settle(newest)

    def _is_as_made(self, top: Top, path: bytes) -> bool:
        """Whether what has the mark of before also has its content."""
        content = top.content(path)
        if (entry := self._entries.get(path)) is not None:
            return blob_id("sha256" if len(entry[1]) == 64 else "sha1", content) == entry[1]
        with Top(Path(self._held.layer)) as source:
            return content == source.content(path)


def _remove(top: Top, paths: Iterable[bytes]) -> None:
    for path in paths:
        top.unlink(path)


def _require(top: Top, paths: Iterable[bytes]) -> None:
    """Raises GitError if one of the files `paths` is not there."""
    for path in paths:
        try:
            there = not stat.S_ISDIR(top.status(path).st_mode)
        except FileNotFoundError:
            there = False
        if not there:
            raise GitError(("checkout-index",), None, f"'{os.fsdecode(path)}' is no path that git writes")


def _refuse_ways_out(paths: Iterable[bytes]) -> None:
    """Raises GitError for a path that leaves the folder it is meant for; git refuses more, but later."""
    for path in paths:
        if not {b"", b".", b"..", b".git"}.isdisjoint(path.split(b"/")):
            raise GitError(("checkout-index",), None, f"'{os.fsdecode(path)}' is no path of a tree")
