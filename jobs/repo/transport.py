"""What a failed conversation with a remote repository means."""

from __future__ import annotations

from jobs.errors import EnvironmentFault, Retry
from jobs.repo.git import GitError

_AWAY_S = 30.0


def transport_fault(error: GitError) -> EnvironmentFault | Retry:
    """Credentials refused and a repository that is gone are the environment's fault; anything else may pass."""
    said = error.stderr.lower()
    if any(sign in said for sign in ("401", "403", "authentication failed", "could not read username")):
        return EnvironmentFault(
            "GitHub refused the App's credentials for git: check that it may read and write contents."
        )
    if "404" in said or "not found" in said:
        return EnvironmentFault("The repository is not there for the App any more.")
    return Retry(f"The repository could not be reached by git: {_last(error.stderr)}", after_s=_AWAY_S)


def _last(stderr: str) -> str:
    rows = [row for row in stderr.splitlines() if row.strip()]
    return rows[-1][:200] if rows else "no message"
