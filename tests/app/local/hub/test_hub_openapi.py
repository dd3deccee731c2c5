"""Every route of the hub, used once and more, held against GitHub's published description."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from typing import Any

import httpx
import jwt
import openapi_oracle
import pytest
from hub_fixture import REPO, WRITER, hub, rest
from starlette.routing import compile_path

from app.local.hub import routes
from app.local.hub.checks import JobResult
from app.local.hub.deliveries import Outbox
from app.local.hub.server import Hub

__all__ = ["hub"]

pytestmark = pytest.mark.registry
BASE = f"/repos/{REPO}"
JSON = dict[str, Any]


def as_app(hub: Hub) -> httpx.Client:
    """A client that signs as the App."""
    now = int(time.time())
    claims = {"iss": str(hub.app_id), "iat": now - 60, "exp": now + 500}
    return rest(hub, jwt.encode(claims, hub.private_key, "RS256"))


@pytest.fixture
def client(hub: Hub) -> Iterator[httpx.Client]:
    """A client with an all-round token."""
    hub.allow(statuses="write")
    with rest(hub) as made:
        yield made


def ok(response: httpx.Response) -> Any:
    """The answer's JSON, after a check that it succeeded."""
    assert response.status_code < 400, response.text
    return response.json() if response.content else None


def use_app_routes(hub: Hub) -> None:
    """The App's own routes, tokens and deliveries."""
    hub.webhook_to("http://127.0.0.1:9/nobody")  # discard: refused at once
    hub.open_issue(REPO, WRITER, "A delivery that fails")
    assert hub.settle()
    code = hub.register({"name": "Patchwright", "redirect_url": "http://127.0.0.1/x"})
    with as_app(hub) as app:
        ok(app.get("/app"))
        ok(app.get("/app/installations", params={"per_page": 1}))
        number = ok(app.get(f"{BASE}/installation"))["id"]
        ok(app.get(f"/app/installations/{number}"))
        body = {"repositories": ["calc"], "permissions": {"contents": "read", "issues": "write"}}
        token = ok(app.post(f"/app/installations/{number}/access_tokens", json=body))["token"]
        ok(app.post(f"/app/installations/{number}/access_tokens"))
        newest = ok(app.get("/app/hook/deliveries", params={"per_page": 1, "status": "failure"}))[0]
        ok(app.get(f"/app/hook/deliveries/{newest['id']}"))
        ok(app.post(f"/app/hook/deliveries/{newest['id']}/attempts"))
        ok(app.post(f"/app-manifests/{code}/conversions"))
    with rest(hub, token) as short:
        ok(short.get("/installation/repositories"))
        ok(short.get("/rate_limit"))
        ok(short.get("/meta"))
        ok(short.get(f"/users/{WRITER}"))
        assert short.delete("/installation/token").status_code == 204


def use_repository_routes(hub: Hub, client: httpx.Client) -> None:
    """Repository, branches, rules, roles, contents."""
    hub.protect(REPO, "release", "pull_request", "deletion", "required_signatures", "required_status_checks")
    for path in ("", "/branches", "/branches/main", "/rules/branches/release", "/rules/branches/main"):
        ok(client.get(BASE + path))
    ok(client.get(f"{BASE}/collaborators/{WRITER}/permission"))
    assert client.get(f"{BASE}/collaborators/{WRITER}").status_code == 204
    for path in ("/contents", "/contents/calc.py", "/contents/.github", "/contents/calc.py?ref=main"):
        ok(client.get(BASE + path))
    content = base64.b64encode(b"new\n").decode()
    made = ok(client.put(f"{BASE}/contents/docs/new.md", json={"message": "Add", "content": content, "branch": "main"}))
    body = {"message": "Change", "content": content, "sha": made["content"]["sha"]}
    ok(client.put(f"{BASE}/contents/docs/new.md", json=body))
    ok(client.request("DELETE", f"{BASE}/contents/docs/new.md", json={"message": "Drop", "sha": body["sha"]}))


