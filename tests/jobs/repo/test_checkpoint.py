"""The states of a work tree: what they hold, the way back to each, and what is never touched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import gitrepo
import pytest

from jobs.errors import EnvironmentFault
from jobs.repo.checkpoint import TreeCheckpoints
from jobs.repo.local import find
from jobs.repo.workspace import Workspace, open_workspace

FILES = {
    "a.py": "a = 1\n",
    "pkg/b.py": "b = 1\n",
    "pkg/deep/c.txt": b"c\r\n\xff",
    "run.sh": "#!/bin/sh\n",
    ".gitignore": "*.log\n",
    "node_modules/tracked.js": "1\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    person = gitrepo.make(tmp_path / "person", FILES)
    (person / "run.sh").chmod(0o755)
    (person / "link").symlink_to("a.py")
    gitrepo.commit(person, {})
    repository = find(person)
    with open_workspace(tmp_path / "runs", "run", repository.objects, repository.resolve("HEAD")) as opened:
        yield opened


@pytest.fixture
def folder(workspace: Workspace) -> Iterator[Path]:
    with workspace.checkout(workspace.base) as path:
        yield path


@pytest.fixture
def states(workspace: Workspace, folder: Path) -> TreeCheckpoints:
    return TreeCheckpoints(workspace.trees, workspace.base, folder)


def content(folder: Path) -> dict[str, object]:
    """Every path below `folder` with its bytes, target or kind, and whether it can be run."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_file():
            found[name] = (path.read_bytes(), bool(path.stat().st_mode & 0o100))
    return found


def test_an_untouched_checkout_is_the_base(workspace: Workspace, states: TreeCheckpoints) -> None:
    assert states.take() == workspace.base
    assert states.restore(workspace.base) == ()


def test_every_kind_of_change_is_taken_back_and_can_be_had_again(
    workspace: Workspace, folder: Path, states: TreeCheckpoints
) -> None:
    first, before = states.take(), content(folder)
    (folder / "a.py").write_text("a = 2\n")
    (folder / "pkg/deep/c.txt").unlink()
    (folder / "pkg/deep").rmdir()
    (folder / "new/er").mkdir(parents=True)
    (folder / "new/er/d.py").write_text("d = 1\n")
    (folder / "run.sh").chmod(0o644)
    (folder / "link").unlink()
    (folder / "link").symlink_to("run.sh")
    second, after = states.take(), content(folder)
    changed = ("a.py", "link", "new/er/d.py", "pkg/deep/c.txt", "run.sh")
    assert workspace.trees.patch(first, second).paths == changed
    assert states.restore(first) == changed
    assert content(folder) == before
    assert not (folder / "new").exists()
    assert states.take() == first
    assert states.restore(second) == changed
    assert content(folder) == after


def test_a_folder_in_place_of_a_file_and_a_file_in_place_of_a_folder_are_taken_back(
    folder: Path, states: TreeCheckpoints
) -> None:
    first, before = states.take(), content(folder)
    (folder / "a.py").unlink()
    (folder / "a.py/__pycache__").mkdir(parents=True)
    (folder / "a.py/__pycache__/x.pyc").write_text("x")
    (folder / "a.py/inner.py").write_text("x\n")
    for path in ("pkg/deep/c.txt", "pkg/b.py"):
        (folder / path).unlink()
    (folder / "pkg/deep").rmdir()
    (folder / "pkg").rmdir()
    (folder / "pkg").write_text("no folder any more\n")
    second, after = states.take(), content(folder)
    states.restore(first)
    assert content(folder) == before
    states.restore(second)
    assert content(folder) == {name: value for name, value in after.items() if "__pycache__" not in name}


def test_nothing_outside_is_written_or_removed_through_a_link(
    tmp_path: Path, folder: Path, states: TreeCheckpoints
) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "b.py").write_text("theirs\n")
    (outside / "deep/c.txt").write_text("theirs\n")
    first, before = states.take(), content(folder)
    for path in ("pkg/deep/c.txt", "pkg/b.py"):
        (folder / path).unlink()
    (folder / "pkg/deep").rmdir()
    (folder / "pkg").rmdir()
    (folder / "pkg").symlink_to(outside)
    (folder / "a.py").unlink()
    (folder / "a.py").symlink_to(outside / "b.py")
    second = states.take()
    states.restore(first)
    assert content(folder) == before
    states.restore(second)
    assert (folder / "pkg").readlink() == outside
    assert content(outside) == {"b.py": (b"theirs\n", False), "deep/c.txt": (b"theirs\n", False)}


