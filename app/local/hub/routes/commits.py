"""REST: commits, comparisons, statuses and the checks of a commit."""

from __future__ import annotations

from app.local.hub import history
from app.local.hub.calls import Call, Reply, Route, choice, number, page
from app.local.hub.records import Body, CheckRun, Status
from app.local.hub.refusal import Refused, not_found
from app.local.hub.state import stamp
from app.local.hub.views import checks, commits

_STATES = ("error", "failure", "pending", "success")
_LISTED = 1000


def _resolve(call: Call, name: str) -> str:
    sha = history.resolve(call.repository.git_dir, name)
    if sha is None:
        raise Refused(422, f"No commit found for SHA: {name}")
    return sha


def list_commits(call: Call) -> Reply:
    """From `sha` (or the default branch) backwards, of `path` where given."""
    which, path = call.repository, call.query.get("path")
    tip = history.resolve(which.git_dir, choice(call, "sha", which.default_branch))
    if tip is None:
        raise not_found()
    every = history.log(which.git_dir, tip, limit=_LISTED, path=path)
    return page(call, every, view=lambda c: commits.summary(call.state, call.links, which, c))


def get(call: Call) -> Reply:
    """One commit with its files; as diff or id when the Accept header says so."""
    which, sha = call.repository, _resolve(call, call.path["ref"])
    accept = call.headers.get("accept", "")
    if "sha" in accept.partition("vnd.github")[2]:
        return Reply(200, raw=sha.encode(), headers={"Content-Type": "application/vnd.github.sha; charset=utf-8"})
    one = history.commit(which.git_dir, sha)
    if ".diff" in accept:
        base = one.parents[0] if one.parents else history.empty_tree(which.git_dir)
        return as_diff(history.diff(which.git_dir, base, sha))
    return Reply(200, commits.commit(call.state, call.links, which, one))


def as_diff(data: bytes) -> Reply:
    """A unified diff."""
    return Reply(200, raw=data, headers={"Content-Type": "application/vnd.github.diff; charset=utf-8"})


def compare(call: Call) -> Reply:
    """`base...head`: what head has since they parted."""
    which = call.repository
    names = call.path["basehead"].partition("...")
    base, tip = (history.resolve(which.git_dir, name) for name in (names[0], names[2]))
    common = history.merge_base(which.git_dir, base, tip) if base and tip else None
    if base is None or tip is None or common is None:
        raise not_found()
    if ".diff" in call.headers.get("accept", ""):
        return as_diff(history.diff(which.git_dir, common, tip))
    return Reply(200, _comparison(call, base, tip, common))


def _comparison(call: Call, base: str, tip: str, common: str) -> Body:
    which, links = call.repository, call.links
    ahead, behind = (history.count(which.git_dir, f"{a}..{b}") for a, b in ((base, tip), (tip, base)))
    word = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind"}
    page_url = links.page(which.full_name, "compare", f"{base}...{tip}")
    listed = reversed(history.log(which.git_dir, f"{base}..{tip}"))
    return {
        "url": links.repo(which.full_name, "compare", f"{base}...{tip}"),
        "html_url": page_url,
        "permalink_url": page_url,
        "diff_url": f"{page_url}.diff",
        "patch_url": f"{page_url}.patch",
        "base_commit": commits.summary(call.state, links, which, history.commit(which.git_dir, base)),
        "merge_base_commit": commits.summary(call.state, links, which, history.commit(which.git_dir, common)),
        "status": word.get((ahead > 0, behind > 0), "identical"),
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": [commits.summary(call.state, links, which, c) for c in listed],
        "files": [commits.diff_entry(links, which, d, tip) for d in history.changes(which.git_dir, common, tip)],
    }


def combined_status(call: Call) -> Reply:
    """The newest status of each context."""
    return Reply(200, commits.combined_status(call.links, call.repository, _resolve(call, call.path["ref"])))


def create_status(call: Call) -> Reply:
    """A commit status of the older kind."""
    which, state, fields = call.repository, call.text("state"), call.fields
    sha = _resolve(call, call.path["sha"])
    if state not in _STATES:
        raise Refused(422, "Validation Failed", errors=[{"resource": "Status", "field": "state", "code": "custom"}])
    new = Status(
        call.state.new_id(), sha, state, fields.get("context") or "default", fields.get("description"),
        fields.get("target_url"), call.account, stamp(),
    )  # fmt: skip
    which.statuses.append(new)
    return Reply(201, commits.status(call.links, which, new))


def list_check_runs(call: Call) -> Reply:
    """The check runs of a commit, of all Apps; the newest of each name unless `filter=all`."""
    which, sha = call.repository, _resolve(call, call.path["ref"])
    return page_of_runs(call, [c for c in which.checks if c.suite.head_sha == sha])


def page_of_runs(call: Call, runs: list[CheckRun]) -> Reply:
    """Check runs, filtered as the query asks."""
    name, status, app_id = call.query.get("check_name"), call.query.get("status"), number(call, "app_id", 0)
    if choice(call, "filter", "latest") == "latest":
        runs = list({(c.suite.app.id, c.fields["name"]): c for c in runs}.values())
    kept = [
        c
        for c in runs
        if name in (None, c.fields["name"]) and status in (None, c.fields["status"]) and app_id in (0, c.suite.app.id)
    ]
    return page(call, kept, wrap="check_runs", view=lambda c: checks.run(call.links, call.repository, c))


def list_suites(call: Call) -> Reply:
    """The check suites of a commit."""
    which, sha, app_id = call.repository, _resolve(call, call.path["ref"]), number(call, "app_id", 0)
    kept = [s for s in which.suites if s.head_sha == sha and app_id in (0, s.app.id)]
    return page(call, kept, wrap="check_suites", view=lambda s: checks.suite(call.links, which, s))


_REPO = "/repos/{owner}/{repo}"
_COMMIT = f"{_REPO}/commits/{{ref:path}}"
ROUTES = (
    Route("GET", f"{_REPO}/commits", "contents=read", list_commits),
    Route("GET", f"{_COMMIT}/status", "statuses=read", combined_status),
    Route("GET", f"{_COMMIT}/check-runs", "checks=read", list_check_runs),
    Route("GET", f"{_COMMIT}/check-suites", "checks=read", list_suites),
    Route("GET", _COMMIT, "contents=read", get),
    Route("GET", f"{_REPO}/compare/{{basehead:path}}", "contents=read", compare),
    Route("POST", f"{_REPO}/statuses/{{sha}}", "statuses=write", create_status),
)
