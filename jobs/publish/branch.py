"""Branches of ours: their names, and the one push of a run."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

from jobs.errors import Stopped
from jobs.outcome import Outcome
from jobs.repo.git import GitError, Remote, git, text
from jobs.repo.transport import transport_fault

PREFIX = "agent/"
_SLUG_LIMIT = 40


def name(kind: str, number: int | str | None, title: str) -> str:
    """`agent/<kind>-<number or package>-<slug>`; a name that git and every file system take."""
    parts = (_slug(kind, 12), _slug(str(number), 40) if number is not None else "", _slug(title, _SLUG_LIMIT))
    return PREFIX + ("-".join(part for part in parts if part) or "run")


def _slug(words: str, limit: int) -> str:
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(slug) <= limit:
        return slug
    whole, _, _ = slug[: limit + 1].rpartition("-")
    return whole or slug[:limit]


def tip(git_dir: Path, remote: Remote, branch: str) -> str | None:
    """The commit that `branch` has on the remote now; None if it is not there."""
    try:
        out = git(
            git_dir, "ls-remote", "--quiet", "--end-of-options", remote.url, f"refs/heads/{branch}", remote=remote
        )
    except GitError as refused:
        raise transport_fault(refused) from refused
    rows = (row.split("\t") for row in out.decode().splitlines())
    return next((row[0] for row in rows if row[-1] == f"refs/heads/{branch}"), None)


def push(
    git_dir: Path, remote: Remote, commit: str, branch: str, *, expected: str | None, guard: Callable[[], None]
) -> None:
    """Makes `branch` (below agent/) point to `commit`, if it is at `expected` now (None: if it does not exist).

    Nothing is sent where it points there already. Raises Stopped: stale if somebody moved the branch, blocked if the
    repository's rules refuse it; Retry if the remote is away.
    """
    if not branch.startswith(PREFIX):
        raise Stopped(Outcome.BLOCKED, f"Patchwright pushes to {PREFIX}* only, not to {branch}.")
    if tip(git_dir, remote, branch) == commit:
        return
    reference = f"refs/heads/{branch}"
    lease = f"--force-with-lease={reference}:{expected or ''}"
    guard()
    try:
        git(
            git_dir, "push", "--quiet", "--no-verify", "--no-follow-tags", "--no-signed", lease,
            "--end-of-options", remote.url, f"{commit}:{reference}", remote=remote,
        )  # fmt: skip
    except GitError as refused:
        # The answer may be lost although the push arrived.
        if tip(git_dir, remote, branch) != commit:
            raise _refused(refused, branch) from refused


def committer(git_dir: Path, commit: str) -> str:
    """The committer's address."""
    return text(git_dir, "show", "--no-patch", "--format=%ce", "--end-of-options", commit)


def _refused(error: GitError, branch: str) -> Exception:
    said = error.stderr.lower()
    if "stale info" in said or "fetch first" in said or "non-fast-forward" in said:
        return Stopped(Outcome.STALE, f"Somebody else moved {branch} meanwhile; nothing was pushed.")
    if "workflow" in said and "permission" in said:
        return Stopped(Outcome.BLOCKED, "The change touches workflow files, which the App may not push.")
    if "protected branch" in said or "gh006" in said or "gh013" in said or "declined" in said:
        return Stopped(Outcome.BLOCKED, f"The repository's rules do not let the App push {branch}.")
    return transport_fault(error)
