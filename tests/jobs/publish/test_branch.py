from __future__ import annotations

from pathlib import Path

import pytest
from github_world import NAME, World
from publish_repository import Bench

from jobs.errors import EnvironmentFault, Fenced, Retry, Stopped
from jobs.github.wire import unfenced
from jobs.outcome import Outcome
from jobs.publish.branch import name, push, tip
from jobs.repo.git import Remote


@pytest.mark.parametrize(
    ("kind", "number", "title", "branch"),
    [
        ("fix", 12, "Dates before 1970 are wrong!", "agent/fix-12-dates-before-1970-are-wrong"),
        ("fix", None, "  Ärger mit Umlauten  ", "agent/fix-arger-mit-umlauten"),
        ("bump", "@scope/left-pad", "", "agent/bump-scope-left-pad"),
        ("fix", 1, "日本語", "agent/fix-1"),
        ("fix", 1, "--upload-pack=$(id); a..b @{ ~^: \\ .lock", "agent/fix-1-upload-pack-id-a-b-lock"),
        (
            "fix",
            1,
            "one two three four five six seven eight nine ten",
            "agent/fix-1-one-two-three-four-five-six-seven-eight",
        ),
        ("fix", 1, "x" * 90, "agent/fix-1-" + "x" * 40),
    ],
)
def test_names_are_readable_and_harmless(kind: str, number: int | str | None, title: str, branch: str) -> None:
    assert name(kind, number, title) == branch


@pytest.fixture
def bench(gh: World, tmp_path: Path) -> Bench:
    base = str(gh.github.branch_head("main"))
    return Bench(tmp_path / "run", gh.hub.git_dir(NAME) / "objects", base)


@pytest.fixture
def remote(gh: World) -> Remote:
    return Remote(f"{gh.hub.url}/{NAME}.git", gh.hub.token(NAME))


def test_a_new_branch_is_pushed_once(gh: World, bench: Bench, remote: Remote) -> None:
    commit, git_dir = bench.commit("tool.py", "x = 2\n"), bench.workspace.git_dir
    assert tip(git_dir, remote, "agent/fix-1") is None
    push(git_dir, remote, commit, "agent/fix-1", expected=None, guard=unfenced)
    assert tip(git_dir, remote, "agent/fix-1") == commit == gh.github.branch_head("agent/fix-1")

    def lost() -> None:
        raise Fenced("never asked: there is nothing to push")

    push(git_dir, remote, commit, "agent/fix-1", expected=None, guard=lost)


def test_the_fence_stands_right_before_the_push(gh: World, bench: Bench, remote: Remote) -> None:
    def lost() -> None:
        raise Fenced("another attempt owns the run")

    with pytest.raises(Fenced):
        push(bench.workspace.git_dir, remote, bench.commit("a", "b"), "agent/fix-1", expected=None, guard=lost)
    assert gh.github.branch_head("agent/fix-1") is None


def test_our_own_branch_moves_only_from_where_it_was_expected(gh: World, bench: Bench, remote: Remote) -> None:
    git_dir = bench.workspace.git_dir
    one, two, three = (bench.commit("tool.py", f"x = {n}\n") for n in (1, 2, 3))
    push(git_dir, remote, one, "agent/fix-1", expected=None, guard=unfenced)
    push(git_dir, remote, two, "agent/fix-1", expected=one, guard=unfenced)
    for expected in (one, None):
        with pytest.raises(Stopped) as stale:
            push(git_dir, remote, three, "agent/fix-1", expected=expected, guard=unfenced)
        assert stale.value.outcome is Outcome.STALE
    assert gh.github.branch_head("agent/fix-1") == two


@pytest.mark.parametrize("branch", ["main", "refs/heads/main", "feature", "agent"])
def test_other_branches_are_never_pushed(gh: World, bench: Bench, remote: Remote, branch: str) -> None:
    before = gh.github.branch_head("main")
    with pytest.raises(Stopped) as blocked:
        push(bench.workspace.git_dir, remote, bench.commit("a", "b"), branch, expected=before, guard=unfenced)
    assert blocked.value.outcome is Outcome.BLOCKED
    assert gh.github.branch_head("main") == before


def test_rules_and_workflow_files_block(gh: World, bench: Bench, remote: Remote) -> None:
    git_dir = bench.workspace.git_dir
    workflow = bench.commit(".github/workflows/x.yml", "on: push\n")
    with pytest.raises(Stopped, match="workflow files") as blocked:
        push(git_dir, remote, workflow, "agent/fix-1", expected=None, guard=unfenced)
    assert blocked.value.outcome is Outcome.BLOCKED
    commit = bench.commit("tool.py", "x = 2\n")
    push(git_dir, remote, commit, "agent/fix-2", expected=None, guard=unfenced)
    gh.hub.protect(NAME, "agent/fix-2")
    with pytest.raises(Stopped, match="rules") as blocked:
        push(git_dir, remote, bench.commit("a", "b"), "agent/fix-2", expected=commit, guard=unfenced)
    assert blocked.value.outcome is Outcome.BLOCKED


def test_a_dead_token_and_a_missing_server_are_told_apart(gh: World, bench: Bench) -> None:
    commit, git_dir = bench.commit("tool.py", "x = 2\n"), bench.workspace.git_dir
    dead = Remote(f"{gh.hub.url}/{NAME}.git", "ghs_dead")
    with pytest.raises(EnvironmentFault, match="credentials"):
        push(git_dir, dead, commit, "agent/fix-1", expected=None, guard=unfenced)
    with pytest.raises(Retry):
        push(git_dir, Remote("http://127.0.0.1:9/a/b.git"), commit, "agent/fix-1", expected=None, guard=unfenced)


def test_a_push_whose_answer_is_lost_is_done(gh: World, bench: Bench, remote: Remote) -> None:
    commit = bench.commit("tool.py", "x = 2\n")
    gh.hub.fault("POST", "/*/git-receive-pack", "bad_gateway_after_write")
    push(bench.workspace.git_dir, remote, commit, "agent/fix-1", expected=None, guard=unfenced)
    assert gh.github.branch_head("agent/fix-1") == commit
