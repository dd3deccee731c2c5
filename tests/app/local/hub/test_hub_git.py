"""Git over HTTP with a real git client: clone, push, refusals, and what follows from a push."""

from __future__ import annotations

import gzip
import os
import subprocess
import threading
from pathlib import Path

import httpx
import pytest
from hub_fixture import REPO, WRITER, hub, rest
from hub_git import address, clone
from hub_listener import listening

from app.local.hub.server import Hub
from jobs.repo.git import Remote, git, init_bare

__all__ = ["hub"]
WORKFLOW = ".github/workflows/ci.yml"


def test_a_push_moves_the_branch_tells_the_app_and_updates_the_pull_request(hub: Hub, tmp_path: Path) -> None:
    tree = clone(hub, REPO, hub.token(REPO), tmp_path / "tree")
    tree.run("checkout", "-q", "-b", "agent/fix-1")
    first = tree.commit("calc.py", "def add(a, b):\n    return a + b\n")
    assert tree.run("push", "-q", "origin", "agent/fix-1").returncode == 0
    number = hub.open_pull(REPO, WRITER, title="Fix", head="agent/fix-1")
    with listening() as listener:
        hub.webhook_to(listener.url)
        second = tree.commit("more.txt", "more\n")
        assert tree.run("push", "-q", "origin", "agent/fix-1").returncode == 0
        assert hub.settle()
        assert listener.events() == ["push", "pull_request.synchronize", "check_suite.requested"]
        push, pull = listener.payload(0), listener.payload(1)
    assert (push["before"], push["after"], push["ref"]) == (first, second, "refs/heads/agent/fix-1")
    assert [commit["added"] for commit in push["commits"]] == [["more.txt"]]
    assert (pull["number"], pull["before"], pull["after"]) == (number, first, second)
    assert hub.pulls(REPO)[0]["head"]["sha"] == second
    assert tree.run("ls-remote", "origin", f"refs/pull/{number}/head").stdout.split()[0] == second


def test_large_pushes_come_chunked_and_compressed_requests_are_understood(hub: Hub, tmp_path: Path) -> None:
    token = hub.token(REPO)
    tree = clone(hub, REPO, token, tmp_path / "tree")
    (tree.path / "big.bin").write_bytes(os.urandom(3 << 20))  # above http.postBuffer: chunked
    sha = tree.commit("small.txt", "x")
    assert tree.run("push", "-q", "origin", "HEAD:refs/heads/big").returncode == 0
    assert any(r.headers.get("transfer-encoding") == "chunked" and r.status == 200 for r in hub.requests)
    assert {b["name"]: b["commit"]["sha"] for b in hub.branches(REPO)}["big"] == sha
    packet = b"0014command=ls-refs\n0000"
    answer = httpx.post(
        f"{hub.url}/{REPO}.git/git-upload-pack",
        content=gzip.compress(packet),
        headers={
            "Content-Encoding": "gzip",
            "Content-Type": "application/x-git-upload-pack-request",
            "Git-Protocol": "version=2",
        },
        auth=("x-access-token", token),
        trust_env=False,
    )
    assert sha.encode() in answer.content


def test_the_product_s_own_git_fetches_a_commit_by_id(hub: Hub, tmp_path: Path) -> None:
    sha = hub.push(REPO, "topic", {"a.txt": "a"}, WRITER)
    hub.delete_branch(REPO, "topic", WRITER)
    init_bare(tmp_path / "mirror")
    remote = Remote(f"{hub.url}/{REPO}.git", hub.token(REPO, contents="read"))
    git(tmp_path / "mirror", "fetch", "--quiet", "--no-tags", remote.url, sha, remote=remote)
    assert git(tmp_path / "mirror", "cat-file", "blob", f"{sha}:a.txt") == b"a"


@pytest.mark.parametrize(
    ("permissions", "words"),
    [({"issues": "write"}, "Repository not found."), ({"contents": "read"}, "denied to patchwright[bot]")],
    ids=["no contents", "read only"],
)
def test_a_token_that_may_not_push_is_refused(
    hub: Hub, tmp_path: Path, permissions: dict[str, str], words: str
) -> None:
    tree = clone(hub, REPO, hub.token(REPO), tmp_path / "tree")
    tree.commit("a.txt", "a")
    pushed = tree.run("push", address(hub, REPO, hub.token(REPO, **permissions)), "HEAD:refs/heads/a")
    assert pushed.returncode != 0
    assert words in pushed.stderr


def test_without_a_good_token_git_is_asked_for_one(hub: Hub) -> None:
    url = f"{hub.url}/{REPO}.git/info/refs?service=git-upload-pack"
    answers = [httpx.get(url, auth=auth, trust_env=False) for auth in (None, ("x-access-token", "ghs_1_wrong"))]
    assert [a.status_code for a in answers] == [401, 401]
    assert answers[0].headers["www-authenticate"] == 'Basic realm="GitHub"'
    other = httpx.get(
        f"{hub.url}/acme/none.git/info/refs?service=git-upload-pack", auth=("x-access-token", hub.token(REPO))
    )
    assert (other.status_code, other.text) == (404, "Repository not found.")


