"""Acts on check runs and workflow runs: each changes the state and sends its event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.local.hub import history
from app.local.hub.events import emit
from app.local.hub.records import Account, App, Body, CheckRun, CheckSuite, Job, Repository, WorkflowRun
from app.local.hub.refusal import Refused, invalid, malformed, not_found
from app.local.hub.state import State, stamp
from app.local.hub.views import checks as show

MOST_ANNOTATIONS, MOST_ACTIONS = 50, 3  # a request
_OUTPUT_LIMIT = 65_535  # characters of summary and of text
_SET = ("name", "details_url", "external_id", "started_at", "completed_at", "status", "conclusion")


def suite_for(state: State, which: Repository, app: App, sha: str, branch: str | None) -> CheckSuite:
    """The App's suite on commit `sha`, made if new."""
    found = next((s for s in which.suites if s.app is app and s.head_sha == sha), None)
    if found is None:
        found = CheckSuite(state.new_id(), app, sha, branch, stamp(), stamp())
        which.suites.append(found)
    return found


def create(state: State, which: Repository, app: App, fields: Body) -> CheckRun:
    """A new check run of `app`. Raises Refused 422."""
    sha = history.resolve(which.git_dir, fields["head_sha"])
    if sha is None:
        raise Refused(422, "No commit found for SHA: " + fields["head_sha"])
    branches = history.refs(which.git_dir, "refs/heads/").items()
    branch = next((ref.removeprefix("refs/heads/") for ref, (_, tip) in branches if tip == sha), None)
    run = CheckRun(state.new_id(), suite_for(state, which, app, sha, branch), {"status": "queued"})
    _set(run, fields)
    which.checks.append(run)
    tell(state, which, run, app.bot, "created")
    if run.fields["status"] == "completed":
        tell(state, which, run, app.bot, "completed")
    return run


def update(state: State, which: Repository, run: CheckRun, fields: Body) -> None:
    """Changes a check run; annotations are added to those it has. Raises Refused 422."""
    before = run.fields["status"]
    _set(run, fields)
    if before != "completed" and run.fields["status"] == "completed":
        tell(state, which, run, run.suite.app.bot, "completed")


def _set(run: CheckRun, fields: Body) -> None:
    output, actions = fields.get("output") or {}, fields.get("actions")
    annotations = output.get("annotations") or ()
    _check_sizes(output, annotations, actions or ())
    run.fields |= {name: fields[name] for name in _SET if name in fields}
    run.fields |= {name: output[name] for name in ("title", "summary", "text") if name in output}
    run.annotations.extend(annotations)
    if actions is not None:
        run.actions[:] = actions
    if run.fields.get("conclusion"):
        run.fields["status"] = "completed"
        run.fields.setdefault("completed_at", stamp())
    if run.fields["status"] == "completed" and not run.fields.get("conclusion"):
        raise malformed('"conclusion" wasn\'t supplied.')
    if run.fields["status"] != "queued":
        run.fields.setdefault("started_at", stamp())


def _check_sizes(output: Mapping[str, object], annotations: Sequence[object], actions: Sequence[object]) -> None:
    if len(annotations) > MOST_ANNOTATIONS:
        raise malformed(f"No more than {MOST_ANNOTATIONS} items are allowed; {len(annotations)} were supplied.")
    if len(actions) > MOST_ACTIONS:
        raise malformed(f"No more than {MOST_ACTIONS} items are allowed; {len(actions)} were supplied.")
    for name in ("summary", "text"):
        if len(str(output.get(name) or "")) > _OUTPUT_LIMIT:
            raise invalid("CheckRun", name, "too_long", f"{name} exceeds {_OUTPUT_LIMIT} characters")


def find(which: Repository, run_id: int) -> CheckRun:
    """The check run with that id. Raises Refused 404."""
    found = next((c for c in which.checks if c.id == run_id), None)
    if found is None:
        raise not_found()
    return found


def find_suite(which: Repository, suite_id: int) -> CheckSuite:
    """The check suite with that id. Raises Refused 404."""
    found = next((s for s in which.suites if s.id == suite_id), None)
    if found is None:
        raise not_found()
    return found


def tell(state: State, which: Repository, run: CheckRun, sender: Account, action: str, **more: object) -> None:
    """Sends a `check_run` event."""
    shown = show.run(state.links, which, run)
    shown["check_suite"] = show.suite(state.links, which, run.suite)
    emit(state, which, "check_run", sender, action=action, check_run=shown, **more)


