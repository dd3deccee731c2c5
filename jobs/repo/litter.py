"""What tools drop into a tree while they run; never part of a change. Pure."""

from __future__ import annotations

FOLDERS = frozenset(
    {
        "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".nyc_output",
        ".venv", "node_modules", ".eggs", ".uv-cache", ".parcel-cache", ".turbo", ".vitest", ".gradle",
    }
)  # fmt: skip
# Their own name only: where the base has such a folder, a new file in it may be a person's.
_REPORTS = frozenset({"coverage", "htmlcov", "test-results", "playwright-report", ".tap"})
_SUFFIXES = (".pyc", ".pyo", ".egg-info")
_NAMES = frozenset({".coverage", ".DS_Store", "npm-debug.log", ".eslintcache", ".patchwright-tmp", "junit.xml"})


def is_litter(path: str) -> bool:
    """True if `path` (slashes, relative) is a cache, byte code or report that a tool left behind.

    Meant for paths that the base does not have, each folder before what it holds."""
    *folders, name = path.split("/")
    if any(f in FOLDERS or f.endswith(".egg-info") for f in folders):
        return True
    named = name in _NAMES or name in FOLDERS or name in _REPORTS
    return named or name.startswith(".coverage.") or name.endswith(_SUFFIXES)