def use_git_routes(client: httpx.Client) -> str:
    """Refs and git data; makes the branch `topic` one commit ahead of main and returns its tip."""
    git = f"{BASE}/git"
    main = ok(client.get(f"{git}/ref/heads/main"))["object"]["sha"]
    ok(client.get(f"{git}/matching-refs/heads/ma"))
    blob = ok(client.post(f"{git}/blobs", json={"content": "def add(a, b):\n    return a + b\n"}))["sha"]
    ok(client.get(f"{git}/blobs/{blob}"))
    tree = ok(client.get(f"{git}/trees/{main}", params={"recursive": "1"}))["sha"]
    entry = {"path": "calc.py", "mode": "100644", "type": "blob", "sha": blob}
    new_tree = ok(client.post(f"{git}/trees", json={"base_tree": tree, "tree": [entry]}))["sha"]
    commit = ok(client.post(f"{git}/commits", json={"message": "Fix", "tree": new_tree, "parents": [main]}))["sha"]
    ok(client.get(f"{git}/commits/{commit}"))
    ok(client.post(f"{git}/refs", json={"ref": "refs/heads/topic", "sha": main}))
    ok(client.patch(f"{git}/refs/heads/topic", json={"sha": commit, "force": False}))
    ok(client.post(f"{git}/refs", json={"ref": "refs/heads/gone", "sha": main}))
    assert client.delete(f"{git}/refs/heads/gone").status_code == 204
    return str(commit)


def use_commit_routes(client: httpx.Client, sha: str) -> None:
    """Commits, comparison, statuses."""
    ok(client.post(f"{BASE}/statuses/{sha}", json={"state": "success", "context": "lint"}))
    for path in (
        "/commits",
        "/commits?sha=topic&path=calc.py",
        "/commits/topic",
        f"/commits/{sha}/status",
        "/commits/main/status",
    ):
        ok(client.get(BASE + path))
    ok(client.get(f"{BASE}/compare/main...topic"))
    diff = client.get(f"{BASE}/commits/topic", headers={"Accept": "application/vnd.github.diff"})
    assert "+    return a + b" in diff.text


def use_issue_routes(client: httpx.Client) -> None:
    """Issues, comments, reactions, labels."""
    issue = ok(client.post(f"{BASE}/issues", json={"title": "Wrong", "body": "It is", "labels": ["bug"]}))
    one = f"{BASE}/issues/{issue['number']}"
    ok(client.get(f"{BASE}/issues", params={"state": "all", "labels": "bug", "per_page": 1}))
    ok(client.get(one))
    comment = ok(client.post(f"{one}/comments", json={"body": "Working"}))["id"]
    ok(client.get(f"{one}/comments"))
    ok(client.get(f"{BASE}/issues/comments"))
    said = f"{BASE}/issues/comments/{comment}"
    for subject in (one, said):
        first = client.post(f"{subject}/reactions", json={"content": "eyes"})
        again = client.post(f"{subject}/reactions", json={"content": "eyes"})
        assert (first.status_code, again.status_code) == (201, 200)
        ok(client.get(f"{subject}/reactions"))
        assert client.delete(f"{subject}/reactions/{first.json()['id']}").status_code == 204
    ok(client.get(said))
    ok(client.patch(said, json={"body": "Done"}))
    assert client.delete(said).status_code == 204
    ok(client.post(f"{one}/labels", json={"labels": ["agent:fix"]}))
    ok(client.get(f"{one}/labels"))
    ok(client.delete(f"{one}/labels/agent:fix"))
    ok(client.get(f"{BASE}/labels"))
    ok(client.get(f"{BASE}/labels/bug"))
    ok(client.patch(one, json={"state": "closed", "state_reason": "completed", "title": "Was wrong"}))


