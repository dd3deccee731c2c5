"""Who may do what: App JWTs, installation tokens, their permissions and reach."""

from __future__ import annotations

import time
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from hub_fixture import REPO, WRITER, hub, rest

from app.local.hub.server import Hub

__all__ = ["hub"]
BASE = f"/repos/{REPO}"


def signed(hub: Hub, **claims: Any) -> str:
    """An App JWT with some claims changed."""
    now = int(time.time())
    return jwt.encode({"iss": str(hub.app_id), "iat": now - 30, "exp": now + 540, **claims}, hub.private_key, "RS256")


def exchange(hub: Hub, **body: Any) -> httpx.Response:
    """Asks for an installation token."""
    with rest(hub, signed(hub)) as app:
        return app.post(f"/app/installations/{hub.installation_id(REPO)}/access_tokens", json=body)


def test_a_jwt_of_the_app_is_taken_by_id_and_by_client_id(hub: Hub) -> None:
    with rest(hub, signed(hub)) as app:
        about = app.get("/app").json()
    with rest(hub, signed(hub, iss=about["client_id"]), base="/api/v3") as app:
        assert app.get("/app").json()["id"] == about["id"] == hub.app_id


@pytest.mark.parametrize(
    ("claims", "status", "word"),
    [
        ({"exp": int(time.time()) + 3600}, 401, "too far in the future"),
        ({"exp": int(time.time()) - 5}, 401, "must be a numeric value"),
        ({"iat": int(time.time()) + 600}, 401, "'Issued at' claim"),
        ({"iss": "77"}, 404, "Integration not found"),
    ],
    ids=["expires too late", "expired", "issued in the future", "another app"],
)
def test_a_jwt_with_wrong_claims_is_refused(hub: Hub, claims: dict[str, Any], status: int, word: str) -> None:
    with rest(hub, signed(hub, **claims)) as app:
        answer = app.get("/app")
    assert (answer.status_code, word in answer.json()["message"]) == (status, True)


def test_a_jwt_of_another_key_and_one_with_another_algorithm_are_refused(hub: Hub) -> None:
    claims = {"iss": str(hub.app_id), "iat": int(time.time()) - 30, "exp": int(time.time()) + 300}
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    for token in (
        jwt.encode(claims, stranger, "RS256"),
        jwt.encode(claims, "x" * 32, "HS256"),
        signed(hub)[:-9] + "AAAAAAAAA",
    ):
        with rest(hub, token) as app:
            answer = app.get("/app")
        assert (answer.status_code, answer.json()["message"]) == (401, "A JSON web token could not be decoded")


def test_a_token_can_be_narrowed_and_is_told_so(hub: Hub) -> None:
    hub.add_repository("acme/other", {"a": "b"})
    answer = exchange(hub, repositories=["calc"], permissions={"issues": "read"})
    body = answer.json()
    assert answer.status_code == 201
    assert body["permissions"] == {"metadata": "read", "issues": "read"}
    assert [each["full_name"] for each in body["repositories"]] == [REPO]
    assert body["token"].startswith(f"ghs_{hub.app_id}_")
    assert len(body["token"]) > 200
    with rest(hub, body["token"]) as client:
        assert client.get(BASE).status_code == 200
        assert client.get("/repos/acme/other").status_code == 404


@pytest.mark.parametrize(
    "body",
    [{"permissions": {"workflows": "write"}}, {"permissions": {"actions": "write"}}, {"repositories": ["nowhere"]}],
    ids=["never granted", "more than granted", "no such repository"],
)
def test_what_the_app_has_not_is_not_given(hub: Hub, body: dict[str, Any]) -> None:
    assert exchange(hub, **body).status_code == 422


def test_a_narrow_token_is_refused_with_the_permission_that_is_missing(hub: Hub) -> None:
    number = hub.open_issue(REPO, WRITER, "Wrong")
    with rest(hub, hub.token(REPO, issues="read")) as client:
        assert client.get(f"{BASE}/issues/{number}").status_code == 200
        answer = client.post(f"{BASE}/issues/{number}/comments", json={"body": "x"})
    assert (answer.status_code, answer.json()["message"]) == (403, "Resource not accessible by integration")
    assert answer.headers["x-accepted-github-permissions"] == "issues=write; pull_requests=write"


