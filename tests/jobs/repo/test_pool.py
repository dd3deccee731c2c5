"""A kept checkout becomes exactly the wanted tree, whatever ran in it, and two users never share one."""

from __future__ import annotations

import json
import mmap
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import gitrepo
import pytest
from pool_parts import person_at, state, workspace

from jobs.repo.harvest import harvest
from jobs.repo.kept import Kept, Wanted
from jobs.repo.marks import honest
from jobs.repo.pool import prune
from jobs.repo.workspace import Workspace


@pytest.fixture
def person(tmp_path: Path) -> Path:
    return person_at(tmp_path / "person")


def _overwrite(tree: Path) -> None:
    (tree / "a.py").write_text("x = 2\n")


def _with_times_put_back(tree: Path) -> None:
    before = (tree / "a.py").stat()
    with (tree / "a.py").open("r+") as file:
        file.write("x = 2\n")
    os.utime(tree / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def _by_a_mapped_page(tree: Path) -> None:
    with (tree / "deep/er/c.bin").open("r+b") as file, mmap.mmap(file.fileno(), 0) as pages:
        pages[7] = 99


def _by_another_name(tree: Path) -> None:
    os.link(tree / "a.py", tree / "b.py")
    (tree / "b.py").write_text("x = 2\n")
    (tree / "b.py").unlink()


def _renamed(tree: Path) -> None:
    (tree / "new").write_text("x = 2\n")
    (tree / "new").replace(tree / "a.py")


def _modes(tree: Path) -> None:
    (tree / "run.sh").chmod(0o644)
    (tree / "a.py").chmod(0o777)
    (tree / "deep").chmod(0o000)
    (tree / "deep" / "er").chmod(0o7777)


def _new_things(tree: Path) -> None:
    (tree / "new").mkdir()
    (tree / "new" / "file").write_text("1")
    (tree / "out").mkdir()
    (tree / "out" / "ignored").write_text("1")
    (tree / "deep" / "pipe").parent.mkdir(exist_ok=True)
    os.mkfifo(tree / "deep" / "pipe")
    (tree / ".git").mkdir()
    (tree / ".git" / "config").write_text("[core]\nfsmonitor = evil\n")


def _gone(tree: Path) -> None:
    (tree / "a.py").unlink()
    for name in ("b.txt", "er/c.bin"):
        (tree / "deep" / name).unlink()
    (tree / "deep" / "er").rmdir()


def _folder_for_file(tree: Path) -> None:
    (tree / "a.py").unlink()
    (tree / "a.py").mkdir()
    (tree / "a.py" / "x").write_text("1")


def _link_for_folder(tree: Path) -> None:
    outside = tree.parents[3] / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "b.txt").write_text("theirs")
    (tree / "deep").rename(tree / "moved")
    (tree / "deep").symlink_to(outside)


def _link_elsewhere(tree: Path) -> None:
    (tree / "link").unlink()
    (tree / "link").symlink_to("/etc/passwd")


def _extended_attributes(tree: Path) -> None:
    for path in (tree / "a.py", tree / "deep"):
        os.setxattr(path, "user.left", b"1")


def _very_deep(tree: Path) -> None:
    here = os.open(tree, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 200, dir_fd=here)
        inner = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


DEEDS: list[Callable[[Path], None]] = [
    _overwrite, _with_times_put_back, _by_a_mapped_page, _by_another_name, _renamed, _modes, _new_things, _gone,
    _folder_for_file, _link_for_folder, _link_elsewhere, _extended_attributes, _very_deep,
]  # fmt: skip


