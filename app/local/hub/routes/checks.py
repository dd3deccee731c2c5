"""REST: check runs, check suites, workflow runs, jobs and their logs."""

from __future__ import annotations

import secrets
import time

from app.local.hub import checks
from app.local.hub.calls import Call, Reply, Route, choice, page
from app.local.hub.records import CheckRun, Job, WorkflowRun
from app.local.hub.refusal import Refused, not_found
from app.local.hub.routes.commits import page_of_runs
from app.local.hub.views import checks as show

_LOG_URL_S = 60  # a log's address lives one minute


def create_check(call: Call) -> Reply:
    """A new check run of the App that asks."""
    for name in ("name", "head_sha"):
        call.text(name)
    return _run(call, checks.create(call.state, call.repository, call.state.app, call.fields), 201)


def _run(call: Call, one: CheckRun, status: int = 200) -> Reply:
    return Reply(status, show.run(call.links, call.repository, one))


def update_check(call: Call) -> Reply:
    """Changes a check run of one's own."""
    one = checks.find(call.repository, call.path["check_run_id"])
    if one.suite.app is not call.state.app:
        raise Refused(
            403,
            f"Invalid app_id `{call.state.app.id}` - check run can only be modified by the GitHub App that created it.",
        )
    checks.update(call.state, call.repository, one, call.fields)
    return _run(call, one)


def get_check(call: Call) -> Reply:
    """One check run."""
    return _run(call, checks.find(call.repository, call.path["check_run_id"]))


def list_annotations(call: Call) -> Reply:
    """The annotations of a check run."""
    one = checks.find(call.repository, call.path["check_run_id"])
    page_url = call.links.page(call.repository.full_name, "blob", one.suite.head_sha)
    absent = dict.fromkeys(("start_column", "end_column", "title", "raw_details"))
    return page(call, one.annotations, view=lambda a: {**absent, **a, "blob_href": f"{page_url}/{a['path']}"})


def get_suite(call: Call) -> Reply:
    """One check suite."""
    one = checks.find_suite(call.repository, call.path["check_suite_id"])
    return Reply(200, show.suite(call.links, call.repository, one))


def list_suite_runs(call: Call) -> Reply:
    """The check runs of one suite."""
    one = checks.find_suite(call.repository, call.path["check_suite_id"])
    return page_of_runs(call, [c for c in call.repository.checks if c.suite is one])


def list_runs(call: Call) -> Reply:
    """Workflow runs, newest first, filtered as asked."""
    query = call.query
    kept = [
        r
        for r in reversed(call.repository.runs)
        if query.get("branch") in (None, r.head_branch)
        and query.get("event") in (None, r.event)
        and query.get("head_sha") in (None, r.head_sha)
        and query.get("status") in (None, "completed", r.conclusion)
    ]
    return page(call, kept, wrap="workflow_runs", view=lambda r: show.workflow_run(call.links, call.repository, r))


def _workflow_run(call: Call) -> WorkflowRun:
    found = next((r for r in call.repository.runs if r.id == call.path["run_id"]), None)
    if found is None:
        raise not_found()
    return found


def get_run(call: Call) -> Reply:
    """One workflow run."""
    return Reply(200, show.workflow_run(call.links, call.repository, _workflow_run(call)))


def list_jobs(call: Call) -> Reply:
    """The jobs of the latest attempt, of the one in the path, or of all."""
    run = _workflow_run(call)
    attempt = call.path.get("attempt_number", run.attempt)
    if not 1 <= attempt <= run.attempt:
        raise not_found()
    every = "attempt_number" not in call.path and choice(call, "filter", "latest") == "all"
    kept = [j for j in run.jobs if every or j.attempt == attempt]
    return page(call, kept, wrap="jobs", view=lambda j: show.job(call.links, call.repository, run, j))


def _job(call: Call) -> tuple[WorkflowRun, Job]:
    for run in call.repository.runs:
        for job in run.jobs:
            if job.id == call.path["job_id"]:
                return run, job
    raise not_found()


def get_job(call: Call) -> Reply:
    """One job."""
    return Reply(200, show.job(call.links, call.repository, *_job(call)))


def job_log(call: Call) -> Reply:
    """302 to the log, on another origin that wants no credentials."""
    _, job = _job(call)
    name = secrets.token_urlsafe(24)
    files, now = call.state.files, time.time()
    for old in [each for each, (expires, _) in files.items() if expires < now]:
        del files[old]
    files[name] = (now + _LOG_URL_S, job.log)
    return Reply(302, raw=b"", headers={"Location": f"{call.links.files}/-/files/{name}"})


_REPO = "/repos/{owner}/{repo}"
_RUN, _SUITE = f"{_REPO}/check-runs/{{check_run_id:int}}", f"{_REPO}/check-suites/{{check_suite_id:int}}"
_ACTIONS = f"{_REPO}/actions"
ROUTES = (
    Route("POST", f"{_REPO}/check-runs", "checks=write", create_check),
    Route("PATCH", _RUN, "checks=write", update_check),
    Route("GET", _RUN, "checks=read", get_check),
    Route("GET", f"{_RUN}/annotations", "checks=read", list_annotations),
    Route("GET", _SUITE, "checks=read", get_suite),
    Route("GET", f"{_SUITE}/check-runs", "checks=read", list_suite_runs),
    Route("GET", f"{_ACTIONS}/runs", "actions=read", list_runs),
    Route("GET", f"{_ACTIONS}/runs/{{run_id:int}}", "actions=read", get_run),
    Route("GET", f"{_ACTIONS}/runs/{{run_id:int}}/jobs", "actions=read", list_jobs),
    Route("GET", f"{_ACTIONS}/runs/{{run_id:int}}/attempts/{{attempt_number:int}}/jobs", "actions=read", list_jobs),
    Route("GET", f"{_ACTIONS}/jobs/{{job_id:int}}", "actions=read", get_job),
    Route("GET", f"{_ACTIONS}/jobs/{{job_id:int}}/logs", "actions=read", job_log),
)
