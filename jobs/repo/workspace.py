"""One run's repository and checkouts: a bare repository of its own over the mirror's objects, and trees on disk."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from jobs.repo.git import git, init_bare, text
from jobs.repo.harvest import Harvest, harvest
from jobs.repo.trees import Trees

_LOCK = "lock"
_YOUNG_S = 60.0


@dataclass(frozen=True)
class Author:
    """Who a commit is by."""

    name: str
    email: str


class Workspace:
    """`git_dir` is the run's bare repository, `trees` reads and makes trees in it; `base_sha` is the commit that the
    run starts from and `base` its tree. Nothing below `root` outlives the run."""

    def __init__(self, root: Path, objects: Path, base_sha: str) -> None:
        self.root = root
        self.base_sha = base_sha
        self.objects = objects
        self.git_dir = root / "job.git"
        init_bare(self.git_dir, sha256=len(base_sha) == 64)
        (self.git_dir / "objects" / "info" / "alternates").write_text(f"{objects}\n")
        self.trees = Trees(self.git_dir)
        self.base = self.trees.tree_of(base_sha)
        self._names = count(1)

    @contextmanager
    def checkout(self, tree: str) -> Iterator[Path]:
        """`tree` in a fresh folder, removed at the end."""
        folder = self.root / f"tree-{next(self._names)}"
        folder.mkdir()
        env = {"GIT_INDEX_FILE": str(self.root / f"{folder.name}.index"), "GIT_WORK_TREE": str(folder)}
        try:
            git(self.git_dir, "read-tree", tree, env=env)
            git(self.git_dir, "checkout-index", "--all", "--force", "--quiet", env=env, cwd=folder)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def harvest(self, folder: Path, layer_source: Path | None, leave: frozenset[str] = frozenset()) -> Harvest:
        """What `folder` (a checkout of the base that was worked on) holds now, but for new files in `leave`."""
        return harvest(self.trees, self.base, folder, layer_source, leave)

    def commit(self, tree: str, message: str, author: Author, *, parents: Sequence[str] = ()) -> str:
        """A commit of `tree` on the base (or on `parents`), by `author`."""
        identity = {
            f"GIT_{role}_{field}": value
            for role in ("AUTHOR", "COMMITTER")
            for field, value in (("NAME", author.name), ("EMAIL", author.email))
        }
        on = [part for parent in parents or (self.base_sha,) for part in ("-p", parent)]
        return text(self.git_dir, "commit-tree", tree, *on, "-F", "-", stdin=message.encode(), env=identity)


@contextmanager
def open_workspace(runs: Path, run: str, objects: Path, base_sha: str) -> Iterator[Workspace]:
    """A workspace for `run` below the folder `runs`, removed at the end; what killed runs left is removed first.

    Two executions of one run never share a folder.
    """
    runs.mkdir(parents=True, mode=0o700, exist_ok=True)
    sweep(runs)
    root = Path(tempfile.mkdtemp(prefix=f"{run}-", dir=runs))
    with (root / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield Workspace(root, objects, base_sha)
        finally:
            shutil.rmtree(root, ignore_errors=True)


def sweep(runs: Path) -> None:
    """Removes the workspaces below `runs` that nobody works in any more: their lock is free."""
    for left in runs.iterdir():
        try:
            if time.time() - left.stat().st_mtime < _YOUNG_S:  # may be between its making and its lock
                continue
            lock = (left / _LOCK).open("r")
        except OSError:  # gone, or not a workspace
            continue
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            shutil.rmtree(left, ignore_errors=True)
