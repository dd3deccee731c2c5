"""Mirrors hold what was asked for and no more, stay small in number of files and bytes, and are kept while used."""

from __future__ import annotations

from pathlib import Path

import gitrepo
import pytest

from jobs.errors import UserError
from jobs.repo.git import Remote, git
from jobs.repo.mirror import Mirror, Mirrors


@pytest.fixture
def served(tmp_path: Path) -> Path:
    """A repository that serves any commit by its id, as GitHub does."""
    made = gitrepo.make(tmp_path / "person", {"a": "0"})
    gitrepo.run(made, "config", "uploadpack.allowAnySHA1InWant", "true")
    return made


def grown(repo: Path, commits: int) -> list[str]:
    """The ids of that many new commits."""
    ids = []
    for number in range(1, commits + 1):
        gitrepo.commit(repo, {"a": str(number)})
        ids.append(gitrepo.run(repo, "rev-parse", "HEAD"))
    return ids


def test_only_the_commit_and_its_history_are_fetched(served: Path, tmp_path: Path) -> None:
    first, second = grown(served, 2)
    gitrepo.run(served, "tag", "v1")
    mirror = Mirror(tmp_path / "mirrors", 1)
    mirror.fetch(Remote(f"file://{served}"), first)
    assert (mirror.has(first), mirror.has(second)) == (True, False)
    references = git(mirror.git_dir, "for-each-ref", "--format=%(refname)").decode().split()
    assert references == [f"refs/patchwright/{first}"]
    assert git(mirror.git_dir, "rev-list", "--count", first) == b"2\n"


def test_a_commit_that_is_here_is_not_asked_for_again(served: Path, tmp_path: Path) -> None:
    (commit,) = grown(served, 1)
    mirror = Mirror(tmp_path / "mirrors", 1)
    mirror.fetch(Remote(f"file://{served}"), commit)
    mirror.fetch(Remote(f"file://{tmp_path}/nowhere"), commit)
    with pytest.raises(UserError, match="has no commit"):
        mirror.fetch(Remote(f"file://{served}"), "1" * 40)


def test_many_fetches_do_not_leave_many_files(served: Path, tmp_path: Path) -> None:
    gitrepo.run(served, "config", "transfer.unpackLimit", "1")
    mirror = Mirror(tmp_path / "mirrors", 1)
    ids = grown(served, 25)
    for commit in ids[:3]:
        mirror.fetch(Remote(f"file://{served}"), commit)
    git(mirror.git_dir, "config", "fetch.unpackLimit", "1")  # each fetch is a pack of its own, as a large one is
    for commit in ids[3:]:
        mirror.fetch(Remote(f"file://{served}"), commit)
    assert len(list(mirror.git_dir.glob("objects/pack/*.pack"))) <= 20
    assert all(mirror.has(commit) for commit in ids)
    git(mirror.git_dir, "fsck", "--strict")


def test_the_longest_unused_go_until_the_rest_fits_and_a_held_one_stays(served: Path, tmp_path: Path) -> None:
    (commit,) = grown(served, 1)
    mirrors = Mirrors(tmp_path / "mirrors")
    for number in (1, 2, 3):
        with mirrors.of(number).held() as mirror:
            mirror.fetch(Remote(f"file://{served}"), commit)
    there = [mirrors.of(number).git_dir.exists() for number in (1, 2, 3)]
    assert there == [True, True, True]
    assert mirrors.prune() == 0
    with mirrors.of(1).held(), Mirrors(tmp_path / "mirrors").of(1).held():
        assert mirrors.prune(limit=0) == 2
        assert mirrors.of(1).has(commit)
    assert mirrors.prune(limit=0) == 1
    assert not list(mirrors.folder.glob("*.git"))
    with mirrors.of(1).held() as mirror:
        mirror.fetch(Remote(f"file://{served}"), commit)
        assert mirror.has(commit)


def test_what_a_killed_pruning_left_goes_with_the_next(tmp_path: Path) -> None:
    left = tmp_path / "mirrors" / "7-1.gone"
    (left / "objects").mkdir(parents=True)
    assert Mirrors(tmp_path / "mirrors").prune() == 0
    assert not left.exists()
