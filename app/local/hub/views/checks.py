"""Check runs, check suites, workflow runs and their jobs as REST shows them."""

from __future__ import annotations

from app.local.hub import history
from app.local.hub.links import Links
from app.local.hub.records import Body, CheckRun, CheckSuite, Issue, Job, Repository, WorkflowRun
from app.local.hub.state import node_id
from app.local.hub.views import accounts, commits, pulls, repositories

_BAD = ("failure", "timed_out", "cancelled", "action_required", "startup_failure", "stale")


def run(links: Links, which: Repository, one: CheckRun) -> Body:
    """check-run."""
    url, fields = links.repo(which.full_name, "check-runs", one.id), one.fields
    page = links.page(which.full_name, "runs", one.id)
    output = {name: fields.get(name) for name in ("title", "summary", "text")}
    kept = ("name", "status", "conclusion", "started_at", "completed_at")
    return {
        "id": one.id,
        "head_sha": one.suite.head_sha,
        "node_id": node_id("CR", one.id),
        "external_id": fields.get("external_id") or "",
        "url": url,
        "html_url": page,
        "details_url": fields.get("details_url") or page,
        **{name: fields.get(name) for name in kept},
        "output": {**output, "annotations_count": len(one.annotations), "annotations_url": f"{url}/annotations"},
        "check_suite": {"id": one.suite.id},
        "app": accounts.app(links, one.suite.app),
        "pull_requests": [pulls.minimal(links, which, i) for i in pulls_at(which, one.suite.head_sha)],
    }


def pulls_at(which: Repository, sha: str) -> list[Issue]:
    """Open pull requests of the same repository with that head; GitHub leaves out those of forks."""
    opened = (i for i in which.issues.values() if i.pull and i.state == "open")
    return [i for i in opened if i.pull and i.pull.head_sha == sha and i.pull.head_repository is which]


def runs_of(which: Repository, suite: CheckSuite) -> list[CheckRun]:
    """The suite's check runs, the newest of each name."""
    newest = {c.fields["name"]: c for c in which.checks if c.suite is suite}
    return list(newest.values())


def verdict(which: Repository, suite: CheckSuite) -> tuple[str, str | None]:
    """(status, conclusion) of a suite, from its runs."""
    runs = runs_of(which, suite)
    if not runs:
        return "queued", None
    if any(c.fields["status"] != "completed" for c in runs):
        return "in_progress", None
    conclusions = [c.fields["conclusion"] for c in runs]
    return "completed", next((bad for bad in _BAD if bad in conclusions), "success")


def suite(links: Links, which: Repository, one: CheckSuite) -> Body:
    """check-suite."""
    url = links.repo(which.full_name, "check-suites", one.id)
    status, conclusion = verdict(which, one)
    head = history.commit(which.git_dir, one.head_sha)
    return {
        "id": one.id,
        "node_id": node_id("CS", one.id),
        "head_branch": one.head_branch,
        "head_sha": one.head_sha,
        "status": status,
        "conclusion": conclusion,
        "url": url,
        "before": head.parents[0] if head.parents else history.ZERO,
        "after": one.head_sha,
        "pull_requests": [pulls.minimal(links, which, i) for i in pulls_at(which, one.head_sha)],
        "app": accounts.app(links, one.app),
        "repository": repositories.minimal(links, which),
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "rerequestable": True,
        "runs_rerequestable": True,
        "latest_check_runs_count": len(runs_of(which, one)),
        "check_runs_url": f"{url}/check-runs",
        "head_commit": commits.simple_commit(head),
    }


def workflow_run(links: Links, which: Repository, one: WorkflowRun) -> Body:
    """workflow-run."""
    url = links.repo(which.full_name, "actions/runs", one.id)
    suite_url = links.repo(which.full_name, "check-suites", one.suite_id)
    head = history.commit(which.git_dir, one.head_sha)
    return {
        **_run_addresses(links, which, one, url),
        "id": one.id,
        "name": one.name,
        "node_id": node_id("WFR", one.id),
        "head_branch": one.head_branch,
        "head_sha": one.head_sha,
        "path": one.path,
        "display_title": head.message.partition("\n")[0],
        "run_number": one.number,
        "event": one.event,
        "status": "completed",
        "conclusion": one.conclusion,
        "workflow_id": one.workflow_id,
        "check_suite_id": one.suite_id,
        "check_suite_node_id": node_id("CS", one.suite_id),
        "check_suite_url": suite_url,
        "pull_requests": [pulls.minimal(links, which, i) for i in pulls_at(which, one.head_sha)],
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "run_started_at": one.created_at,
        "run_attempt": one.attempt,
        "previous_attempt_url": f"{url}/attempts/{one.attempt - 1}" if one.attempt > 1 else None,
        "referenced_workflows": [],
        "actor": accounts.account(links, one.actor),
        "triggering_actor": accounts.account(links, one.actor),
        "head_commit": commits.simple_commit(head),
        "repository": repositories.minimal(links, which),
        "head_repository": repositories.minimal(links, which),
    }


def _run_addresses(links: Links, which: Repository, one: WorkflowRun, url: str) -> Body:
    workflow = links.repo(which.full_name, "actions/workflows", one.workflow_id)
    page = links.page(which.full_name, "actions/runs", one.id)
    below = {f"{name}_url": f"{url}/{name}" for name in ("jobs", "logs", "artifacts", "cancel", "rerun")}
    return {"url": url, "html_url": page, "workflow_url": workflow, **below}


def job(links: Links, which: Repository, of: WorkflowRun, one: Job) -> Body:
    """job."""
    run_url = links.repo(which.full_name, "actions/runs", of.id)
    return {
        "id": one.id,
        "run_id": of.id,
        "workflow_name": of.name,
        "head_branch": of.head_branch,
        "run_url": run_url,
        "run_attempt": one.attempt,
        "node_id": node_id("J", one.id),
        "head_sha": of.head_sha,
        "url": links.repo(which.full_name, "actions/jobs", one.id),
        "html_url": links.page(which.full_name, "actions/runs", of.id, "job", one.id),
        "status": "completed",
        "conclusion": one.conclusion,
        "created_at": of.created_at,
        "started_at": of.created_at,
        "completed_at": of.updated_at,
        "name": one.name,
        "steps": one.steps,
        "check_run_url": links.repo(which.full_name, "check-runs", one.check_id),
        "labels": ["ubuntu-latest"],
        "runner_id": 1,
        "runner_name": "GitHub Actions 1",
        "runner_group_id": 2,
        "runner_group_name": "GitHub Actions",
    }