def test_ignored_files_litter_and_what_set_up_wrote_are_left_alone(
    tmp_path: Path, workspace: Workspace, folder: Path
) -> None:
    layer = tmp_path / "layer"
    (layer / "made").mkdir(parents=True)
    (layer / "made/version.py").write_text("v\n")
    states = TreeCheckpoints(workspace.trees, workspace.base, folder, layer)
    states.take()
    for name in ("x.log", "pkg/__pycache__/b.pyc", ".coverage", "made/version.py", "made/later.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    (folder / "node_modules/tracked.js").write_text("2\n")
    (folder / "a.py").write_text("a = 2\n")
    assert workspace.trees.patch(workspace.base, states.take()).paths == ("a.py",)
    assert states.restore(workspace.base) == ("a.py",)
    for name in ("x.log", "pkg/__pycache__/b.pyc", ".coverage", "made/version.py", "made/later.py"):
        assert (folder / name).read_text() == "x"


def test_a_file_stays_part_of_the_states_when_a_rule_comes_to_ignore_it_and_joins_when_one_goes(
    folder: Path, states: TreeCheckpoints
) -> None:
    (folder / "new.txt").write_text("1")
    (folder / "x.log").write_text("1")
    states.take()
    (folder / ".gitignore").write_text("*.txt\n")
    (folder / "new.txt").write_text("2")
    second = states.take()
    (folder / "new.txt").write_text("3")
    (folder / "x.log").write_text("3")
    states.take()
    assert set(states.restore(second)) == {"new.txt", "x.log"}
    assert ((folder / "new.txt").read_text(), (folder / "x.log").read_text()) == ("2", "1")


def test_what_no_tree_can_hold_stops_nothing_and_a_file_behind_it_comes_back(
    workspace: Workspace, folder: Path, states: TreeCheckpoints
) -> None:
    first = states.take()
    os.mkfifo(folder / "pipe")
    (folder / "git~1").mkdir()
    (folder / "git~1/config").write_text("x")
    (folder / "pkg/.Git").write_text("x")
    (folder / ".gitmodules").symlink_to("a.py")
    os.link(folder / "a.py", folder / "twin.py")
    (folder / "a.py").write_text("through both names\n")
    (folder / "ok.py").write_text("1\n")
    (folder / os.fsdecode(b"caf\xe9.txt")).write_text("1\n")
    assert set(workspace.trees.patch(first, states.take()).paths) == {"ok.py", os.fsdecode(b"caf\xe9.txt")}
    states.restore(first)
    assert (folder / "a.py").read_text() == "a = 1\n"
    assert not (folder / "ok.py").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_is_put_back_belongs_to_whom_the_tree_belongs(
    workspace: Workspace, folder: Path, states: TreeCheckpoints
) -> None:
    first = states.take()
    (folder / "pkg/deep/c.txt").unlink()
    (folder / "pkg/deep").rmdir()
    (folder / "link").unlink()
    os.chown(folder, 12345, 12346)
    states.take()
    states.restore(first)
    owners = {
        (info.st_uid, info.st_gid)
        for name in ("pkg/deep", "pkg/deep/c.txt", "link")
        if (info := (folder / name).lstat())
    }
    assert owners == {(12345, 12346)}
    assert (folder / "a.py").stat().st_uid == 0


def test_a_tree_that_was_emptied_before_the_first_state_is_an_empty_state(workspace: Workspace, folder: Path) -> None:
    for path in folder.rglob("*"):
        if not path.is_dir() and "node_modules" not in path.parts:
            path.unlink()
    states = TreeCheckpoints(workspace.trees, workspace.base, folder)
    assert workspace.trees.paths(states.take()) == ("node_modules/tracked.js",)


def test_a_state_equals_what_is_taken_at_the_end(workspace: Workspace, folder: Path, states: TreeCheckpoints) -> None:
    (folder / "a.py").write_text("a = 2\n")
    (folder / "many").mkdir()
    for number in range(150):
        (folder / f"many/{number}.py").write_text(f"n = {number}\n")
    (folder / "run.sh").unlink()
    assert states.take() == workspace.harvest(folder, None).tree


@pytest.mark.parametrize("clean", [True, False])
def test_a_clean_checkout_need_not_be_read_and_a_worked_on_one_is(
    workspace: Workspace, folder: Path, clean: bool
) -> None:
    (folder / "a.py").write_text("a = 2\n")
    states = TreeCheckpoints(workspace.trees, workspace.base, folder, clean=clean)
    assert (states.take() == workspace.base) is clean  # what was told is believed
    (folder / "pkg/b.py").write_text("b = 2\n")
    (folder / "new.py").write_text("1\n")
    changed = workspace.trees.patch(workspace.base, states.take()).paths
    assert changed == (("new.py", "pkg/b.py") if clean else ("a.py", "new.py", "pkg/b.py"))


def test_a_state_that_does_not_exist_changes_nothing(folder: Path, states: TreeCheckpoints) -> None:
    states.take()
    (folder / "a.py").write_text("a = 2\n")
    with pytest.raises(EnvironmentFault):
        states.restore("0" * 40)
    assert (folder / "a.py").read_text() == "a = 2\n"


def test_a_repository_of_the_other_hash_works_the_same(tmp_path: Path) -> None:
    person = tmp_path / "long"
    person.mkdir()
    gitrepo.run(person, "init", "--quiet", "-b", "main", "--object-format=sha256")
    gitrepo.commit(person, {"a.py": "1\n"})
    repository = find(person)
    with (
        open_workspace(tmp_path / "more", "run", repository.objects, repository.resolve("HEAD")) as work,
        work.checkout(work.base) as folder,
    ):
        states = TreeCheckpoints(work.trees, work.base, folder)
        first = states.take()
        (folder / "a.py").write_text("2\n")
        assert states.take() != first
        assert states.restore(first) == ("a.py",)
