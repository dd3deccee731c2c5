"""Paths that no patch may touch, however they are spelled."""

from __future__ import annotations

import pytest

from jobs.protect import escapes, protected
from jobs.repo.patch import FileChange


def _change(path: str) -> FileChange:
    return FileChange(path, "M", "100644", "100644", "a", "b", 1, 1)


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/x.yml", ".GitHub/Workflows/x.yml", ".github", "action.yml", "sub/action.yml", "CODEOWNERS",
        "docs/CODEOWNERS", "CLAUDE.md", ".claude/settings.json", ".mcp.json", ".vscode/tasks.json", ".gitmodules",
    ],
)  # fmt: skip
def test_built_in_paths_are_protected(path: str) -> None:
    assert protected([_change(path), _change("src/a.py")]) == (path,)


@pytest.mark.parametrize(
    ("pattern", "path", "hit"),
    [
        ("migrations/**", "migrations/a/b.py", True),
        ("migrations/**", "app/migrations/b.py", False),
        ("**/migrations/*", "app/migrations/b.py", True),
        ("**/migrations/*", "app/xmigrations/b.py", False),
        ("*.lock", "web/yarn.lock", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "lib/a.py", False),
    ],
)
def test_policy_globs(pattern: str, path: str, hit: bool) -> None:
    assert protected([_change(path)], (pattern,)) == ((path,) if hit else ())


@pytest.mark.parametrize(
    ("path", "target", "out"),
    [("a/link", "b", False), ("a/link", "../b", False), ("a/link", "../../b", True), ("l", "/etc/passwd", True)],
)
def test_links_that_leave_the_tree(path: str, target: str, out: bool) -> None:
    assert escapes(path, target) is out
