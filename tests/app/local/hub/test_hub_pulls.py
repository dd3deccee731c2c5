"""Pull requests: GitHub's refusals on opening, finding by head, merging, reviewing."""

from __future__ import annotations

import pytest
from hub_fixture import REPO, WRITER, hub, rest
from hub_listener import listening

from app.local.hub.refusal import Refused
from app.local.hub.server import Hub
from jobs.errors import UserError

__all__ = ["hub"]
PULLS = f"/repos/{REPO}/pulls"


def opened(hub: Hub, branch: str = "topic", **files: str) -> int:
    """A pull request from a fresh branch."""
    hub.push(REPO, branch, dict(files or {"a.txt": "a\n"}), WRITER)
    return hub.open_pull(REPO, WRITER, title="Topic", head=branch, body="Fixes #1")


def test_opening_is_refused_in_github_s_words(hub: Hub) -> None:
    opened(hub)
    hub.push(REPO, "same", {}, WRITER)
    with rest(hub) as client:
        second, missing, empty, untitled = (
            client.post(PULLS, json={"title": title, "head": head, "base": "main"})
            for title, head in (("x", "topic"), ("x", "nowhere"), ("x", "main"), (" ", "topic"))
        )
    assert second.json()["errors"][0]["message"] == "A pull request already exists for acme:topic."
    assert missing.json()["errors"] == [{"resource": "PullRequest", "field": "head", "code": "invalid"}]
    assert empty.json()["errors"][0]["message"] == "No commits between main and main"
    assert [a.status_code for a in (second, missing, empty, untitled)] == [422] * 4


def test_pulls_are_found_by_head_and_listed_among_issues(hub: Hub) -> None:
    hub.open_issue(REPO, WRITER, "Wrong")
    one, two = opened(hub), opened(hub, "other", **{"b.txt": "b"})
    with rest(hub) as client:
        found = client.get(PULLS, params={"head": "acme:topic", "state": "all"}).json()
        issues = client.get(f"/repos/{REPO}/issues").json()
    assert [p["number"] for p in found] == [one]
    assert [(i["number"], "pull_request" in i) for i in issues] == [(two, True), (one, True), (1, False)]


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_merging_moves_the_base_and_closes_what_is_fixed(hub: Hub, method: str) -> None:
    hub.open_issue(REPO, WRITER, "Wrong")
    number = opened(hub)
    with listening() as listener:
        hub.webhook_to(listener.url)
        sha = hub.merge(REPO, number, WRITER, method)
        assert hub.settle()
        assert listener.events() == ["pull_request.closed", "issues.closed", "push", "check_suite.requested"]
        assert listener.payload(0)["pull_request"]["merged"] is True
    pull = hub.pulls(REPO)[0]
    assert (pull["state"], pull["merged"], pull["merge_commit_sha"], pull["changed_files"]) == ("closed", True, sha, 1)
    assert hub.issues(REPO)[0]["state"] == "closed"
    assert {b["name"]: b["commit"]["sha"] for b in hub.branches(REPO)}["main"] == sha


def test_conflicts_are_seen_and_not_merged(hub: Hub) -> None:
    hub.push(REPO, "topic", {"calc.py": "ours\n"}, WRITER)
    number = hub.open_pull(REPO, WRITER, title="Topic", head="topic")
    hub.push(REPO, "main", {"calc.py": "theirs\n"}, WRITER)
    pull = hub.pulls(REPO)[0]
    assert (pull["mergeable"], pull["mergeable_state"]) == (False, "dirty")
    with pytest.raises(Refused, match="not mergeable"):
        hub.merge(REPO, number, WRITER)


def test_a_base_that_moves_on_without_conflict_leaves_the_diff_alone(hub: Hub) -> None:
    opened(hub)
    hub.push(REPO, "main", {"calc.py": "theirs\n"}, WRITER)
    pull = hub.pulls(REPO)[0]
    assert (pull["mergeable"], pull["changed_files"], pull["additions"], pull["commits"]) == (True, 1, 1, 1)


def test_deleting_the_branch_closes_the_pull_request(hub: Hub) -> None:
    opened(hub)
    hub.delete_branch(REPO, "topic", WRITER)
    assert hub.pulls(REPO)[0]["state"] == "closed"


def test_line_comments_must_be_in_the_diff(hub: Hub) -> None:
    number = opened(hub)
    sha = hub.pulls(REPO)[0]["head"]["sha"]
    with rest(hub) as client:
        inside, outside, elsewhere = (
            client.post(f"{PULLS}/{number}/comments", json={"body": "x", "commit_id": sha, "path": path, "line": line})
            for path, line in (("a.txt", 1), ("a.txt", 9), ("calc.py", 1))
        )
    assert [a.status_code for a in (inside, outside, elsewhere)] == [201, 422, 422]
    assert inside.json()["diff_hunk"].endswith("+a")


def test_branch_rules_hold_for_rest_too(hub: Hub) -> None:
    sha = hub.push(REPO, "topic", {"a.txt": "a"}, WRITER)
    hub.protect(REPO, "main", "pull_request", "required_signatures")
    with rest(hub) as client:
        rules = client.get(f"/repos/{REPO}/rules/branches/main").json()
        moved = client.patch(f"/repos/{REPO}/git/refs/heads/main", json={"sha": sha})
    assert [rule["type"] for rule in rules] == ["pull_request", "required_signatures"]
    assert moved.status_code == 422


def test_workflow_files_cannot_be_written_through_the_contents_either(hub: Hub) -> None:
    body = {"message": "x", "content": "eA==", "branch": "main"}
    with rest(hub) as client:
        answer = client.put(f"/repos/{REPO}/contents/.github/workflows/new.yml", json=body)
    assert answer.status_code == 403
    assert "without `workflows` permission" in answer.json()["message"]


@pytest.mark.parametrize("name", ["calc", "acme/../x", "acme/ca lc", "/x", "acme/.git"])
def test_names_that_cannot_be_one_are_refused(hub: Hub, name: str) -> None:
    with pytest.raises(UserError):
        hub.add_repository(name, {"a": "b"})
