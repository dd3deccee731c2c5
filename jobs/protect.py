"""Which changed paths end a run as blocked, whatever the tests say. Pure.

A change there would act outside the reviewed code: on GitHub's runners, on reviewers' rights, on other agents, on
people's editors. (GitHub itself refuses workflow changes by an App without the `workflows` permission.)
"""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Iterable

from pathspec import GitIgnoreSpec

from jobs.repo.patch import FileChange

_FOLDERS = (
    ".github/",
    ".git/",
    ".claude/",
    ".cursor/",
    ".devcontainer/",
    ".vscode/",
    ".idea/",
    ".husky/",
    ".circleci/",
)
_NAMES = frozenset(
    {
        "codeowners", "action.yml", "action.yaml", ".gitmodules", ".lfsconfig", ".mcp.json", "claude.md", "agents.md",
        ".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", "jenkinsfile", ".pre-commit-config.yaml",
        ".npmrc", ".yarnrc", ".yarnrc.yml", "pip.conf", ".pypirc", ".envrc",
    }
)  # fmt: skip


def protected(changes: Iterable[FileChange], patterns: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The paths that may not be changed: built-in ones, and those that match the policy's `protect` globs
    (as in .gitignore). Compared without case and with composed characters, as Windows and macOS would write them."""
    return tuple(c.path for c in changes if _is_protected(c.path, patterns))


def escapes(path: str, target: str) -> bool:
    """True if a link at `path` that says `target` leaves the tree."""
    if target.startswith("/") or "\0" in target:
        return True
    landed = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return landed == ".." or landed.startswith("../")


def _is_protected(path: str, patterns: tuple[str, ...]) -> bool:
    plain = unicodedata.normalize("NFC", path).casefold()
    # With a slash at the end: a link in the place of such a folder is as good as the folder.
    if f"{plain}/".startswith(_FOLDERS) or posixpath.basename(plain) in _NAMES:
        return True
    return GitIgnoreSpec.from_lines(p.casefold() for p in patterns).match_file(plain)
