"""Webhooks: signed, identified, in order, recorded, redelivered; and what each act tells."""

from __future__ import annotations

import hashlib
import hmac
import time
import uuid

import httpx
import jwt
import pytest
from hub_fixture import REPO, WRITER, hub, rest
from hub_listener import listening

from app.local.hub.checks import JobResult
from app.local.hub.server import Hub

__all__ = ["hub"]
BASE = f"/repos/{REPO}"


def as_app(hub: Hub) -> httpx.Client:
    """A client that signs as the App."""
    now = int(time.time())
    return rest(hub, jwt.encode({"iss": str(hub.app_id), "iat": now - 60, "exp": now + 500}, hub.private_key, "RS256"))


def test_a_comment_arrives_signed_and_complete(hub: Hub) -> None:
    number = hub.open_issue(REPO, WRITER, "Wrong", "It is")
    with listening() as listener:
        hub.webhook_to(listener.url)
        comment = hub.comment(REPO, number, WRITER, "/agent fix — bitte")
        hub.edit_comment(REPO, comment, WRITER, "/agent plan")
        assert hub.settle()
        assert listener.events() == ["issue_comment.created", "issue_comment.edited"]
        headers, body = listener.got[0]
        payload = listener.payload(0)
    signature = hmac.new(hub.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={signature}"
    assert str(uuid.UUID(headers["x-github-delivery"])) == headers["x-github-delivery"]
    assert headers["x-github-hook-installation-target-id"] == str(hub.app_id)
    assert payload["installation"]["id"] == hub.installation_id(REPO)
    assert (payload["repository"]["full_name"], payload["organization"]["login"]) == (REPO, "acme")
    assert (payload["sender"]["login"], payload["comment"]["id"], payload["issue"]["number"]) == (
        WRITER,
        comment,
        number,
    )
    assert payload["comment"]["body"] == "/agent fix — bitte"


def test_a_delivery_that_failed_is_listed_and_sent_again_under_its_guid(hub: Hub) -> None:
    with listening() as listener, as_app(hub) as app:
        hub.webhook_to(listener.url)
        listener.status = 503
        hub.open_issue(REPO, WRITER, "Wrong")
        assert hub.settle()
        failed = app.get("/app/hook/deliveries", params={"status": "failure"}).json()
        assert [(d["event"], d["status_code"], d["redelivery"]) for d in failed] == [("issues", 503, False)]
        listener.status = 202
        assert app.post(f"/app/hook/deliveries/{failed[0]['id']}/attempts").status_code == 202
        assert hub.settle()
        newest = app.get("/app/hook/deliveries").json()[0]
        assert (newest["guid"], newest["redelivery"], newest["status"]) == (failed[0]["guid"], True, "OK")
        first, second = listener.got
        assert first[0]["x-github-delivery"] == second[0]["x-github-delivery"]
        assert first[1] == second[1]
        full = app.get(f"/app/hook/deliveries/{newest['id']}").json()
    assert full["request"]["payload"]["issue"]["title"] == "Wrong"


def test_deliveries_page_by_cursor_and_survive_an_absent_receiver(hub: Hub) -> None:
    hub.webhook_to("http://127.0.0.1:9/nobody")
    for n in range(3):
        hub.open_issue(REPO, WRITER, f"n{n}")
    assert hub.settle()
    with as_app(hub) as app:
        first = app.get("/app/hook/deliveries", params={"per_page": 2})
        second = app.get(first.links["next"]["url"])
    titles = [d.payload["issue"]["title"] for d in reversed(hub.deliveries())]
    assert titles == ["n2", "n1", "n0"]
    assert [len(page.json()) for page in (first, second)] == [2, 1]
    assert "next" not in second.links
    assert {d["status"] for d in first.json()} == {"failed to connect to host"}


def test_held_deliveries_go_out_later_in_order(hub: Hub) -> None:
    with listening() as listener:
        hub.webhook_to(listener.url)
        hub.hold_deliveries()
        for n in range(3):
            hub.open_issue(REPO, WRITER, f"n{n}")
        assert not hub.settle(timeout_s=0.2)
        assert listener.got == []
        hub.hold_deliveries(held=False)
        assert hub.settle()
        assert [listener.payload(at)["issue"]["title"] for at in range(3)] == ["n0", "n1", "n2"]


def test_the_app_hears_of_its_own_acts_as_a_bot(hub: Hub) -> None:
    with listening() as listener, rest(hub) as client:
        hub.webhook_to(listener.url)
        client.post(f"{BASE}/issues", json={"title": "Mine", "labels": ["x"]})
        assert hub.settle()
        assert listener.events() == ["issues.opened", "issues.labeled"]
        assert (
            listener.payload(0)["sender"] | {"type": "Bot", "login": "patchwright[bot]"}
            == listener.payload(0)["sender"]
        )


def test_a_failed_workflow_run_tells_its_jobs_checks_and_logs(hub: Hub) -> None:
    sha = hub.push(REPO, "topic", {"a.txt": "a"}, WRITER)
    number = hub.open_pull(REPO, WRITER, title="Topic", head="topic")
    with listening() as listener, rest(hub) as client:
        hub.webhook_to(listener.url)
        log = "2026-11-30T10:00:00.0000000Z \x1b[31mE   assert 1 == 2\x1b[0m\n"
        run = hub.complete_workflow_run(
            REPO, branch="topic", jobs=(JobResult("test", "failure", log), JobResult("lint"))
        )
        assert hub.settle()
        jobs = ["workflow_job.completed", "check_run.completed"]
        assert listener.events() == [*jobs, *jobs, "check_suite.completed", "workflow_run.completed"]
        told = listener.payload(-1)["workflow_run"]
        assert (told["id"], told["conclusion"], told["head_sha"]) == (run, "failure", sha)
        assert [p["number"] for p in told["pull_requests"]] == [number]
        failed = client.get(f"{BASE}/actions/runs/{run}/attempts/1/jobs").json()["jobs"][0]
        assert [(s["name"], s["conclusion"]) for s in failed["steps"]] == [
            ("Set up job", "success"),
            ("Run tests", "failure"),
        ]
        away = client.get(f"{BASE}/actions/jobs/{failed['id']}/logs")
        there = httpx.URL(away.headers["location"])
        assert (there.host, there.port) != (client.base_url.host, client.base_url.port)
        assert httpx.get(there, trust_env=False).text == log
        assert httpx.get(there, headers={"Authorization": "Bearer x"}, trust_env=False).status_code == 400


def test_buttons_tell_only_what_is_there(hub: Hub) -> None:
    sha = hub.push(REPO, "topic", {"a.txt": "a"}, WRITER)
    action = {"label": "Apply", "description": "Apply the patch", "identifier": "apply"}
    with listening() as listener, rest(hub) as client:
        body = {"name": "patchwright", "head_sha": sha, "conclusion": "neutral", "actions": [action]}
        run = client.post(f"{BASE}/check-runs", json=body).json()["id"]
        hub.webhook_to(listener.url)
        hub.click(REPO, run, "apply", WRITER)
        hub.click(REPO, run, "rerequested", WRITER)
        with pytest.raises(Exception, match="Not Found"):
            hub.click(REPO, run, "other", WRITER)
        assert hub.settle()
        assert listener.events() == ["check_run.requested_action", "check_run.rerequested"]
        assert listener.payload(0)["requested_action"] == {"identifier": "apply"}


def test_check_runs_have_github_s_limits(hub: Hub) -> None:
    sha = hub.push(REPO, "topic", {"a.txt": "a"}, WRITER)
    note = {"path": "a.txt", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
    action = {"label": "a", "description": "b", "identifier": "c"}

    def body(annotations: int = 0, actions: int = 0, **more: str) -> dict[str, object]:
        output = {"title": "t", "summary": "s", "annotations": [note] * annotations}
        return {"name": "x", "head_sha": sha, "output": output, "actions": [action] * actions, **more}

    with rest(hub) as client:
        asked = [body(50, 3), body(51), body(0, 4), body(status="completed"), {**body(), "head_sha": "f" * 40}]
        statuses = [client.post(f"{BASE}/check-runs", json=each).status_code for each in asked]
        run = hub.checks(REPO)[0]["id"]
        client.patch(
            f"{BASE}/check-runs/{run}", json={"output": {"title": "t", "summary": "s", "annotations": [note] * 20}}
        )
    assert statuses == [201, 422, 422, 422, 422]
    assert hub.checks(REPO)[0]["output"]["annotations_count"] == 70
