from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from github_world import NAME, World
from publish_repository import BOT, BRANCH, Bench

from jobs.errors import Fenced, Stopped
from jobs.github.errors import RateLimited
from jobs.github.wire import unfenced
from jobs.outcome import Outcome
from jobs.publish.github import GitHubPublisher
from jobs.publish.publisher import Patient
from jobs.repo.workspace import Author

PERSON = Author("Ann", "ann@example.invalid")


@pytest.fixture
def bench(gh: World, tmp_path: Path) -> Bench:
    gh.hub.open_issue(NAME, "ann", "Dates before 1970 are wrong")
    return Bench(tmp_path / "run", gh.hub.git_dir(NAME) / "objects", str(gh.github.branch_head("main")))


@pytest.fixture
def publisher(gh: World) -> GitHubPublisher:
    return GitHubPublisher(gh.github, gh.hub.url, guard=unfenced)


def test_a_branch_and_a_pull_request_appear(gh: World, bench: Bench, publisher: GitHubPublisher) -> None:
    commit = bench.commit("tool.py", "x = 2\n")
    wanted = replace(bench.proposal(commit), labels=("agent",), reviewers=("requester",), requester="ann")
    published = publisher.publish(wanted)
    (pull,) = gh.hub.pulls(NAME)
    assert (published.branch, published.commit, published.number) == (BRANCH, commit, pull["number"])
    assert published.url == pull["html_url"]
    assert (pull["title"], pull["draft"]) == ("Fix: Dates before 1970 are wrong (#12)", False)
    assert (pull["head"]["ref"], pull["head"]["sha"], pull["base"]["ref"]) == (BRANCH, commit, "main")
    assert "Fixes #12" in pull["body"]
    assert [label["name"] for label in pull["labels"]] == ["agent"]
    assert [r["login"] for r in pull["requested_reviewers"]] == ["ann"]


def test_the_push_token_is_narrow_and_dead_afterwards(gh: World, bench: Bench, publisher: GitHubPublisher) -> None:
    publisher.publish(bench.proposal(bench.commit("tool.py", "x = 2\n")))
    minted = [r for r in gh.hub.requests if r.route.endswith("/access_tokens") and r.status == 201]
    narrow = next(r for r in minted if r.json["permissions"] == {"contents": "write"})
    headers = {"Authorization": f"Bearer {narrow.response_json['token']}"}
    assert httpx.get(f"{gh.hub.url}/repos/{NAME}", headers=headers, trust_env=False).status_code == 401


def test_publishing_twice_gives_one_pull_request(gh: World, bench: Bench, publisher: GitHubPublisher) -> None:
    proposal = bench.proposal(bench.commit("tool.py", "x = 2\n"))
    first = publisher.publish(proposal)
    gh.hub.forget_requests()
    assert publisher.publish(proposal) == first
    assert len(gh.hub.pulls(NAME)) == 1
    assert [r.route for r in gh.hub.requests if r.method in ("POST", "PATCH") and "/pulls" in r.route] == []


def test_a_second_attempt_with_another_commit_updates_the_same_pull_request(
    gh: World, bench: Bench, publisher: GitHubPublisher
) -> None:
    first = publisher.publish(bench.proposal(bench.commit("tool.py", "x = 2\n")))
    again = bench.commit("tool.py", "x = 3\n")
    second = publisher.publish(bench.proposal(again))
    assert (second.number, gh.github.branch_head(BRANCH)) == (first.number, again)
    (pull,) = gh.hub.pulls(NAME)
    assert again in pull["body"]


@pytest.mark.parametrize("kind", ["bad_gateway_after_write", "bad_gateway", "cut"])
def test_lost_answers_give_one_pull_request(gh: World, bench: Bench, publisher: GitHubPublisher, kind: str) -> None:
    gh.hub.fault("POST", "/repos/*/pulls", kind)
    publisher.publish(bench.proposal(bench.commit("tool.py", "x = 2\n")))
    assert len(gh.hub.pulls(NAME)) == 1


def test_a_persons_commits_are_never_replaced(gh: World, bench: Bench, publisher: GitHubPublisher) -> None:
    publisher.publish(bench.proposal(bench.commit("tool.py", "x = 2\n")))
    theirs = gh.hub.push(NAME, BRANCH, {"extra.py": "z = 1\n"}, "ann")
    published = publisher.publish(bench.proposal(bench.commit("tool.py", "x = 3\n"), run="r-02"))
    assert published.branch == f"{BRANCH}-2"
    assert gh.github.branch_head(BRANCH) == theirs


def test_a_run_whose_pull_request_people_ended_stays_ended(gh: World, bench: Bench, publisher: GitHubPublisher) -> None:
    proposal = bench.proposal(bench.commit("tool.py", "x = 2\n"))
    first = publisher.publish(proposal)
    assert first.number is not None
    gh.hub.merge(NAME, first.number, "ann")
    assert publisher.publish(bench.proposal(bench.commit("tool.py", "x = 3\n"))).number == first.number
    assert len(gh.hub.pulls(NAME)) == 1
    later = publisher.publish(bench.proposal(bench.commit("other.py", "x = 3\n"), run="r-02"))
    assert later.number != first.number


