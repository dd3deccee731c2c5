"""What changed between two trees: files and the unified diff. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FileChange:
    """One changed path. `status` is A, M, D or T (type); modes and blob ids as git gives them."""

    path: str
    status: str
    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str
    added: int | None  # lines; None for a binary file
    removed: int | None


@dataclass(frozen=True)
class Patch:
    """The difference between two trees of one repository. `text` is `git diff` output with full index lines,
    without renames, applicable by `git apply --binary`."""

    base_tree: str
    tree: str
    files: tuple[FileChange, ...]
    text: bytes

    @property
    def empty(self) -> bool:
        """True if the trees are the same."""
        return not self.files

    @property
    def added(self) -> int:
        """Added lines in text files."""
        return sum(f.added or 0 for f in self.files)

    @property
    def removed(self) -> int:
        """Removed lines in text files."""
        return sum(f.removed or 0 for f in self.files)

    @property
    def paths(self) -> tuple[str, ...]:
        """Changed paths, sorted."""
        return tuple(f.path for f in self.files)
