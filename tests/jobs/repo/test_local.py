"""Finding a person's repository, and saying clearly why one can't be used."""

from __future__ import annotations

from pathlib import Path

import gitrepo
import pytest

from jobs.errors import UserError
from jobs.repo.local import find


def test_found_from_a_folder_below_and_from_a_linked_worktree(tmp_path: Path) -> None:
    person = gitrepo.make(tmp_path / "p", {"sub/a": "1"})
    gitrepo.run(person, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    gitrepo.commit(tmp_path / "linked", {"b": "2"})
    below, linked = find(person / "sub"), find(tmp_path / "linked")
    assert below.top == person
    assert linked.objects == below.objects
    assert linked.branch == "other"
    assert linked.resolve("HEAD") == below.resolve("other") != below.resolve("HEAD")


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (lambda d: d / "nowhere", "not a folder"),
        (lambda d: d, "not inside a git repository"),
    ],
    ids=["missing", "no repository"],
)
def test_unusable_folders_are_refused_in_one_sentence(prepare, says: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=says):
        find(prepare(tmp_path))


def test_empty_repository_and_unknown_base(tmp_path: Path) -> None:
    gitrepo.run(tmp_path, "init", "--quiet")
    with pytest.raises(UserError, match="no commits yet"):
        find(tmp_path).resolve("HEAD")
    gitrepo.commit(tmp_path, {"a": "1"})
    with pytest.raises(UserError, match="no branch, tag or commit named 'nope'"):
        find(tmp_path).resolve("nope")
