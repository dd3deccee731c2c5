"""A run's bare repository with a commit to publish, over the objects of another."""

from __future__ import annotations

from pathlib import Path

from receipt_facts import TASK, ended

from jobs.publish.branch import name
from jobs.publish.publisher import Proposal
from jobs.publish.receipt import receipt
from jobs.repo.git import git
from jobs.repo.workspace import Author, Workspace

BOT = Author("patchwright[bot]", "1+patchwright[bot]@users.noreply.github.com")
BRANCH = name("fix", TASK.number, TASK.title)


class Bench:
    """Commits on top of `base_sha`, whose objects lie in `objects`."""

    def __init__(self, root: Path, objects: Path, base_sha: str) -> None:
        self.workspace = Workspace(root, objects, base_sha)

    def commit(self, path: str, content: str, author: Author = BOT) -> str:
        """A commit that writes one file."""
        work = self.workspace
        blob = git(work.git_dir, "hash-object", "-w", "--stdin", stdin=content.encode()).decode().strip()
        return work.commit(work.trees.edit(work.base, [f"100644 {blob}\t{path}"]), "Fix it", author)

    def proposal(self, commit: str, *, run: str = "r-01", branch: str = BRANCH, draft: bool = False) -> Proposal:
        """What a run would publish."""
        return Proposal(
            run=run,
            task=TASK,
            git_dir=self.workspace.git_dir,
            commit=commit,
            branch=branch,
            base_branch="main",
            receipt=receipt(ended(run=run, commit=commit)),
            summary="I changed the sign.",
            draft=draft,
            paths=("tool.py",),
        )
