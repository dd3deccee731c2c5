"""Checkouts and harvests give and take trees byte for byte, and run nothing on the way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import gitrepo
import pytest

from jobs.repo.local import find
from jobs.repo.workspace import Author, Workspace, open_workspace

ODD = {
    "crlf.txt": b"a\r\nb\r\n",
    "mixed.txt": b"a\r\nb\n",
    "latin1.txt": b"caf\xe9\n",
    "utf16.txt": "häh\n".encode("utf-16"),
    "no-final-newline": b"x",
    'quo"te and space.txt': b"q\n",
    "new\nline.txt": b"n\n",
    "ümlaut/ß.txt": b"u\n",
    "pointer.dat": b"version https://git-lfs.example/spec/v1\noid sha256:00\nsize 1\n",
    "run.sh": b"#!/bin/sh\n",
}


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[Workspace]:
    person = gitrepo.make(tmp_path / "person", ODD)
    (person / "link").symlink_to("run.sh")
    (person / "run.sh").chmod(0o755)
    gitrepo.commit(person, {})
    (person / ".gitattributes").write_text("*.txt text eol=lf filter=evil diff=evil\n*.dat filter=lfs -diff\n")
    gitrepo.run(person, "add", ".gitattributes")
    oid = gitrepo.run(person, "rev-parse", "HEAD")
    gitrepo.run(person, "update-index", "--add", "--cacheinfo", f"160000,{oid},sub")
    gitrepo.run(person, "commit", "--quiet", "-m", "Link a submodule")
    repository = find(person)
    with open_workspace(tmp_path / "runs", "run", repository.objects, repository.resolve("HEAD")) as workspace:
        yield workspace


def test_harvest_of_an_untouched_checkout_is_the_very_tree(odd: Workspace) -> None:
    with odd.checkout(odd.base) as folder:
        assert odd.harvest(folder, None).tree == odd.base


def test_one_changed_line_changes_that_blob_only(odd: Workspace) -> None:
    with odd.checkout(odd.base) as folder:
        (folder / "crlf.txt").write_bytes(b"a\r\nB\r\n")
        patch = odd.trees.patch(odd.base, odd.harvest(folder, None).tree)
    assert patch.paths == ("crlf.txt",)
    assert (patch.added, patch.removed) == (1, 1)
    assert b"+B\r\n" in patch.text


def test_added_removed_and_mode_changes_are_seen(odd: Workspace) -> None:
    with odd.checkout(odd.base) as folder:
        (folder / "run.sh").chmod(0o644)
        (folder / "latin1.txt").unlink()
        (folder / "new.py").write_text("x = 1\n")
        patch = odd.trees.patch(odd.base, odd.harvest(folder, None).tree)
    assert [(f.path, f.status) for f in patch.files] == [("latin1.txt", "D"), ("new.py", "A"), ("run.sh", "M")]


def test_litter_and_ignored_files_are_no_change(tmp_path: Path) -> None:
    person = gitrepo.make(tmp_path / "p", {".gitignore": "out/\n*.log\n!keep.log\n", "a.py": "1\n", "odd.log": "t\n"})
    repository = find(person)
    with (
        open_workspace(tmp_path / "runs", "r", repository.objects, repository.resolve("HEAD")) as w,
        w.checkout(w.base) as folder,
    ):
        for name in ("out/x", "b.log", "__pycache__/a.pyc", "node_modules/m/i.js", ".coverage"):
            (folder / name).parent.mkdir(exist_ok=True, parents=True)
            (folder / name).write_text("x")
        assert w.harvest(folder, None).tree == w.base
        (folder / "keep.log").write_text("x")
        (folder / "odd.log").write_text("changed, and tracked although ignored")
        assert w.trees.patch(w.base, w.harvest(folder, None).tree).paths == ("keep.log", "odd.log")


def test_reports_of_a_test_run_are_no_change_unless_the_base_has_their_folder(tmp_path: Path) -> None:
    person = gitrepo.make(tmp_path / "p", {"a.py": "1\n", "lib/coverage/line.py": "1\n"})
    repository = find(person)
    with (
        open_workspace(tmp_path / "runs", "r", repository.objects, repository.resolve("HEAD")) as w,
        w.checkout(w.base) as folder,
    ):
        left = ("coverage/lcov.info", "htmlcov/index.html", ".nyc_output/1.json", ".coverage.host.1", "junit.xml")
        for name in (*left, "web/test-results/a.png", "playwright-report/index.html", ".tap/report.tap"):
            (folder / name).parent.mkdir(exist_ok=True, parents=True)
            (folder / name).write_text("x")
        assert w.harvest(folder, None).tree == w.base
        (folder / "lib/coverage/branch.py").write_text("2\n")
        assert w.trees.patch(w.base, w.harvest(folder, None).tree).paths == ("lib/coverage/branch.py",)


def test_what_set_up_laid_is_no_change(odd: Workspace, tmp_path: Path) -> None:
    layer = tmp_path / "layer"
    (layer / "gen").mkdir(parents=True)
    (layer / "gen" / "version.py").write_text("1")
    with odd.checkout(odd.base) as folder:
        (folder / "gen").mkdir()
        (folder / "gen" / "version.py").write_text("2")
        (folder / "mine.py").write_text("3")
        assert odd.trees.patch(odd.base, odd.harvest(folder, layer).tree).paths == ("mine.py",)


def test_hostile_entries_are_left_out_by_name(odd: Workspace, tmp_path: Path) -> None:
    marker = tmp_path / "pwned"
    with odd.checkout(odd.base) as folder:
        nested = gitrepo.make(folder / "nested", {"f.txt": "x", ".gitattributes": "* filter=z9\n"})
        gitrepo.run(nested, "config", "filter.z9.clean", f"touch {marker}")
        os.mkfifo(folder / "fifo")
        (folder / "hard").write_text("x")
        os.link(folder / "hard", folder / "hard2")
        (folder / "bad\x01name").write_text("x")
        (folder / "escape").symlink_to("/etc/passwd")
        (folder / ".git").write_text("gitdir: nested/.git\n")
        found = odd.harvest(folder, None)
    assert not marker.exists()
    assert dict(found.skipped).keys() == {"nested", "fifo", "hard", "hard2", "bad\x01name"}
    assert odd.trees.patch(odd.base, found.tree).paths == ("escape",)
    assert odd.trees.read(found.tree, "escape") == b"/etc/passwd"


def test_graft_restores_paths_and_apply_drops_a_change(odd: Workspace) -> None:
    with odd.checkout(odd.base) as folder:
        (folder / "crlf.txt").write_bytes(b"a\r\nB\r\n")
        (folder / "new.py").write_text("x = 1\n")
        tree = odd.harvest(folder, None).tree
    back = odd.trees.graft(tree, odd.base, ["crlf.txt"])
    assert odd.trees.patch(odd.base, back).paths == ("new.py",)
    assert odd.trees.apply(odd.base, odd.trees.patch(odd.base, tree).text) == tree
    assert odd.trees.apply(odd.base, b"--- a/none\n+++ b/none\n@@ -1 +1 @@\n-x\n+y\n") is None


def test_commit_has_the_tree_parent_and_author(odd: Workspace) -> None:
    sha = odd.commit(odd.base, "Say it\n\nbody", Author("bot", "bot@example.invalid"))
    assert odd.trees.tree_of(sha) == odd.base
    shown = gitrepo.run(odd.git_dir, "show", "-s", "--format=%P %an %ce %s", sha)
    assert shown == f"{odd.base_sha} bot bot@example.invalid Say it"


def test_nothing_outlives_the_run(tmp_path: Path) -> None:
    person = gitrepo.make(tmp_path / "p", {"a": "1"})
    repository = find(person)
    with (
        open_workspace(tmp_path / "runs", "r", repository.objects, repository.resolve("HEAD")) as w,
        w.checkout(w.base),
    ):
        pass
    assert list((tmp_path / "runs").iterdir()) == []


def test_what_could_not_be_taken_stays_as_the_base_has_it(tmp_path: Path) -> None:
    files = {"a.py": "1\n", "b.py": "2\n", "fix/c.py": "3\n", "big.bin": b"\0" * ((50 << 20) + 1)}
    repository = find(gitrepo.make(tmp_path / "p", files))
    with (
        open_workspace(tmp_path / "runs", "r", repository.objects, repository.resolve("HEAD")) as w,
        w.checkout(w.base) as folder,
    ):
        (folder / "a.py").write_text("changed\n")
        os.link(folder / "b.py", folder / "again.py")
        gitrepo.run(folder / "fix", "init", "--quiet")
        assert "big.bin" not in dict(w.harvest(folder, None).skipped)  # it is as it was
        with (folder / "big.bin").open("r+b") as big:
            big.write(b"1")
        found = w.harvest(folder, None)
        assert w.trees.patch(w.base, found.tree).paths == ("a.py",)
    assert {path for path, _ in found.skipped} == {"b.py", "again.py", "fix", "big.bin"}


def test_two_executions_of_a_run_never_share_a_folder_and_killed_ones_are_swept(tmp_path: Path) -> None:
    repository = find(gitrepo.make(tmp_path / "p", {"a": "1"}))
    args = (tmp_path / "runs", "r-1", repository.objects, repository.resolve("HEAD"))
    with open_workspace(*args) as first:
        with open_workspace(*args) as second:
            assert first.root != second.root
        assert first.git_dir.exists()
        assert not second.git_dir.exists()
    left = tmp_path / "runs" / "r-0-killed"
    left.mkdir()
    (left / "lock").touch()
    os.utime(left, (0, 0))
    with open_workspace(*args):
        assert not left.exists()
