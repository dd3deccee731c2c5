"""Reading and making trees in a bare repository of ours, by plumbing that runs nothing."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from jobs.repo.git import GitError, git, text
from jobs.repo.patch import FileChange, Patch

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_REMEMBERED = 4  # trees


class Trees:
    """Trees by id in the bare repository `git_dir` (objects may come from an alternate)."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir
        self._leaves: dict[str, dict[bytes, tuple[str, str]]] = {}  # of trees asked for last: an id stands for ever

    def paths(self, tree: str) -> tuple[str, ...]:
        """Every path of `tree`, submodule links included, sorted as git sorts."""
        return tuple(entry[3] for entry in self.entries(tree))

    def entries(self, tree: str) -> tuple[tuple[str, str, str, str], ...]:
        """(mode, type, object id, path) of every leaf of `tree`."""
        out = git(self.git_dir, "ls-tree", "-r", "-z", "--full-tree", tree)
        rows = (os.fsdecode(row).partition("\t") for row in out.split(b"\0") if row)
        return tuple((*meta.split(" "), path) for meta, _, path in rows)  # type: ignore[misc] # three words and a path

    def leaves(self, tree: str) -> dict[bytes, tuple[str, str]]:
        """(mode, object id) of every leaf of `tree` by its path, as bytes."""
        found = self._leaves.pop(tree, None)
        if found is None:
            out = git(self.git_dir, "ls-tree", "-r", "-z", "--full-tree", tree)
            rows = (row.partition(b"\t") for row in out.split(b"\0") if row)
            found = {path: (meta[:6].decode(), meta.rpartition(b" ")[2].decode()) for meta, _, path in rows}
        if _ID.match(tree):
            self._leaves[tree] = found
        while len(self._leaves) > _REMEMBERED:
            del self._leaves[next(iter(self._leaves))]
        return dict(found)

    def store(self, bodies: Iterable[bytes]) -> None:
        """Keeps files' contents in the repository, all of them by one command."""
        stream = b"".join(b"blob\ndata %d\n%b\n" % (len(body), body) for body in bodies)
        if stream:
            git(self.git_dir, "fast-import", "--quiet", "--done", stdin=stream + b"done\n")

    def differing(self, tree: str, other: str) -> frozenset[bytes]:
        """The paths that are not the same in both."""
        out = git(self.git_dir, "diff-tree", "-r", "-z", "--name-only", "--no-renames", tree, other)
        return frozenset(path for path in out.split(b"\0") if path)

    def read(self, tree: str, path: str) -> bytes | None:
        """The file's bytes, or None if `tree` has no such file."""
        try:
            return git(self.git_dir, "cat-file", "blob", f"{tree}:{path}")
        except GitError:
            return None

    def patch(self, base: str, tree: str) -> Patch:
        """The difference from `base` to `tree`."""
        raw = git(self.git_dir, "diff-tree", "-r", "-z", "--raw", "--no-renames", base, tree)
        stat = git(self.git_dir, "diff-tree", "-r", "-z", "--numstat", "--no-renames", *_QUIET, base, tree)
        diff = git(
            self.git_dir,
            "diff-tree",
            "-r",
            "-p",
            "--binary",
            "--full-index",
            "--no-renames",
            *_QUIET,
            base,
            tree,
        )
        return Patch(self.tree_of(base), self.tree_of(tree), tuple(_changes(raw, stat)), diff)

    def tree_of(self, revision: str) -> str:
        """The tree id that `revision` (commit or tree) stands for."""
        return text(self.git_dir, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")

    def graft(self, tree: str, source: str, paths: Iterable[str]) -> str:
        """`tree` with `paths` as they are in `source`; a path that `source` lacks is removed."""
        theirs = {path: (mode, blob) for mode, _, blob, path in self.entries(source)}
        zero = "0" * len(self.tree_of(tree))
        lines = [f"{theirs[p][0]} {theirs[p][1]}\t{p}" if p in theirs else f"0 {zero}\t{p}" for p in sorted(set(paths))]
        return self.edit(tree, lines)

    def edit(self, tree: str, index_info: Iterable[str]) -> str:
        """`tree` changed by `git update-index --index-info` lines."""
        stdin = b"".join(os.fsencode(line) + b"\0" for line in index_info)
        with index(self.git_dir) as env:
            git(self.git_dir, "read-tree", tree, env=env)
            git(self.git_dir, "update-index", "-z", "--index-info", stdin=stdin, env=env)
            return text(self.git_dir, "write-tree", env=env)

    def apply(self, tree: str, diff: bytes) -> str | None:
        """`tree` with `diff` applied exactly (no fuzz), or None if it does not apply."""
        with index(self.git_dir) as env:
            git(self.git_dir, "read-tree", tree, env=env)
            try:
                git(
                    self.git_dir,
                    "apply",
                    "--cached",
                    "--binary",
                    "--whitespace=nowarn",
                    "--unidiff-zero",
                    "-",
                    stdin=diff,
                    env=env,
                )
            except GitError:
                return None
            return text(self.git_dir, "write-tree", env=env)


_QUIET = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=none")


@contextmanager
def index(git_dir: Path) -> Iterator[dict[str, str]]:
    """A private index file for one sequence of commands, in the repository: it goes with it if we are killed."""
    with tempfile.TemporaryDirectory(prefix="index-", dir=git_dir, ignore_cleanup_errors=True) as folder:
        yield {"GIT_INDEX_FILE": str(Path(folder) / "index")}


def _changes(raw: bytes, stat: bytes) -> Iterable[FileChange]:
    counts: dict[str, tuple[int | None, int | None]] = {}
    for row in stat.split(b"\0"):
        if row:
            added, removed, path = os.fsdecode(row).split("\t", 2)
            counts[path] = (None, None) if added == "-" else (int(added), int(removed))
    fields = raw.split(b"\0")
    for meta, name in zip(fields[::2], fields[1::2], strict=False):
        old_mode, new_mode, old_blob, new_blob, status = meta.decode().lstrip(":").split(" ")
        path = os.fsdecode(name)
        added_removed = counts.get(path, (None, None))
        yield FileChange(path, status, old_mode, new_mode, old_blob, new_blob, *added_removed)