def test_a_fenced_run_publishes_nothing(gh: World, bench: Bench) -> None:
    def lost() -> None:
        raise Fenced("another attempt owns the run")

    with pytest.raises(Fenced):
        GitHubPublisher(gh.github, gh.hub.url, guard=lost).publish(bench.proposal(bench.commit("a.py", "x\n")))
    assert gh.github.branches("agent/") == {}
    assert gh.hub.pulls(NAME) == []


def test_the_fence_may_fall_between_push_and_pull_request(gh: World, bench: Bench) -> None:
    asked: list[int] = []

    def after_the_push() -> None:
        asked.append(1)
        if len(asked) > 1:
            raise Fenced("lost meanwhile")

    commit = bench.commit("tool.py", "x = 2\n")
    with pytest.raises(Fenced):
        GitHubPublisher(gh.github, gh.hub.url, guard=after_the_push).publish(bench.proposal(commit))
    assert gh.github.branches("agent/") == {BRANCH: commit}
    assert gh.hub.pulls(NAME) == []


def test_drafts_and_bases_other_than_the_default(gh: World, bench: Bench, publisher: GitHubPublisher) -> None:
    gh.hub.push(NAME, "release", {"r.txt": "1\n"}, "ann")
    wanted = replace(bench.proposal(bench.commit("tool.py", "x = 2\n"), draft=True), base_branch="release")
    assert publisher.publish(wanted).draft
    (pull,) = gh.hub.pulls(NAME)
    assert (pull["draft"], pull["base"]["ref"]) == (True, "release")
    assert "For #12" in pull["body"]


def test_labels_that_are_refused_do_not_lose_the_pull_request(
    gh: World, bench: Bench, publisher: GitHubPublisher
) -> None:
    gh.hub.fault("POST", "/repos/*/labels", "forbidden")
    wanted = replace(bench.proposal(bench.commit("tool.py", "x = 2\n")), labels=("agent",), reviewers=("rob", "nobody"))
    assert publisher.publish(wanted).number


@pytest.mark.parametrize("kind", ["bad_gateway", "primary"])
def test_labels_that_github_has_no_time_for_do_not_lose_it_either(
    gh: World, bench: Bench, publisher: GitHubPublisher, kind: str
) -> None:
    gh.hub.fault("POST", "/repos/*/labels", kind, times=9)
    assert publisher.publish(replace(bench.proposal(bench.commit("tool.py", "x = 2\n")), labels=("agent",))).number


def test_publishing_waits_for_a_github_that_is_away(gh: World, bench: Bench, publisher: GitHubPublisher) -> None:
    gh.hub.fault("POST", "/repos/*/pulls", "primary", times=3)
    asked: list[int] = []
    patient = Patient(publisher, lambda: asked.append(1), longest_wait_s=0.05)
    assert patient.publish(bench.proposal(bench.commit("tool.py", "x = 2\n"))).number
    assert len(asked) == 4
    assert len(gh.hub.pulls(NAME)) == 1


def test_publishing_does_not_wait_for_ever_nor_where_it_is_fenced(
    gh: World, bench: Bench, publisher: GitHubPublisher
) -> None:
    gh.hub.fault("POST", "/repos/*/pulls", "primary", times=99)
    proposal = bench.proposal(bench.commit("tool.py", "x = 2\n"))
    with pytest.raises(RateLimited):
        Patient(publisher, unfenced, patience_s=0.3, longest_wait_s=0.05).publish(proposal)
    left = iter([None])

    def lost_later() -> None:
        if next(left, "lost"):
            raise Fenced("another attempt owns the run")

    with pytest.raises(Fenced):
        Patient(publisher, lost_later, longest_wait_s=0.05).publish(proposal)


@pytest.mark.parametrize("path", [".github/workflows/x.yml", ".GitHub/Workflows/x.yml"])
def test_workflow_files_are_blocked_before_anything_is_sent(
    gh: World, bench: Bench, publisher: GitHubPublisher, path: str
) -> None:
    gh.hub.forget_requests()
    with pytest.raises(Stopped) as blocked:
        publisher.publish(replace(bench.proposal(bench.commit(path, "x\n")), paths=(path,)))
    assert blocked.value.outcome is Outcome.BLOCKED
    assert gh.hub.requests == []


def test_the_default_branch_is_never_the_target(gh: World, bench: Bench, publisher: GitHubPublisher) -> None:
    with pytest.raises(Stopped, match="never pushes to main"):
        publisher.publish(bench.proposal(bench.commit("a.py", "x\n"), branch="main"))


def test_the_bots_name_is_what_makes_a_branch_ours(gh: World, bench: Bench, publisher: GitHubPublisher) -> None:
    publisher.publish(bench.proposal(bench.commit("tool.py", "x = 2\n", PERSON)))
    assert publisher.publish(bench.proposal(bench.commit("tool.py", "x = 3\n", BOT))).branch == f"{BRANCH}-2"
