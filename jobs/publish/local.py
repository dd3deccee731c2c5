"""Publishing on one machine: a new branch in the person's own repository, nothing else of it touched."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from jobs.errors import UserError
from jobs.publish.publisher import Proposal, Published
from jobs.repo.git import GitError, Remote, git

_MOST_NAMES = 100


class LocalPublisher:
    """Puts results into the repository whose objects and refs lie in `git_dir`. Work tree, index and HEAD stay as they
    are, and a branch that exists is never moved: the next free name is taken."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir

    def publish(self, proposal: Proposal) -> Published:
        """Creates the branch, or finds it at this commit."""
        taken = self._branches(proposal.branch)
        for branch in _names(proposal.branch):
            if taken.get(branch) == proposal.commit:
                return Published(branch, proposal.commit)
            if branch not in taken and self._create(proposal, branch):
                return Published(branch, proposal.commit)
        raise UserError(f"No free name like {proposal.branch} is left: delete old agent/* branches.")

    def _create(self, proposal: Proposal, branch: str) -> bool:
        """False if the name turned out to be taken after all."""
        source = Remote(f"file://{proposal.git_dir}")
        self._git(
            "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-gc",
            "--end-of-options", source.url, proposal.commit, remote=source,
        )  # fmt: skip
        try:
            # The zeros say: only if there is no such branch.
            reference, none = f"refs/heads/{branch}", "0" * len(proposal.commit)
            self._git("update-ref", "--no-deref", "--end-of-options", reference, proposal.commit, none)
        except GitError as refused:
            if "cannot create" in refused.stderr:
                raise UserError(
                    f"A branch of yours stands in the way of {branch}: rename the one it begins with."
                ) from None
            return False
        return True

    def _branches(self, prefix: str) -> dict[str, str]:
        out = self._git("for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads/")
        rows = (row.partition(" ") for row in out.decode("utf-8", "surrogateescape").splitlines())
        return {branch: commit for commit, _, branch in rows if branch.startswith(prefix)}

    def _git(self, *args: str, remote: Remote | None = None) -> bytes:
        # It is the person's folder, whoever owns it: named exactly, for this command only.
        return git(self.git_dir, "-c", f"safe.directory={self.git_dir}", *args, remote=remote)


def _names(branch: str) -> Iterator[str]:
    yield branch
    yield from (f"{branch}-{n}" for n in itertools.islice(itertools.count(2), _MOST_NAMES))
