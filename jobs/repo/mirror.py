"""A bare mirror per repository, fetched commit by commit, owned by the harness and never mounted writable."""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from jobs.errors import UserError
from jobs.repo.git import GitError, Remote, git, init_bare
from jobs.repo.transport import transport_fault
from jobs.sandbox.files import clear, disk_usage

_LARGEST = 50 << 30  # bytes of all mirrors together
_PACKS = 20  # above, git looks through too many files for each object
_LOOSE = 20  # files in one of 256 folders, the number that stands for the others in git's own rule
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")


_GONE = ".gone"


class Mirror:
    """The mirror of one repository; its folder is named by the numeric id, never by what people can rename."""

    def __init__(self, folder: Path, repository_id: int) -> None:
        self.git_dir = folder / f"{repository_id}.git"
        self._lock = folder / f"{repository_id}.lock"
        self._use = folder / f"{repository_id}.use"

    @contextmanager
    def held(self) -> Iterator[Mirror]:
        """Keeps the mirror from being pruned meanwhile; any number may hold it."""
        self._use.parent.mkdir(parents=True, exist_ok=True)
        with self._use.open("a") as handle:
            fcntl.flock(handle, fcntl.LOCK_SH)
            os.utime(self._use)
            yield self

    def remove(self) -> bool:
        """Removes the mirror unless somebody holds it; whether it did."""
        with self._use.open("a") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            # Half a mirror would look like a whole one: it goes by name first.
            gone = self.git_dir.with_name(f"{self.git_dir.stem}-{time.time_ns()}{_GONE}")
            self.git_dir.rename(gone)
            clear(gone)
            return True

    @property
    def used(self) -> float:
        """When it was held last, in seconds of the epoch."""
        try:
            return self._use.stat().st_mtime
        except OSError:
            return 0.0

    def fetch(self, remote: Remote, sha: str) -> None:
        """Brings commit `sha` and its history here, over `remote`; nothing if it is here already.

        Raises UserError if the repository does not have that commit, EnvironmentFault or Retry if it can't be reached.
        """
        if not _SHA.match(sha):
            raise UserError(f"'{sha}' is not a full commit id.")
        with self._locked():
            if not (self.git_dir / "HEAD").exists():
                init_bare(self.git_dir, sha256=len(sha) == 64)
            if not self.has(sha):
                self._fetch(remote, sha)
                self._tidy()

    def has(self, sha: str) -> bool:
        """True if `sha` and its history were fetched."""
        try:
            git(self.git_dir, "rev-parse", "--verify", "--quiet", f"refs/patchwright/{sha}^{{commit}}")
        except GitError:
            return False
        return True

    def _fetch(self, remote: Remote, sha: str) -> None:
        options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-gc")
        refspec = f"+{sha}:refs/patchwright/{sha}"
        try:
            git(self.git_dir, "fetch", *options, "--end-of-options", remote.url, refspec, remote=remote)
        except GitError as refused:
            if "not our ref" in refused.stderr or "no such remote ref" in refused.stderr.lower():
                raise UserError(f"The repository has no commit {sha}; was the branch rewritten?") from refused
            raise transport_fault(refused) from refused

    def _tidy(self) -> None:
        """Joins packs and loose objects when they have become many; readers find their objects all the time."""
        objects = self.git_dir / "objects"
        packs, loose = sum(1 for _ in objects.glob("pack/*.pack")), sum(1 for _ in objects.glob("17/*"))
        if packs <= _PACKS and loose <= _LOOSE:
            return
        with suppress(GitError):  # no room for it: the fetch stands all the same
            git(self.git_dir, "repack", "--geometric=2", "-d", "-q")
            git(self.git_dir, "pack-refs", "--all")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._lock.parent.mkdir(parents=True, exist_ok=True)
        with self._lock.open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield


@dataclass(frozen=True)
class Mirrors:
    """The mirrors of all repositories, below `folder`."""

    folder: Path

    def of(self, repository_id: int) -> Mirror:
        """The one of a repository."""
        return Mirror(self.folder, repository_id)

    def prune(self, limit: int = _LARGEST) -> int:
        """Removes those that were held longest ago, until the rest fits into `limit` bytes; what somebody holds stays.
        How many were removed."""
        for left in self.folder.glob(f"*{_GONE}"):  # by who was killed over it
            clear(left)
        mirrors = [self.of(int(entry.stem)) for entry in self.folder.glob("*.git") if entry.stem.isdigit()]
        sizes = {mirror: disk_usage(mirror.git_dir)[0] for mirror in mirrors}
        total, removed = sum(sizes.values()), 0
        for mirror in sorted(mirrors, key=lambda one: one.used):
            if total <= limit:
                break
            if mirror.remove():
                total, removed = total - sizes[mirror], removed + 1
        return removed
