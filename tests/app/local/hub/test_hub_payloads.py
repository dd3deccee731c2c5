"""Every kind of webhook that the hub sends, held against GitHub's published description."""

from __future__ import annotations

import json

import pytest
import webhook_oracle
from hub_fixture import REPO, WRITER, hub, rest
from hub_listener import listening

from app.local.hub.checks import JobResult
from app.local.hub.server import Hub

__all__ = ["hub"]
pytestmark = pytest.mark.registry
EXPECTED = {
    "check_run.completed", "check_run.created", "check_run.requested_action", "check_run.rerequested",
    "check_suite.completed", "check_suite.requested", "create", "delete", "installation.created",
    "installation_repositories.added", "issue_comment.created", "issue_comment.deleted", "issue_comment.edited",
    "issues.closed", "issues.edited", "issues.labeled", "issues.opened", "issues.reopened", "issues.unlabeled",
    "pull_request.closed", "pull_request.edited", "pull_request.labeled", "pull_request.opened",
    "pull_request.reopened", "pull_request.review_requested", "pull_request.synchronize",
    "pull_request_review.submitted", "pull_request_review_comment.created", "push", "workflow_job.completed",
    "workflow_run.completed",
}  # fmt: skip


def act(hub: Hub) -> None:
    """Everything that people do."""
    hub.add_repository("solo/one", {"a": "b"})
    hub.add_repository("acme/two", {"a": "b"})
    hub.grant(REPO, "bob", "write")
    issue = hub.open_issue(REPO, WRITER, "Wrong", None)
    hub.edit_issue(REPO, issue, WRITER, title="Very wrong", body="It is")
    hub.label(REPO, issue, "agent:fix", WRITER)
    hub.edit_issue(REPO, issue, WRITER, labels=[])
    hub.edit_issue(REPO, issue, WRITER, state="closed")
    hub.edit_issue(REPO, issue, WRITER, state="open")
    comment = hub.comment(REPO, issue, WRITER, "/agent fix")
    hub.edit_comment(REPO, comment, WRITER, "/agent plan")
    hub.delete_comment(REPO, comment, WRITER)
    act_on_pulls(hub)


def act_on_pulls(hub: Hub) -> None:
    """Pull requests, checks, runs, branches."""
    sha = hub.push(REPO, "topic", {"a.txt": "a\n"}, WRITER)
    pull = hub.open_pull(REPO, WRITER, title="Topic", head="topic", body="x", draft=True)
    hub.comment(REPO, pull, WRITER, "On a pull request")
    hub.edit_issue(REPO, pull, WRITER, title="The topic")
    hub.label(REPO, pull, "agent", WRITER)
    line = {"path": "a.txt", "line": 1, "body": "why?"}
    hub.review(REPO, pull, "bob", event="COMMENT", body="Hm", comments=[line])
    action = {"label": "Apply", "description": "Apply it", "identifier": "apply"}
    with rest(hub) as client:
        client.post(f"/repos/{REPO}/pulls/{pull}/requested_reviewers", json={"reviewers": ["bob"]})
        body = {"name": "patchwright", "head_sha": sha, "conclusion": "success", "actions": [action]}
        run = client.post(f"/repos/{REPO}/check-runs", json=body).json()["id"]
    hub.click(REPO, run, "apply", WRITER)
    hub.click(REPO, run, "rerequested", WRITER)
    hub.complete_workflow_run(REPO, branch="topic", jobs=(JobResult("test", "failure", "boom"),))
    hub.push(REPO, "topic", {"b.txt": "b\n"}, WRITER)
    hub.edit_issue(REPO, pull, WRITER, state="closed")
    hub.edit_issue(REPO, pull, WRITER, state="open")
    hub.delete_branch(REPO, "topic", WRITER)


def test_every_payload_is_one_that_the_description_allows(hub: Hub) -> None:
    with listening() as listener:
        hub.webhook_to(listener.url)
        act(hub)
        assert hub.settle()
        problems = []
        for headers, body in listener.got:
            problems += webhook_oracle.check(headers["x-github-event"], json.loads(body))
        assert problems == []
        assert set(listener.events()) == EXPECTED