def test_a_workflow_change_needs_its_own_permission(hub: Hub, tmp_path: Path) -> None:
    tree = clone(hub, REPO, hub.token(REPO), tmp_path / "tree")
    tree.commit(WORKFLOW, "on: pull_request\n")
    refused = tree.run("push", "origin", "HEAD:refs/heads/flow")
    words = f"refusing to allow a GitHub App to create or update workflow `{WORKFLOW}` without `workflows` permission"
    assert (refused.returncode, words in refused.stderr) == (1, True)
    assert "flow" not in [b["name"] for b in hub.branches(REPO)]
    hub.allow(workflows="write")
    assert tree.run("push", address(hub, REPO, hub.token(REPO)), "HEAD:refs/heads/flow").returncode == 0


def test_a_branch_that_only_carries_on_old_workflow_files_is_no_workflow_change(hub: Hub, tmp_path: Path) -> None:
    tree = clone(hub, REPO, hub.token(REPO), tmp_path / "tree")
    tree.commit("a.txt", "a")
    hub.push(REPO, "main", {WORKFLOW: "on: [push, pull_request]\n"}, WRITER)
    assert tree.run("push", "-q", "origin", "HEAD:refs/heads/fix").returncode == 0


def test_protected_branches_refuse_and_an_atomic_push_is_all_or_nothing(hub: Hub, tmp_path: Path) -> None:
    hub.protect(REPO, "main")
    tree = clone(hub, REPO, hub.token(REPO), tmp_path / "tree")
    tree.commit("a.txt", "a")
    mixed = tree.run("push", "origin", "HEAD:refs/heads/main", "HEAD:refs/heads/one")
    whole = tree.run("push", "--atomic", "origin", "HEAD:refs/heads/main", "HEAD:refs/heads/two")
    assert "GH006: Protected branch update failed for refs/heads/main" in mixed.stderr
    assert "(protected branch hook declined)" in mixed.stderr
    assert "(atomic push failure)" in whole.stderr
    assert [b["name"] for b in hub.branches(REPO)] == ["main", "one"]


def test_a_push_that_lost_the_race_is_refused(hub: Hub, tmp_path: Path) -> None:
    tree = clone(hub, REPO, hub.token(REPO), tmp_path / "tree")
    tree.commit("a.txt", "a")
    theirs = hub.push(REPO, "main", {"b.txt": "b"}, WRITER)
    refused = tree.run("push", "origin", "HEAD:main")
    leased = tree.run("push", "--force-with-lease=main:" + "1" * 40, "origin", "HEAD:main")
    assert "(fetch first)" in refused.stderr
    assert "(stale info)" in leased.stderr
    assert hub.branches(REPO)[0]["commit"]["sha"] == theirs


def test_hidden_refs_cannot_be_pushed(hub: Hub, tmp_path: Path) -> None:
    tree = clone(hub, REPO, hub.token(REPO), tmp_path / "tree")
    refused = tree.run("push", "origin", "HEAD:refs/pull/7/head")
    assert "deny updating a hidden ref" in refused.stderr


def test_a_copied_repository_keeps_its_history_and_a_fork_its_pull_request(hub: Hub, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path / "src")], check=True)
    for n in range(3):
        subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", f"c{n}"], cwd=tmp_path / "src", check=True)
    hub.add_repository("acme/copied", tmp_path / "src", private=True)
    fork = hub.fork("acme/copied", "mallory")
    sha = hub.push(fork, "evil", {"x.txt": "x"}, "mallory")
    number = hub.open_pull("acme/copied", "mallory", title="Please", head="mallory:evil")
    with rest(hub, hub.token("acme/copied")) as client:
        commits = client.get("/repos/acme/copied/commits").json()
        pull = client.get(f"/repos/acme/copied/pulls/{number}").json()
        runs = client.get(f"/repos/acme/copied/commits/{sha}/check-runs").json()
    assert [c["commit"]["message"] for c in commits] == ["c2", "c1", "c0"]
    assert (pull["head"]["repo"]["full_name"], pull["head"]["sha"], pull["changed_files"]) == (fork, sha, 1)
    assert runs["total_count"] == 0


def test_pushes_at_the_same_time_all_arrive(hub: Hub, tmp_path: Path) -> None:
    trees = [clone(hub, REPO, hub.token(REPO), tmp_path / f"tree{n}") for n in range(4)]
    shas = [tree.commit(f"{n}.txt", str(n)) for n, tree in enumerate(trees)]
    threads = [
        threading.Thread(target=tree.run, args=("push", "-q", "origin", f"HEAD:refs/heads/b{n}"))
        for n, tree in enumerate(trees)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [b["commit"]["sha"] for b in hub.branches(REPO) if b["name"].startswith("b")] == shas
