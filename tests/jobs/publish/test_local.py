from __future__ import annotations

from pathlib import Path

import gitrepo
import pytest
from publish_repository import BRANCH, Bench

from jobs.errors import UserError
from jobs.publish.local import LocalPublisher
from jobs.publish.publisher import Published


@pytest.fixture
def person(tmp_path: Path) -> Path:
    """A person's dirty checkout with a hook that must never run."""
    repo = gitrepo.make(tmp_path / "mine", {"tool.py": "x = 1\n", "other.py": "y = 1\n"})
    (repo / "tool.py").write_text("x = 'dirty'\n")
    (repo / "new.txt").write_text("untracked\n")
    gitrepo.run(repo, "add", "new.txt")
    for hook in ("reference-transaction", "post-checkout", "post-merge"):
        path = repo / ".git" / "hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        path.chmod(0o755)
    return repo


@pytest.fixture
def bench(tmp_path: Path, person: Path) -> Bench:
    return Bench(tmp_path / "run", person / ".git" / "objects", gitrepo.run(person, "rev-parse", "HEAD"))


def _state(person: Path) -> tuple[str, ...]:
    seen = (("status", "--porcelain"), ("symbolic-ref", "HEAD"), ("ls-files", "--stage"), ("stash", "list"))
    return tuple(gitrepo.run(person, *command) for command in seen)


def test_a_branch_appears_and_nothing_else_changes(person: Path, bench: Bench, tmp_path: Path) -> None:
    before, files = _state(person), sorted(p.name for p in person.iterdir())
    commit = bench.commit("tool.py", "x = 2\n")
    published = LocalPublisher(person / ".git").publish(bench.proposal(commit))
    assert published == Published(BRANCH, commit)
    assert (_state(person), sorted(p.name for p in person.iterdir())) == (before, files)
    assert gitrepo.run(person, "show", f"{BRANCH}:tool.py") == "x = 2"
    assert gitrepo.run(person, "fsck", "--strict") == ""
    assert not (tmp_path / "ran").exists()
    assert not (person / ".git" / "FETCH_HEAD").exists()


def test_publishing_twice_is_the_same_as_once(person: Path, bench: Bench) -> None:
    proposal = bench.proposal(bench.commit("tool.py", "x = 2\n"))
    publisher = LocalPublisher(person / ".git")
    assert publisher.publish(proposal) == publisher.publish(proposal)
    assert gitrepo.run(person, "branch", "--list", "agent/*").split() == [BRANCH]


def test_branches_that_exist_are_never_moved(person: Path, bench: Bench) -> None:
    gitrepo.run(person, "branch", BRANCH)
    gitrepo.run(person, "branch", f"{BRANCH}-2")
    head = gitrepo.run(person, "rev-parse", "HEAD")
    commit = bench.commit("tool.py", "x = 2\n")
    assert LocalPublisher(person / ".git").publish(bench.proposal(commit)).branch == f"{BRANCH}-3"
    assert gitrepo.run(person, "rev-parse", BRANCH) == head


def test_a_linked_worktree_gets_the_branch_too(person: Path, bench: Bench, tmp_path: Path) -> None:
    gitrepo.run(person, "worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    commit = bench.commit("tool.py", "x = 2\n")
    LocalPublisher(person / ".git").publish(bench.proposal(commit))
    assert gitrepo.run(tmp_path / "linked", "rev-parse", BRANCH) == commit


def test_a_branch_in_the_way_is_told(person: Path, bench: Bench) -> None:
    gitrepo.run(person, "branch", "agent")
    with pytest.raises(UserError, match="stands in the way"):
        LocalPublisher(person / ".git").publish(bench.proposal(bench.commit("tool.py", "x = 2\n")))
