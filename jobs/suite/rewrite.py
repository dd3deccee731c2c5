"""A tree with one file's content changed."""

from __future__ import annotations

from jobs.repo.git import text
from jobs.repo.trees import Trees


def rewrite(trees: Trees, tree: str, path: str, content: bytes) -> str:
    """`tree` with `content` at `path`, which keeps its mode."""
    mode = next((mode for mode, _, _, name in trees.entries(tree) if name == path), "100644")
    blob = text(trees.git_dir, "hash-object", "-w", "--stdin", stdin=content)
    return trees.edit(tree, [f"{mode} {blob}\t{path}"])
