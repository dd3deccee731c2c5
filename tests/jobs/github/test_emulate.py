"""The client against a GitHub that other people wrote."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from emulator import APP_ID, INSTALLATION_ID, NAME, Emulator, emulator
from github_world import QUICK, WANTED

from jobs.errors import EnvironmentFault
from jobs.github.app import App
from jobs.github.auth import AppKey, Tokens
from jobs.github.checks import CheckReport
from jobs.github.client import GitHub
from jobs.github.errors import DeadCredential, NotFound

pytestmark = pytest.mark.registry


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with emulator(tmp_path_factory.mktemp("emulate")) as running:
        yield running


@pytest.fixture
def ann(peer: Emulator) -> Iterator[httpx.Client]:
    """A person's own client."""
    headers = {"Authorization": "Bearer t-ann"}
    with httpx.Client(base_url=peer.url, headers=headers, trust_env=False, timeout=20) as client:
        yield client


@pytest.fixture
def tokens(peer: Emulator) -> Tokens:
    return Tokens(AppKey(str(APP_ID), peer.private_key), peer.url, patience=QUICK)


@pytest.fixture
def github(tokens: Tokens, ann: httpx.Client) -> GitHub:
    repository_id = int(ann.get(f"/repos/{NAME}").json()["id"])
    return GitHub(tokens, tokens.api_url, repository_id, NAME, INSTALLATION_ID, WANTED)


def test_the_app_and_its_installation(tokens: Tokens) -> None:
    app = App(tokens)
    assert app.whoami().slug == "patchwright"
    installed = app.installation(NAME)
    assert installed is not None
    assert installed.id == INSTALLATION_ID


def test_a_foreign_key_is_refused(peer: Emulator) -> None:
    from_elsewhere = AppKey(str(APP_ID + 1), peer.private_key)
    with pytest.raises(DeadCredential):
        Tokens(from_elsewhere, peer.url, patience=QUICK).identity()


def test_comment_edit_and_finding_it_again(github: GitHub) -> None:
    issue = httpx.post(
        f"{github.tokens.api_url}/repos/{NAME}/issues", headers={"Authorization": "Bearer t-ann"}, json={"title": "T"}
    )
    number = int(issue.json()["number"])
    said = github.comment(number, "first `mark-1`")
    edited = github.edit_comment(said.id, "second `mark-1`")
    assert edited.body == "second `mark-1`"
    found = github.find_comment(number, "mark-1")
    assert found is not None
    assert found.id == said.id
    assert github.get_comment(said.id).body == "second `mark-1`"
    github.add_labels(number, ("agent",))
    assert github.issue(number).labels == ("agent",)


def test_the_permission_of_owner_and_of_a_stranger(github: GitHub) -> None:
    assert github.permission("acme") == "admin"
    with pytest.raises(NotFound):
        github.permission("rob")


def test_a_pull_request_is_opened_found_and_changed(github: GitHub) -> None:
    base = github.branch_head("main")
    assert base is not None
    _commit(github, "agent/fix-1", base)
    made = github.create_pull(head="agent/fix-1", base="main", title="Fix", body="Body", draft=True)
    assert [p.number for p in github.pulls_by_head("agent/fix-1")] == [made.number]
    assert github.update_pull(made.number, body="New").body == "New"
    assert github.pull(made.number).head_sha == github.branch_head("agent/fix-1")


def test_a_check_run_is_made_once_and_completed(github: GitHub) -> None:
    sha = str(github.branch_head("main"))
    made = github.show_check(sha, "r-1", CheckReport("in_progress", "Working", "…"))
    done = github.show_check(sha, "r-1", CheckReport("completed", "Done", "Green.", conclusion="success"))
    assert (done.id, done.conclusion) == (made.id, "success")


def test_a_token_that_is_too_narrow_is_refused(github: GitHub) -> None:
    narrow = GitHub(
        github.tokens, github.tokens.api_url, github.repository_id, NAME, INSTALLATION_ID, {"issues": "read"}
    )
    with pytest.raises(EnvironmentFault):
        narrow.show_check(str(github.branch_head("main")), "r-2", CheckReport("in_progress", "Working", "…"))


def _commit(github: GitHub, branch: str, base: str) -> None:
    """A commit on a new branch, made through the peer's Git Data routes."""
    headers = {"Authorization": f"Bearer {github.token().value}"}
    with httpx.Client(base_url=f"{github.tokens.api_url}/repos/{NAME}/git", headers=headers, trust_env=False) as data:
        tree = data.post(
            "/trees", json={"tree": [{"path": "a.txt", "mode": "100644", "type": "blob", "content": "a\n"}]}
        ).json()["sha"]
        commit = data.post("/commits", json={"message": "A", "tree": tree, "parents": [base]}).json()["sha"]
        data.post("/refs", json={"ref": f"refs/heads/{branch}", "sha": commit}).raise_for_status()
