"""One run's repository and checkouts: a bare repository of its own over the mirror's objects, and trees on disk."""

from __future__ import annotations

import fcntl
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from jobs.repo.git import git, init_bare, text
from jobs.repo.harvest import Harvest, harvest, nothing_proven
from jobs.repo.kept import Kept, Wanted
from jobs.repo.pool import Pool, prune
from jobs.repo.trees import Trees
from jobs.sandbox.files import clear
from jobs.sandbox.layer import lay

_LOCK = "lock"


@dataclass(frozen=True)
class Author:
    """Who a commit is by."""

    name: str
    email: str


class Workspace:
    """`git_dir` is the run's bare repository, `trees` reads and makes trees in it; `base_sha` is the commit that the
    run starts from and `base` its tree. Nothing below `root` outlives the run; checkouts come from `pool` and belong to
    `owner` (uid, gid; None: to whom they are made by)."""

    def __init__(
        self, root: Path, objects: Path, base_sha: str, pool: Path | None = None, owner: tuple[int, int] | None = None
    ) -> None:
        self.root = root
        self.base_sha = base_sha
        self.objects = objects
        self.git_dir = root / "job.git"
        init_bare(self.git_dir, sha256=len(base_sha) == 64)
        (self.git_dir / "objects" / "info" / "alternates").write_text(f"{objects}\n")
        self.trees = Trees(self.git_dir)
        self.base = self.trees.tree_of(base_sha)
        self._names = count(1)
        self._pool = Pool(pool, objects) if pool is not None else None
        self._owner = owner
        self._kept: dict[Path, Kept] = {}  # checkouts that somebody has now

    @contextmanager
    def checkout(self, tree: str, layer: Path | None = None) -> Iterator[Path]:
        """`tree` in a folder that nobody else has meanwhile, with what set-up wrote beside it (`layer`, a layer's src)
        over it. Whatever an earlier user of the folder left is gone."""
        wanted = Wanted(self.trees, tree, layer, self._owner)
        with self._pool.take(wanted) if self._pool is not None else nullcontext() as kept:
            if kept is None:
                with self._laid(tree, layer) as folder:
                    yield folder
                return
            self._kept[kept.tree] = kept
            try:
                yield kept.tree
            finally:
                del self._kept[kept.tree]

    @contextmanager
    def _laid(self, tree: str, layer: Path | None) -> Iterator[Path]:
        with self.fresh(tree) as folder:
            if layer is not None:
                lay(layer, folder)
            yield folder

    @contextmanager
    def fresh(self, tree: str) -> Iterator[Path]:
        """`tree` in a new folder, removed at the end: for who takes it apart."""
        folder = self.root / f"tree-{next(self._names)}"
        folder.mkdir()
        env = {"GIT_INDEX_FILE": str(self.root / f"{folder.name}.index"), "GIT_WORK_TREE": str(folder)}
        try:
            git(self.git_dir, "read-tree", tree, env=env)
            git(self.git_dir, "checkout-index", "--all", "--force", "--quiet", env=env, cwd=folder)
            yield folder
        finally:
            clear(folder)

    def harvest(self, folder: Path, layer_source: Path | None, leave: frozenset[str] = frozenset()) -> Harvest:
        """What `folder` (a checkout that was worked on) holds now, but for new files in `leave`; against the base."""
        proof = self._kept[folder].proof() if folder in self._kept else nothing_proven
        return harvest(self.trees, self.base, folder, layer_source, leave, proof)

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
def open_workspace(
    runs: Path, run: str, objects: Path, base_sha: str, *, owner: tuple[int, int] | None = None
) -> Iterator[Workspace]:
    """A workspace for `run` below the folder `runs`, removed at the end; what killed runs left is removed first.
    Its checkouts are for the user `owner` and stay in a pool beside `runs`.

    Two executions of one run never share a folder.
    """
    runs.mkdir(parents=True, mode=0o700, exist_ok=True)
    sweep(runs)
    pool = runs.parent / "pool"
    prune(pool)
    with _alone(runs):
        root = Path(tempfile.mkdtemp(prefix=f"{run}-", dir=runs))
        lock = (root / _LOCK).open("w")
        fcntl.flock(lock, fcntl.LOCK_EX)
    with lock:
        try:
            yield Workspace(root, objects, base_sha, pool, owner)
        finally:
            clear(root)


def sweep(runs: Path) -> None:
    """Removes the workspaces below `runs` that nobody works in any more: their lock is free."""
    with ExitStack() as locks:
        with _alone(runs):  # nobody is between making a workspace and locking it
            left = [folder for folder in runs.iterdir() if folder.is_dir() and _left(folder, locks)]
        for folder in left:
            clear(folder)


def _left(folder: Path, locks: ExitStack) -> bool:
    """Whether `folder` is nobody's; then it is locked until `locks` end."""
    try:
        lock = locks.enter_context((folder / _LOCK).open("w"))
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, FileNotFoundError):  # used, or just removed
        return False
    return True


@contextmanager
def _alone(runs: Path) -> Iterator[None]:
    """Nobody else makes or sweeps workspaces below `runs` meanwhile."""
    with runs.with_name(f"{runs.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
