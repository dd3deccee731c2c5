"""A bare mirror per repository, fetched commit by commit, owned by the harness and never mounted writable."""

from __future__ import annotations

import fcntl
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jobs.errors import UserError
from jobs.repo.git import GitError, Remote, git, init_bare
from jobs.repo.transport import transport_fault

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")


class Mirror:
    """The mirror of one repository; its folder is named by the numeric id, never by what people can rename."""

    def __init__(self, folder: Path, repository_id: int) -> None:
        self.git_dir = folder / f"{repository_id}.git"
        self._lock = folder / f"{repository_id}.lock"

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

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._lock.parent.mkdir(parents=True, exist_ok=True)
        with self._lock.open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
