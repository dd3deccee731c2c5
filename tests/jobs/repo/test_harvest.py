"""What can't be part of a tree is named with the reason, and what was not touched need not be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import gitrepo
import pytest

from jobs.repo.git import Remote
from jobs.repo.local import find
from jobs.repo.workspace import Workspace, open_workspace

FILES = {"a.py": "1\n", "pkg/b.py": "2\n", "pkg/deep/c.py": "3\n", ".gitignore": "*.log\n"}


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Workspace]:
    person = gitrepo.make(tmp_path / "person", FILES)
    head = gitrepo.run(person, "rev-parse", "HEAD")
    gitrepo.run(person, "update-index", "--add", "--cacheinfo", f"160000,{head},pkg/sub")
    who = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
    gitrepo.run(person, *who, "commit", "--quiet", "-m", "Link a submodule")
    repository = find(person)
    with open_workspace(tmp_path / "runs", "r", repository.objects, repository.resolve("HEAD")) as opened:
        yield opened


def changed(work: Workspace, folder: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    """The paths that differ from the base, and what was left out and why."""
    found = work.harvest(folder, None)
    return work.trees.patch(work.base, found.tree).paths, dict(found.skipped)


@pytest.mark.parametrize("name", ["git~1/c", ".GIT/config", "x/.git /config", ".g\u200cit/hooks", "a\\.git/c"])
def test_a_name_that_git_takes_into_no_tree_is_named(work: Workspace, name: str) -> None:
    with work.checkout(work.base) as folder:
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("x")
        (folder / "a.py").write_text("4\n")
        paths, skipped = changed(work, folder)
    assert paths == ("a.py",)
    assert len(skipped) == 1
    assert name.startswith(next(iter(skipped)))


def test_a_link_named_as_gits_own_file_is_named(work: Workspace) -> None:
    with work.checkout(work.base) as folder:
        (folder / ".gitmodules").symlink_to("a.py")
        paths, skipped = changed(work, folder)
    assert (paths, list(skipped)) == ((), [".gitmodules"])


def test_a_submodules_place_stays_as_it_is_whatever_stands_there(work: Workspace) -> None:
    with work.checkout(work.base) as folder:
        sub = folder / "pkg/sub"
        assert changed(work, folder) == ((), {})
        (sub / "file.py").write_text("x")
        assert changed(work, folder)[0] == ()
        assert "belongs to another repository" in changed(work, folder)[1]["pkg/sub"]
        (sub / "file.py").unlink()
        sub.rmdir()
        assert changed(work, folder) == ((), {})
        sub.write_text("x")
        assert changed(work, folder) == ((), {"pkg/sub": "in the place of a submodule"})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_named_and_stays(work: Workspace) -> None:
    with work.checkout(work.base) as folder:
        (folder / "a.py").chmod(0)
        (folder / "pkg/deep").chmod(0)
        (folder / "new.py").write_text("x")
        paths, skipped = changed(work, folder)
        (folder / "pkg/deep").chmod(0o755)
    assert paths == ("new.py",)
    assert set(skipped) == {"a.py", "pkg/deep"}


def test_rules_of_every_folder_count_and_a_rule_that_is_no_plain_file_does_not(work: Workspace) -> None:
    with work.checkout(work.base) as folder:
        (folder / "pkg/.gitignore").write_text("!keep.log\n/deep/gen*\n")
        (folder / "pkg/deep/.gitignore").symlink_to("/dev/zero")
        for name in ("x.log", "pkg/x.log", "pkg/keep.log", "pkg/deep/gen1.py", "gen1.py", "new dir\n/gen1.py"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text("x")
        paths, skipped = changed(work, folder)
    assert paths == ("gen1.py", "pkg/.gitignore", "pkg/deep/.gitignore", "pkg/keep.log")
    assert set(skipped) == {"new dir\n/gen1.py"}


def test_more_than_is_held_in_memory_at_once_is_taken(work: Workspace) -> None:
    with work.checkout(work.base) as folder:
        for number in range(5):
            (folder / f"large{number}").write_bytes(bytes([number]) * (9 << 20))
        found = work.harvest(folder, None)
    for number in range(5):
        assert work.trees.read(found.tree, f"large{number}") == bytes([number]) * (9 << 20)


def test_a_tree_that_is_not_the_base_is_taken_against_the_base(work: Workspace) -> None:
    with work.checkout(work.base) as folder:
        (folder / "a.py").write_text("4\n")
        (folder / "pkg/b.py").unlink()
        tree = work.harvest(folder, None).tree
    with work.checkout(tree) as folder:
        assert work.harvest(folder, None).tree == tree
        (folder / "a.py").write_text("1\n")
        (folder / "pkg/b.py").write_text("2\n")
        assert work.harvest(folder, None).tree == work.base


@pytest.mark.parametrize("address", ["ext::sh -c true", "ssh://host/repo", "fd::3", "git://host/repo"])
def test_only_known_transports_make_a_remote(address: str) -> None:
    with pytest.raises(ValueError, match="is no transport for git here"):
        Remote(address)
