"""One spelling for each path. Pure."""

from __future__ import annotations

import posixpath


def tidy(path: str, root: str = "/src") -> str:
    """`path` relative to the tree where it is below `root`, absolute otherwise; `.` for the tree itself."""
    full = posixpath.normpath(posixpath.join(root, path.strip()))
    if full == root:
        return "."
    return full[len(root) + 1 :] if full.startswith(root + "/") else full
