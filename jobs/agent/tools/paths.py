"""One spelling for each path. Pure."""

from __future__ import annotations

import posixpath

# How the names end of what package managers write: long, and of use by searching only.
LOCKS = (".lock", ".lockb", "-lock.json", "-lock.yaml", "npm-shrinkwrap.json", "packages.lock.json", "go.sum")


def tidy(path: str, root: str = "/src") -> str:
    """`path` relative to the tree where it is below `root`, absolute otherwise; `.` for the tree itself."""
    full = posixpath.normpath(posixpath.join(root, path.strip()))
    if full == root:
        return "."
    return full[len(root) + 1 :] if full.startswith(root + "/") else full


def is_lock(path: str) -> bool:
    """True for a lock file."""
    return path.lower().endswith(LOCKS)
