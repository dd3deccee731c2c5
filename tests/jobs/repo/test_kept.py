"""From one tree to another: links, folders, submodules, layers, times, and names that lead out."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pool_parts import person_at, state, workspace

from jobs.repo.git import GitError, git
from jobs.repo.marks import Clock
from jobs.repo.workspace import Workspace


@pytest.fixture
def person(tmp_path: Path) -> Path:
    return person_at(tmp_path / "person")


def test_a_layer_stays_on_it_and_is_mended_or_taken_off(person: Path, tmp_path: Path) -> None:
    layer = tmp_path / "layer" / "src"
    (layer / "node_modules" / "m").mkdir(parents=True)
    (layer / "node_modules" / "m" / "index.js").write_text("1\n")
    (layer / "deep").mkdir()
    (layer / "deep" / "made.py").write_text("made = 1\n")
    with workspace(person, tmp_path) as work:
        with work.checkout(work.base, layer) as folder:
            whole = state(folder)
            number = (folder / "node_modules/m/index.js").stat().st_ino
            (folder / "deep/made.py").write_text("made = 2\n")
            (folder / "node_modules" / ".cache").mkdir()
        with work.checkout(work.base, layer) as folder:
            assert state(folder) == whole
            assert (folder / "node_modules/m/index.js").stat().st_ino == number
            assert (layer / "deep/made.py").read_text() == "made = 1\n"
        with work.checkout(work.base) as folder:
            assert not (folder / "node_modules").exists()
            assert not (folder / "deep/made.py").exists()


def test_every_file_has_the_time_of_the_checkout_so_that_nothing_built_before_is_newer(
    person: Path, tmp_path: Path
) -> None:
    layer = tmp_path / "layer" / "src"
    layer.mkdir(parents=True)
    with workspace(person, tmp_path) as work:
        for number in range(3):
            (layer / f"built{number}").write_text("an artefact")
            with work.checkout(work.base, layer) as folder:
                times = {(folder / path).lstat().st_mtime_ns for path in work.trees.paths(work.base)}
                assert len(times) == 1
                assert min(times) > (folder / "built0").stat().st_mtime_ns
                (folder / "a.py").write_text("x = 2\n")


def test_a_clock_that_was_set_proves_nothing() -> None:
    now = Clock.now()
    assert now.went_on()
    assert not Clock(now.offset + 2_000_000).went_on()
    assert not Clock(now.offset - 2_000_000).went_on()


def made(work: Workspace, *entries: tuple[str, bytes, str]) -> str:
    """A tree object as git itself would never write it: (mode, name, object id)."""
    body = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    line = ("hash-object", "-t", "tree", "-w", "--literally", "--stdin")
    return git(work.git_dir, *line, stdin=body).decode().strip()


@pytest.mark.parametrize("name", [b"..", b"../../../out", b".git", b".GIT", b"git~1", b"/tmp/out"])
def test_a_tree_with_a_crafted_name_is_not_laid_out_and_does_not_spoil_the_checkout(
    person: Path, tmp_path: Path, name: bytes
) -> None:
    with workspace(person, tmp_path) as work:
        with work.checkout(work.base) as folder:
            clean = state(folder)
        before = sorted(path.name for path in (*tmp_path.iterdir(), *folder.parents[2].iterdir()))
        file = git(work.git_dir, "hash-object", "-w", "--stdin", stdin=b"x").decode().strip()
        inner = made(work, ("100644", b"planted", file))
        with pytest.raises(GitError), work.checkout(made(work, ("40000", name, inner))):
            pytest.fail("laid out")
        assert not list(tmp_path.rglob("planted"))
        assert not Path("/tmp/out").exists()
        assert sorted(path.name for path in (*tmp_path.iterdir(), *folder.parents[2].iterdir())) == before
        with work.checkout(work.base) as folder:
            assert state(folder) == clean


def _states_of(work: Workspace) -> list[str]:
    """Trees in which a name is a file, a folder, a link, a submodule and nothing."""
    file = git(work.git_dir, "hash-object", "-w", "--stdin", stdin=b"a.py").decode().strip()
    commit = work.base_sha
    rows = (
        [f"100644 {file}\tplace"], [f"100644 {file}\tplace/in/it", f"100755 {file}\tplace/too"],
        [f"120000 {file}\tplace"], [f"160000 {commit}\tplace"], [f"160000 {commit}\tplace/sub"], [],
    )  # fmt: skip
    return [work.trees.edit(work.base, row) for row in rows]


def test_from_any_kind_of_thing_to_any_other_at_the_same_place(person: Path, tmp_path: Path) -> None:
    layer = tmp_path / "layer" / "src"
    (layer / "place" / "in").mkdir(parents=True)
    (layer / "place" / "in" / "laid").write_text("laid")
    with workspace(person, tmp_path) as work:
        trees = _states_of(work)
        wanted: dict[tuple[str, bool], dict[str, object]] = {}
        for tree in trees:
            for laid in (False, True):
                with workspace(person, tmp_path / tree / str(laid)) as fresh:
                    fresh.trees = work.trees
                    with fresh.checkout(tree, layer if laid else None) as folder:
                        wanted[tree, laid] = state(folder)
        assert len({str(one) for one in wanted.values()}) > len(trees)
        for tree, laid in random.Random(5).choices(list(wanted), k=60):
            with work.checkout(tree, layer if laid else None) as folder:
                assert state(folder) == wanted[tree, laid]
