from __future__ import annotations

import random
from pathlib import Path

import gitrepo
import pytest

from jobs.repo.trees import Trees
from jobs.score.hunks import split, without

ODD = 'we "ird\tnäme.txt'


def trees_of(folder: Path, old: dict[str, bytes], new: dict[str, bytes]) -> tuple[Trees, str, str]:
    gitrepo.make(folder, old)
    base = gitrepo.run(folder, "rev-parse", "HEAD")
    for name in old.keys() - new.keys():
        (folder / name).unlink()
    gitrepo.commit(folder, new)
    return Trees(folder / ".git"), base, gitrepo.run(folder, "rev-parse", "HEAD")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n"),
        (b"a\nb", b"a\nb\n"),
        (b"a\nb\n", b"a\nb"),
        (b"", b"one\n"),
        (b"one\r\ntwo\r\n", b"one\r\n2\r\nthree\r\n"),
        (b"x\n" * 9, b"x\n" * 4 + b"y\n" + b"x\n" * 5),
        (b"caf\xe9\x0c\x85\n--- a\n", b"caf\xe9\x0c\n+++ b\n"),
        (b"diff --git a b\n@@ -1 +1 @@\n", b"diff --git a c\n@@ -2 +2 @@\n"),
        (b"\0bin\xff", b"\0bin\xfe"),
    ],
    ids=["change", "gains end", "loses end", "from empty", "crlf", "repeated", "latin", "like a diff", "binary"],
)
def test_all_hunks_taken_back_give_the_base(tmp_path: Path, old: bytes, new: bytes) -> None:
    trees, base, tree = trees_of(tmp_path, {ODD: old, "same": b"same\n"}, {ODD: new, "same": b"same\n"})
    patch = trees.patch(base, tree)
    hunks = split(patch)
    assert without(trees, patch, hunks) == patch.base_tree
    assert without(trees, patch, []) == patch.tree


@pytest.mark.parametrize("seed", range(8))
def test_any_subset_taken_back_is_what_the_rest_makes(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    old = [b"%d\n" % chance.randrange(4) for _ in range(40)]
    new = [
        line
        for line in old
        for line in ([line] if chance.random() > 0.3 else [b"new %d\n" % chance.randrange(3)] * chance.randrange(3))
    ]
    trees, base, tree = trees_of(tmp_path, {"f": b"".join(old)}, {"f": b"".join(new)})
    patch = trees.patch(base, tree)
    hunks = split(patch)
    dropped = [hunk for hunk in hunks if chance.random() < 0.5]
    kept = [hunk for hunk in hunks if hunk not in dropped]
    expected = list(old)
    for hunk in sorted(kept, key=lambda h: h.old_start, reverse=True):
        start = hunk.old_start - 1 if hunk.removed else hunk.old_start
        expected[start : start + len(hunk.removed)] = hunk.added
    assert trees.read(without(trees, patch, dropped) or "", "f") == b"".join(expected)


def test_new_deleted_and_retyped_files_and_modes_are_one_hunk_each(tmp_path: Path) -> None:
    gitrepo.make(tmp_path, {"gone": b"1\n2\n", "tool": b"x\n", "link": b"text\n"})
    base = gitrepo.run(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "gone").unlink()
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("tool")
    (tmp_path / "tool").chmod(0o755)
    gitrepo.commit(tmp_path, {"new": b"1\n\n2\n"})
    trees = Trees(tmp_path / ".git")
    patch = trees.patch(base, gitrepo.run(tmp_path, "rev-parse", "HEAD"))
    hunks = split(patch)
    assert [(hunk.file, hunk.kind, hunk.size) for hunk in hunks] == [
        ("gone", "file", 2),
        ("link", "file", 2),
        ("new", "file", 3),
        ("tool", "mode", 1),
    ]
    assert without(trees, patch, hunks) == patch.base_tree
    assert [without(trees, patch, [hunk]) is not None for hunk in hunks] == [True] * 4