def test_rights_on_pull_requests_are_none_on_issues(hub: Hub) -> None:
    number = hub.open_issue(REPO, WRITER, "Wrong")
    hub.push(REPO, "topic", {"a.txt": "a"}, WRITER)
    pull = hub.open_pull(REPO, WRITER, title="Topic", head="topic")
    with rest(hub, hub.token(REPO, pull_requests="write")) as client:
        statuses = [client.post(f"{BASE}/issues/{n}/comments", json={"body": "x"}).status_code for n in (number, pull)]
    assert statuses == [403, 201]


def test_tokens_end_by_revocation_expiry_and_uninstalling(hub: Hub) -> None:
    revoked = hub.token(REPO)
    with rest(hub, revoked) as client:
        assert client.delete("/installation/token").status_code == 204
        assert client.get(BASE).status_code == 401
    expired = hub.token(REPO)
    hub.expire_tokens()
    hub.token_ttl = 0.0
    short = exchange(hub).json()["token"]
    for token in (expired, short):
        with rest(hub, token) as client:
            assert client.get(BASE).json()["message"] == "Bad credentials"
    hub.token_ttl = 3600.0
    with rest(hub) as client:
        hub.uninstall(REPO)
        assert client.get(BASE).status_code == 404


def test_nobody_and_the_app_itself_may_not_use_a_repository(hub: Hub) -> None:
    nobody = httpx.get(hub.url + BASE, trust_env=False)
    with rest(hub, signed(hub)) as app:
        as_app = app.get(BASE)
    assert (nobody.status_code, nobody.json()["message"]) == (401, "Requires authentication")
    assert as_app.status_code == 401


@pytest.mark.parametrize(
    ("role", "permission"),
    [
        ("admin", "admin"),
        ("maintain", "write"),
        ("write", "write"),
        ("triage", "read"),
        ("read", "read"),
        ("none", "none"),
    ],
)
def test_roles_are_told_in_old_and_new_words(hub: Hub, role: str, permission: str) -> None:
    hub.grant(REPO, "bob", role)
    with rest(hub) as client:
        body = client.get(f"{BASE}/collaborators/bob/permission").json()
        stranger = client.get(f"{BASE}/collaborators/nobody/permission")
    assert (body["permission"], body["role_name"]) == (permission, role)
    assert (stranger.status_code, stranger.json()["message"]) == (404, "nobody is not a user")


def test_rate_limits_and_conditional_requests(hub: Hub) -> None:
    with rest(hub) as client:
        first = client.get(BASE)
        again = client.get(BASE, headers={"If-None-Match": first.headers["etag"]})
        hub.open_issue(REPO, WRITER, "Changes the count")
        changed = client.get(BASE, headers={"If-None-Match": first.headers["etag"]})
        left = client.get("/rate_limit").json()["rate"]["remaining"]
    assert (again.status_code, again.content, changed.status_code) == (304, b"", 200)
    assert again.headers["x-ratelimit-remaining"] == first.headers["x-ratelimit-remaining"]
    assert left == int(first.headers["x-ratelimit-remaining"]) - 1


def test_pages_of_a_list_are_linked(hub: Hub) -> None:
    for n in range(5):
        hub.open_issue(REPO, WRITER, f"Issue {n}")
    with rest(hub, base="/api/v3") as client:
        pages = [client.get(f"{BASE}/issues", params={"per_page": 2})]
        while "next" in pages[-1].links:
            pages.append(client.get(pages[-1].links["next"]["url"]))
    assert [[i["number"] for i in page.json()] for page in pages] == [[5, 4], [3, 2], [1]]
    assert set(pages[1].links) == {"prev", "next", "last", "first"}
    assert "/api/v3/" in pages[0].links["next"]["url"]


def test_too_long_bodies_and_broken_json_are_refused(hub: Hub) -> None:
    with rest(hub) as client:
        exact = client.post(f"{BASE}/issues", json={"title": "Long", "body": "é" * 65_536})
        long = client.post(f"{BASE}/issues", json={"title": "Longer", "body": "é" * 65_537})
        broken = client.post(f"{BASE}/issues", content=b"{")
        unknown = client.get("/repos/acme/calc/no-such-thing")
    assert (exact.status_code, long.status_code) == (201, 422)
    assert "body is too long" in long.json()["errors"][0]["message"]
    assert (broken.status_code, broken.json()["message"]) == (400, "Problems parsing JSON")
    assert (unknown.status_code, unknown.json()["message"]) == (404, "Not Found")
