"""Every request that the client sends is one that GitHub's published description allows."""

from __future__ import annotations

import pytest
from github_world import NAME, World
from openapi_oracle import check, operation_of

from jobs.github.checks import Action, CheckReport

pytestmark = pytest.mark.registry


def test_every_call_is_valid(gh: World) -> None:
    number = gh.hub.open_issue(NAME, "ann", "Broken", "It breaks.")
    comment_id = gh.hub.comment(NAME, number, "ann", "/agent fix")
    gh.hub.push(NAME, "agent/fix-1-x", {"tool.py": "x = 1\n"}, "ann")
    gh.hub.webhook_to("http://127.0.0.1:9/nobody")
    gh.hub.comment(NAME, number, "ann", "lost")
    assert gh.hub.settle()
    _app(gh)
    _talk(gh, number, comment_id)
    _code(gh)
    _propose(gh)
    gh.tokens.revoke(gh.github.token())
    ours = [r for r in gh.hub.requests if r.headers.get("user-agent") == "patchwright"]
    assert [problem for r in ours for problem in check(r)] == []
    # Each public call has its own operation; a new one must be exercised here too.
    assert len({(r.method, o.path) for r in ours if (o := operation_of(r))}) == 30


def _app(gh: World) -> None:
    gh.app.whoami()
    gh.app.installation(NAME)
    delivery = next(iter(gh.app.deliveries()))
    gh.app.redeliver(delivery.id)


def _talk(gh: World, number: int, comment_id: int) -> None:
    github = gh.github
    github.issue(number)
    said = github.comment(number, "Hello")
    github.edit_comment(said.id, "Hello again")
    github.get_comment(said.id)
    github.find_comment(number, "again")
    github.react("eyes", comment_id=comment_id)
    github.react("hooray", issue=number)
    github.add_labels(number, ("agent",))
    github.permission("ann")
    github.bot()


def _code(gh: World) -> None:
    github = gh.github
    sha = str(github.branch_head("agent/fix-1-x"))
    github.branch("agent/fix-1-x")
    github.branches("agent/")
    github.rules("agent/fix-1-x")
    github.committer(sha)
    github.file(".github/patchwright.yml", sha)
    github.file("README.md")
    button = Action("Apply", "Push the patch to this branch", "apply")
    github.show_check(sha, "r-1", CheckReport("in_progress", "Working", "…", details_url="https://example.invalid/r-1"))
    github.show_check(sha, "r-1", CheckReport("completed", "T", "S", text="X", conclusion="neutral", actions=(button,)))


def _propose(gh: World) -> None:
    github = gh.github
    assert github.default_branch == "main"
    made = github.create_pull(head="agent/fix-1-x", base="main", title="Fix", body="Body", draft=True)
    github.pull(made.number)
    github.update_pull(made.number, title="Fix it", body="B", state="open")
    github.request_reviewers(made.number, ("ann",))
