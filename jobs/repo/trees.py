"""Reading and making trees in a bare repository of ours, by plumbing that runs nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from jobs.repo.git import GitError, git, text
from jobs.repo.patch import FileChange, Patch


class Trees:
    """Trees by id in the bare repository `git_dir` (objects may come from an alternate)."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir

    def paths(self, tree: str) -> tuple[str, ...]:
        """Every path of `tree`, submodule links included, sorted as git sorts."""
        return tuple(entry[3] for entry in self.entries(tree))

    def entries(self, tree: str) -> tuple[tuple[str, str, str, str], ...]:
        """(mode, type, object id, path) of every leaf of `tree`."""
        out = git(self.git_dir, "ls-tree", "-r", "-z", "--full-tree", tree)
        rows = (os.fsdecode(row).partition("\t") for row in out.split(b"\0") if row)
        return tuple((*meta.split(" "), path) for meta, _, path in rows)  # type: ignore[misc] # three words and a path

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
        with _index() as env:
            git(self.git_dir, "read-tree", tree, env=env)
            git(self.git_dir, "update-index", "-z", "--index-info", stdin=stdin, env=env)
            return text(self.git_dir, "write-tree", env=env)

    def apply(self, tree: str, diff: bytes) -> str | None:
        """`tree` with `diff` applied exactly (no fuzz), or None if it does not apply."""
        with _index() as env:
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


class _index:
    """A private index file for one sequence of commands."""

    def __enter__(self) -> dict[str, str]:
        self._folder = tempfile.TemporaryDirectory(prefix="pw-index-")
        return {"GIT_INDEX_FILE": str(Path(self._folder.name) / "index")}

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


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
