"""Finding a person's own repository on this machine, without running anything from its configuration."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from jobs.errors import EnvironmentFault, UserError
from jobs.repo.git import GitError, text
from jobs.repo.trees import Trees


@dataclass(frozen=True)
class LocalRepository:
    """`top` is the work tree, `git_dir` its own git folder, `common` the folder with objects and refs (differs in a
    linked worktree)."""

    top: Path
    git_dir: Path
    common: Path

    @property
    def objects(self) -> Path:
        """The object store, to be read as an alternate."""
        return self.common / "objects"

    def resolve(self, revision: str, *, option: str = "--base") -> str:
        """The commit id of `revision`, which `option` gave. Raises UserError if there is none."""
        # HEAD is a linked worktree's own; everything else is shared.
        where = self.git_dir if revision == "HEAD" else self.common
        try:
            return text(where, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except GitError:
            if revision == "HEAD":
                raise UserError(f"{self.top} has no commits yet: commit something first.") from None
            raise UserError(f"{self.top} has no branch, tag or commit named '{revision}' ({option}).") from None

    def require_writable(self) -> None:
        """Raises EnvironmentFault where no branch can be made here."""
        for folder in (self.objects, self.common / "refs" / "heads"):
            if not os.access(folder, os.W_OK):
                raise EnvironmentFault(f"{folder} can't be written to, so the result would have nowhere to go.")

    def read(self, commit: str, path: str) -> bytes | None:
        """The file's bytes in `commit`, or None if it has no such file."""
        return Trees(self.common).read(commit, path)

    @property
    def branch(self) -> str | None:
        """The branch that is checked out, None if HEAD is detached."""
        head = (self.git_dir / "HEAD").read_text().strip()
        return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else None


def find(directory: Path) -> LocalRepository:
    """The repository whose work tree holds `directory`. Raises UserError if there is none."""
    if not directory.is_dir():
        raise UserError(f"{directory} is not a folder (--repo).")
    start = directory.resolve()
    for top in (start, *start.parents):
        if (top / ".git").exists():
            return _at(top)
    if (start / "objects").is_dir() and (start / "HEAD").is_file():
        raise UserError(f"{directory} is a bare repository (--repo): name a work tree, such as a clone of it.")
    raise UserError(f"{directory} is not inside a git repository (--repo): run 'git init' and commit first.")


def _at(top: Path) -> LocalRepository:
    git_dir = top / ".git"
    if git_dir.is_file():
        link = re.match(r"gitdir: (.+)", git_dir.read_text())
        if link is None:
            raise UserError(f"{git_dir} is neither a folder nor a link to one.")
        git_dir = (top / link[1].strip()).resolve()
    common = git_dir / "commondir"
    shared = (git_dir / common.read_text().strip()).resolve() if common.is_file() else git_dir
    if not (shared / "objects").is_dir():
        raise UserError(f"{top} is not a usable git repository: {shared} has no objects folder.")
    return LocalRepository(top, git_dir, shared)