def click(state: State, which: Repository, run_id: int, identifier: str, sender: Account) -> None:
    """A person presses one of the check run's buttons (or GitHub's own, `rerequested`); only the owning App is told.

    Raises Refused 404 for a button that is not there.
    """
    run = find(which, run_id)
    if identifier == "rerequested":
        tell(state, which, run, sender, "rerequested")
        return
    if identifier not in (action["identifier"] for action in run.actions):
        raise not_found()
    tell(state, which, run, sender, "requested_action", requested_action={"identifier": identifier})


@dataclass(frozen=True)
class JobResult:
    """A job of a workflow run as its author writes it down."""

    name: str
    conclusion: str = "success"
    log: str | bytes = ""
    steps: tuple[str, ...] = ("Set up job", "Run tests")


@dataclass(frozen=True)
class Finished:
    """A workflow run that has just ended. `head_sha` none means the branch's tip; `run_id` names an earlier run
    of which this is the next attempt."""

    branch: str
    conclusion: str
    jobs: tuple[JobResult, ...] = ()
    head_sha: str | None = None
    name: str = "CI"
    path: str = ".github/workflows/ci.yml"
    event: str = "push"
    actor: str | None = None
    run_id: int | None = None


def finish_workflow(state: State, which: Repository, done: Finished) -> WorkflowRun:
    """Records a finished run, its jobs and their checks; sends workflow_job, check_run, check_suite, workflow_run."""
    sha = done.head_sha or history.head(which.git_dir, done.branch)
    if sha is None:
        raise not_found()
    run = _workflow_run(state, which, done, sha)
    for result in done.jobs:
        _finish_job(state, which, run, result)
    suite = find_suite(which, run.suite_id)
    shown = show.suite(state.links, which, suite)
    emit(state, which, "check_suite", run.actor, action="completed", check_suite=shown)
    workflow = _workflow(state, which, run)
    body = show.workflow_run(state.links, which, run)
    emit(state, which, "workflow_run", run.actor, action="completed", workflow_run=body, workflow=workflow)
    return run


def _workflow_run(state: State, which: Repository, done: Finished, sha: str) -> WorkflowRun:
    earlier = next((r for r in which.runs if r.id == done.run_id), None)
    if earlier is not None:
        earlier.attempt, earlier.conclusion, earlier.updated_at = earlier.attempt + 1, done.conclusion, stamp()
        return earlier
    actor = state.account(done.actor) if done.actor else which.owner
    suite = CheckSuite(state.new_id(), state.actions_app, sha, done.branch, stamp(), stamp())
    which.suites.append(suite)
    same = [r for r in which.runs if r.path == done.path]
    workflow_id = same[0].workflow_id if same else state.new_id()
    run = WorkflowRun(
        state.new_id(), done.name, done.path, len(same) + 1, done.event, done.branch, sha, done.conclusion, 1, actor,
        suite.id, workflow_id, stamp(), stamp(),
    )  # fmt: skip
    which.runs.append(run)
    return run


def _finish_job(state: State, which: Repository, run: WorkflowRun, result: JobResult) -> None:
    fields = {"name": result.name, "status": "completed", "conclusion": result.conclusion}
    check = CheckRun(
        state.new_id(), find_suite(which, run.suite_id), {**fields, "started_at": stamp(), "completed_at": stamp()}
    )
    which.checks.append(check)
    log = result.log.encode() if isinstance(result.log, str) else result.log
    job = Job(check.id, result.name, result.conclusion, log, run.attempt, check.id, _steps(result))
    run.jobs.append(job)
    emit(
        state, which, "workflow_job", run.actor, action="completed", workflow_job=show.job(state.links, which, run, job)
    )
    tell(state, which, check, run.actor, "completed")


def _steps(result: JobResult) -> list[Body]:
    last = len(result.steps)
    ended = {at: result.conclusion if at == last else "success" for at in range(1, last + 1)}
    times = {"started_at": stamp(), "completed_at": stamp()}
    return [
        {"name": name, "status": "completed", "conclusion": ended[at], "number": at, **times}
        for at, name in enumerate(result.steps, 1)
    ]


def _workflow(state: State, which: Repository, run: WorkflowRun) -> Body:
    url = state.links.repo(which.full_name, "actions/workflows", run.workflow_id)
    page = state.links.page(which.full_name, "blob", which.default_branch, run.path)
    badge = state.links.page(which.full_name, "workflows", run.name, "badge.svg")
    dates = {"created_at": which.created_at, "updated_at": which.created_at}
    named = {"id": run.workflow_id, "node_id": f"W_{run.workflow_id}", "name": run.name, "path": run.path}
    return {**named, "state": "active", **dates, "url": url, "html_url": page, "badge_url": badge}