def use_pull_routes(client: httpx.Client, sha: str) -> None:
    """Pull requests, reviews, merge."""
    body = {"title": "Fix", "head": "topic", "base": "main", "body": "Fixes it", "draft": True}
    number = ok(client.post(f"{BASE}/pulls", json=body))["number"]
    one = f"{BASE}/pulls/{number}"
    for path in (
        f"{BASE}/pulls?head=acme:topic&state=open",
        one,
        f"{one}/files",
        f"{one}/commits",
        f"{BASE}/issues/{number}",
    ):
        ok(client.get(path))
    ok(client.patch(one, json={"title": "Fix add", "body": ""}))
    line = {"path": "calc.py", "line": 2, "side": "RIGHT", "body": "Good"}
    ok(client.post(f"{one}/reviews", json={"event": "COMMENT", "body": "Seen", "comments": [line]}))
    ok(client.get(f"{one}/reviews"))
    ok(client.post(f"{one}/comments", json={**line, "commit_id": sha}))
    ok(client.get(f"{one}/comments"))
    ok(client.post(f"{one}/requested_reviewers", json={"reviewers": [WRITER]}))
    assert client.put(f"{one}/merge", json={}).status_code == 405  # still a draft
    ok(client.patch(one, json={"state": "closed"}))
    again = ok(client.post(f"{BASE}/pulls", json={**body, "draft": False}))["number"]
    ok(client.put(f"{BASE}/pulls/{again}/merge", json={"merge_method": "squash", "sha": sha}))


def use_check_routes(hub: Hub, client: httpx.Client, sha: str) -> None:
    """Check runs and suites, workflow runs, jobs, logs."""
    action = {"label": "Apply", "description": "Apply the patch", "identifier": "apply"}
    run = ok(client.post(f"{BASE}/check-runs", json={"name": "patchwright", "head_sha": sha, "actions": [action]}))
    note = {"path": "calc.py", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "here"}
    output = {"title": "Done", "summary": "All *well*", "annotations": [note]}
    one = f"{BASE}/check-runs/{run['id']}"
    ok(client.patch(one, json={"status": "completed", "conclusion": "success", "output": output}))
    suite = f"{BASE}/check-suites/{run['check_suite']['id']}"
    jobs = (JobResult("test", "failure", "E   assert 1 == 2\n"), JobResult("lint"))
    workflow = hub.complete_workflow_run(REPO, branch="topic", head_sha=sha, conclusion="failure", jobs=jobs)
    hub.complete_workflow_run(REPO, branch="topic", conclusion="success", jobs=jobs[1:], run_id=workflow)
    actions = f"{BASE}/actions/runs"
    paths = (one, f"{one}/annotations", suite, f"{suite}/check-runs", f"{BASE}/commits/{sha}/check-runs",
             f"{BASE}/commits/{sha}/check-suites", f"{actions}?head_sha={sha}", f"{actions}/{workflow}",
             f"{actions}/{workflow}/jobs?filter=all")  # fmt: skip
    for path in paths:
        ok(client.get(path))
    job = ok(client.get(f"{actions}/{workflow}/attempts/1/jobs"))["jobs"][0]["id"]
    ok(client.get(f"{BASE}/actions/jobs/{job}"))
    assert client.get(f"{BASE}/actions/jobs/{job}/logs").status_code == 302


def use_refusals(client: httpx.Client) -> None:
    """A few answers that say no."""
    assert client.get(f"{BASE}/issues/999").status_code == 404
    assert client.post(f"{BASE}/issues", json={}).status_code == 422
    assert client.post(f"{BASE}/pulls", json={"title": "x", "head": "nowhere", "base": "main"}).status_code == 422
    assert client.get(BASE, headers={"Authorization": "Bearer ghs_1_wrong"}).status_code == 401


def use_everything(hub: Hub, client: httpx.Client) -> None:
    """Every route at least once."""
    use_repository_routes(hub, client)
    sha = use_git_routes(client)
    use_commit_routes(client, sha)
    use_issue_routes(client)
    use_pull_routes(client, sha)
    use_check_routes(hub, client, sha)
    use_refusals(client)
    use_app_routes(hub)


def test_every_exchange_is_one_that_the_description_allows(hub: Hub, client: httpx.Client) -> None:
    use_everything(hub, client)
    problems = [problem for recorded in hub.requests for problem in openapi_oracle.check(recorded)]
    assert problems == []
    assert len(hub.requests) > 100


def test_every_route_is_exercised(hub: Hub, client: httpx.Client) -> None:
    use_everything(hub, client)
    served = [(r.method, r.route) for r in hub.requests if r.status < 400]
    table = [*routes.every(), *routes.Deliveries(Outbox()).routes()]
    unused = []
    for route in table:
        pattern = compile_path(route.path)[0]
        if not any(method == route.method and pattern.fullmatch(path) for method, path in served):
            unused.append(f"{route.method} {route.path}")
    assert unused == []
