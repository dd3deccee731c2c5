"""A ref that moves: what the hub refuses, and what follows from a move."""

from __future__ import annotations

from app.local.hub import history, pulls
from app.local.hub.checks import suite_for
from app.local.hub.events import emit
from app.local.hub.history import ZERO
from app.local.hub.records import Account, Body, Issue, Repository
from app.local.hub.state import State, stamp
from app.local.hub.views import checks as show_checks
from app.local.hub.views import commits as show_commits

WORKFLOWS = ".github/workflows/"
PROTECTED = "protected branch hook declined"
_REFUSE_PUSHES = {"update", "pull_request", "required_status_checks", "required_signatures"}
_TOLD = 20  # commits in a push payload at most
_BRANCHES = "refs/heads/"


def refusal(which: Repository, ref: str, old: str, new: str, *, workflows: bool) -> str | None:
    """Why a push of `ref` from `old` to `new` is refused, in GitHub's words, or None."""
    branch = ref.removeprefix(_BRANCHES)
    if not ref.startswith(("refs/heads/", "refs/tags/")):
        return "deny updating a hidden ref" if ref.startswith("refs/pull/") else "funny refname"
    if ref.startswith(_BRANCHES) and _ruled_out(which, branch, old, new):
        return PROTECTED
    if new == ZERO:
        return "refusing to delete the current branch: " + ref if branch == which.default_branch else None
    touched = None if workflows else workflow_touched(which, old, new)
    if touched is None:
        return None
    return f"refusing to allow a GitHub App to create or update workflow `{touched}` without `workflows` permission"


def _ruled_out(which: Repository, branch: str, old: str, new: str) -> bool:
    types = {rule["type"] for rule in which.rules.get(branch, ())}
    if new == ZERO:
        return bool(types)
    if types & _REFUSE_PUSHES:
        return True
    return "non_fast_forward" in types and old != ZERO and not history.is_ancestor(which.git_dir, old, new)


def workflow_touched(which: Repository, old: str, new: str) -> str | None:
    """The first workflow file that the new commits change, or None."""
    base = old if old != ZERO else history.head(which.git_dir, which.default_branch)
    known = history.merge_base(which.git_dir, base, new) if base else None
    start = known or history.empty_tree(which.git_dir)
    changed = (d.change for d in history.changes(which.git_dir, start, new))
    return next((c.path for c in changed if c.path.startswith(WORKFLOWS)), None)


def moved(state: State, which: Repository, ref: str, old: str, new: str, sender: Account) -> None:
    """Everything that follows from `ref` having moved: events, pull requests, a check suite."""
    which.pushed_at = stamp()
    kind, _, name = ref.removeprefix("refs/").partition("/")
    described = {"ref": name, "ref_type": "branch" if kind == "heads" else "tag", "pusher_type": "user"}
    if old == ZERO:
        master = {"master_branch": which.default_branch, "description": None}
        emit(state, which, "create", sender, **described, **master)
    if new == ZERO:
        emit(state, which, "delete", sender, **described)
    emit(state, which, "push", sender, **_push(state, which, ref, old, new, sender))
    if kind == "heads":
        _follow(state, which, name, new, sender)


def _follow(state: State, which: Repository, branch: str, new: str, sender: Account) -> None:
    for home in state.repositories.values():
        for one in list(home.issues.values()):
            if one.pull and one.state == "open":
                _follow_pull(state, home, which, one, (branch, new), sender)
    if new != ZERO and state.installation_of(which) and state.app.permissions.get("checks") == "write":
        suite = suite_for(state, which, state.app, new, branch)
        shown = show_checks.suite(state.links, which, suite)
        emit(state, which, "check_suite", sender, action="requested", check_suite=shown)


def _follow_pull(
    state: State, home: Repository, which: Repository, one: Issue, move: tuple[str, str], sender: Account
) -> None:
    pull, (branch, new) = one.pull, move
    assert pull is not None
    if (pull.head_repository, pull.head_ref) == (which, branch) and pull.head_sha != new:
        if new == ZERO:
            pulls.edit(state, home, one, sender, {"state": "closed"})
        else:
            pulls.synchronize(state, home, one, new, sender)
    if (home, pull.base_ref) == (which, branch) and new != ZERO:
        if history.is_ancestor(home.git_dir, pull.head_sha, new):
            pulls.mark_merged(state, home, one, sender, new)
        else:
            pull.base_sha = new


def _push(state: State, which: Repository, ref: str, old: str, new: str, sender: Account) -> Body:
    commits = [] if new == ZERO else history.log(which.git_dir, _range(which, old, new), limit=_TOLD)
    shown = [_told(state, which, c.sha) for c in reversed(commits)]
    forced = ZERO not in (old, new) and not history.is_ancestor(which.git_dir, old, new)
    return {
        "ref": ref,
        "before": old,
        "after": new,
        "base_ref": None,
        "created": old == ZERO,
        "deleted": new == ZERO,
        "forced": forced,
        "compare": state.links.page(which.full_name, "compare", f"{old[:12]}...{new[:12]}"),
        "commits": shown,
        "head_commit": None if new == ZERO else _told(state, which, new),
        "pusher": {"name": sender.login, "email": sender.email},
    }


def _range(which: Repository, old: str, new: str) -> str:
    base = old if old != ZERO else history.head(which.git_dir, which.default_branch)
    return new if base is None or base == new else f"{base}..{new}"


def _told(state: State, which: Repository, sha: str) -> Body:
    one = history.commit(which.git_dir, sha)
    start = one.parents[0] if one.parents else history.empty_tree(which.git_dir)
    changed = [d.change for d in history.changes(which.git_dir, start, sha)]
    lists = {"added": "A", "removed": "D", "modified": "MT"}
    files = {name: [c.path for c in changed if c.status in letters] for name, letters in lists.items()}
    author = show_commits.account_of(state, one.author.email)
    body = show_commits.simple_commit(one)
    if author is not None:
        body["author"]["username"] = author.login
    return {**body, "distinct": True, "url": state.links.page(which.full_name, "commit", sha), **files}


def land(state: State, which: Repository, one: Issue, sender: Account, options: Body) -> str:
    """Merges a pull request; the new tip of its base branch. Raises Refused 405 or 409."""
    sha, pull = pulls.merge_commit(which, one, sender, options), one.pull
    assert pull is not None
    ref, before = f"refs/heads/{pull.base_ref}", pull.base_sha
    history.update_ref(which.git_dir, ref, sha, before)
    pulls.mark_merged(state, which, one, sender, sha)
    moved(state, which, ref, before, sha, sender)
    return sha