@pytest.fixture(params=["marks", "content"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder on a file system whose marks prove something, and one on tmpfs, which forgets mapped pages."""
    if request.param == "marks":
        if not honest(tmp_path):
            pytest.skip("this file system's marks prove nothing")
        yield tmp_path
        return
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("no tmpfs here")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        assert not honest(Path(folder))
        yield Path(folder)


@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.__name__)
def test_whatever_was_done_the_next_user_finds_the_tree(
    person: Path, place: Path, deed: Callable[[Path], None]
) -> None:
    with workspace(person, place) as work:
        with work.checkout(work.base) as first:
            clean = state(first)
            deed(first)
            # What is proven not to have been touched need not be read, and the result is the same.
            found, read = work.harvest(first, None), harvest(work.trees, work.base, first)
            assert found == read
        with work.checkout(work.base) as second:
            assert second == first
            assert state(second) == clean
            assert os.listxattr(second / "deep") == os.listxattr(second / "a.py") == []
            assert work.harvest(second, None).tree == work.base


def test_another_tree_is_made_of_what_differs_and_nothing_stays_of_the_first(person: Path, tmp_path: Path) -> None:
    gitrepo.commit(person, {"a.py": "x = 3\n", "more/d.py": "y = 1\n"})
    with workspace(person, tmp_path) as work:
        before = work.trees.tree_of(f"{work.base_sha}~1")
        with work.checkout(before) as folder:
            kept = (folder / "deep/b.txt").stat().st_ino
            assert not (folder / "more").exists()
        with work.checkout(work.base) as folder:
            assert (folder / "deep/b.txt").stat().st_ino == kept
            assert (folder / "more/d.py").read_text() == "y = 1\n"
            assert work.harvest(folder, None).tree == work.base
        with work.checkout(before) as folder:
            assert work.trees.tree_of(f"{work.base_sha}~1") == before
            assert not (folder / "more").exists()


def test_two_at_once_have_two_and_another_repository_has_its_own(person: Path, tmp_path: Path) -> None:
    other = gitrepo.make(tmp_path / "other", {"a.py": "other = 1\n"})
    with (
        workspace(person, tmp_path) as work,
        workspace(other, tmp_path) as theirs,
        work.checkout(work.base) as one,
        work.checkout(work.base) as two,
        theirs.checkout(theirs.base) as third,
    ):
        assert len({one, two, third}) == 3
        assert third.parents[1] != one.parents[1]
        assert (third / "a.py").read_text() == "other = 1\n"


def test_more_at_once_than_are_kept_get_one_that_is_thrown_away(person: Path, tmp_path: Path) -> None:
    with workspace(person, tmp_path) as work, ExitStack() as stack:
        folders = [stack.enter_context(work.checkout(work.base)) for _ in range(8)]
        assert len({*folders}) == 8
        assert len({state(f)["a.py"] for f in folders}) == 1
    assert len(list((tmp_path / "pool").glob("*/*/tree"))) == 6
    assert not any(folder.exists() for folder in folders if "pool" not in folder.parts)


@pytest.mark.skipif(os.geteuid() != 0, reason="gives files away")
def test_it_belongs_to_its_user_and_another_user_has_another(person: Path, tmp_path: Path) -> None:
    places = []
    for owner in ((20_001, 20_001), (20_002, 20_002)):
        with workspace(person, tmp_path, owner) as work:
            for _ in range(2):
                with work.checkout(work.base) as folder:
                    assert {(p.lstat().st_uid, p.lstat().st_gid) for p in (folder, *folder.rglob("*"))} == {owner}
                    assert (folder / "run.sh").stat().st_mode & 0o777 == 0o755
                    places.append(folder)
    assert (places[0] == places[1], places[2] == places[3], places[0] == places[2]) == (True, True, False)


@pytest.mark.parametrize("record", ["", "{", "[]", '{"version": 1}', '{"version": 99}', None])
def test_a_checkout_of_which_nothing_is_known_is_made_anew(person: Path, tmp_path: Path, record: str | None) -> None:
    with workspace(person, tmp_path) as work:
        with work.checkout(work.base) as folder:
            clean = state(folder)
            (folder / "left").write_text("1")
        file = folder.parent / "record.json"
        file.unlink() if record is None else file.write_text(record)
        with work.checkout(work.base) as folder:
            assert state(folder) == clean


def test_a_checkout_that_somebody_changed_meanwhile_is_made_anew(person: Path, tmp_path: Path) -> None:
    with workspace(person, tmp_path) as work:
        for deed in (_gone, _folder_for_file, _renamed):
            with work.checkout(work.base) as folder:
                clean = state(folder)
            deed(folder)
            with work.checkout(work.trees.edit(work.base, [f"0 {'0' * 40}\ta.py"])):
                pass
            with work.checkout(work.base) as folder:
                assert state(folder) == clean


def test_a_killed_change_of_trees_is_not_believed(person: Path, tmp_path: Path) -> None:
    """The record goes before anything is written, and comes back last."""
    with workspace(person, tmp_path) as work:
        with work.checkout(work.base) as folder:
            assert not (folder.parent / "record.json").exists()
        assert json.loads((folder.parent / "record.json").read_text())["tree"] == work.base
        broken = Kept(folder.parent)
        with pytest.raises(Exception, match=r"nowhere\.git"):
            broken.become(Wanted(_NoTree(work), work.base))
        assert not (folder.parent / "record.json").exists()


class _NoTree:
    """Trees in a store that then is gone."""

    def __init__(self, work: Workspace) -> None:
        self.git_dir = work.root / "nowhere.git"
        self._work = work

    def leaves(self, tree: str) -> object:
        return {b"never.txt": ("100644", "0" * 40), **self._work.trees.leaves(tree)}


def test_the_longest_unused_go_until_the_rest_fits(person: Path, tmp_path: Path) -> None:
    with workspace(person, tmp_path) as work:
        with work.checkout(work.base) as one, work.checkout(work.base) as two:
            pass
        os.utime(one.parent, (1, 1))
        size = int((two.parent / "size").read_text())
        with work.checkout(work.base) as used:  # the latest
            assert used == two
            assert prune(tmp_path / "pool", limit=size) == 1
            assert (one.exists(), two.exists()) == (False, True)
            assert prune(tmp_path / "pool", limit=0) == 0  # in use
        assert prune(tmp_path / "pool", limit=0) == 1
        with work.checkout(work.base) as again:
            assert (again / "a.py").read_text() == "x = 1\n"
