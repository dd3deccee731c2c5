"""Acts on pull requests: each changes the state and sends its event."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.local.hub import history
from app.local.hub.events import emit
from app.local.hub.history import Person
from app.local.hub.issues import next_number, set_state, tell
from app.local.hub.records import Account, Body, Issue, Pull, Repository, Review, ReviewComment
from app.local.hub.refusal import Refused, invalid
from app.local.hub.state import State, stamp
from app.local.hub.views import pulls as show

_CLOSES = re.compile(r"(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? +#(\d+)\b")
_REVIEW_STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}


@dataclass(frozen=True)
class Proposal:
    """What a new pull request says. `head` is a branch, or `owner:branch` for a fork's."""

    title: str
    head: str
    base: str
    body: str | None = None
    draft: bool = False
    maintainer_can_modify: bool = False


def open_pull(state: State, which: Repository, user: Account, new: Proposal) -> Issue:
    """A new pull request. Raises Refused 422 as GitHub does: no such branch, nothing new, or one is open."""
    source, branch = _head(state, which, new.head)
    head_sha, base_sha = history.head(source.git_dir, branch), history.head(which.git_dir, new.base)
    if head_sha is None or base_sha is None:
        raise invalid("PullRequest", "head" if head_sha is None else "base", "invalid")
    label = f"{source.owner.login}:{branch}"
    _refuse_second(which, source, branch, new.base, label)
    number, at = next_number(which), stamp()
    _bring(which, source, head_sha, number)
    if history.is_ancestor(which.git_dir, head_sha, base_sha):
        history.update_ref(which.git_dir, f"refs/pull/{number}/head", history.ZERO)
        raise _validation(f"No commits between {new.base} and {new.head}")
    pull = Pull(state.new_id(), source, branch, head_sha, new.base, base_sha, new.draft, new.maintainer_can_modify)
    one = Issue(state.new_id(), number, new.title, new.body, user, at, at, by_app=user is state.app.bot, pull=pull)
    which.issues[number] = one
    tell(state, which, one, user, "opened")
    return one


def _head(state: State, which: Repository, head: str) -> tuple[Repository, str]:
    owner, colon, branch = head.rpartition(":")
    if not colon or owner.lower() == which.owner.login.lower():
        return which, branch
    forks = (r for r in state.repositories.values() if r.parent is which and r.owner.login.lower() == owner.lower())
    found = next(forks, None)
    if found is None:
        raise invalid("PullRequest", "head", "invalid")
    return found, branch


def _refuse_second(which: Repository, source: Repository, branch: str, base: str, label: str) -> None:
    for one in which.issues.values():
        pull = one.pull
        if (
            pull
            and one.state == "open"
            and (pull.head_repository, pull.head_ref, pull.base_ref) == (source, branch, base)
        ):
            raise _validation(f"A pull request already exists for {label}.")


def _validation(message: str) -> Refused:
    error = {"resource": "PullRequest", "code": "custom", "message": message}
    return Refused(422, "Validation Failed", errors=[error])


def _bring(which: Repository, source: Repository, sha: str, number: int) -> None:
    ref = f"refs/pull/{number}/head"
    if source is which:
        history.update_ref(which.git_dir, ref, sha)
    else:
        history.borrow(source.git_dir, which.git_dir, sha, ref)


def edit(state: State, which: Repository, one: Issue, sender: Account, changes: Body) -> None:
    """Sets title, body, base and state as far as `changes` has them."""
    before = {
        name: {"from": getattr(one, name) or ""} for name in ("title", "body") if changes.get(name, one) is not one
    }
    for name in before:
        setattr(one, name, changes[name])
    if changes.get("base"):
        _retarget(which, one, changes["base"])
    one.updated_at = stamp()
    if before:
        tell(state, which, one, sender, "edited", changes=before)
    if changes.get("state", one.state) != one.state:
        if one.pull and one.pull.merged_at:
            raise invalid("PullRequest", "state", "invalid", "state cannot be changed. The pull request is merged.")
        set_state(state, which, one, sender, changes["state"])
        tell(state, which, one, sender, "closed" if one.state == "closed" else "reopened")


def _retarget(which: Repository, one: Issue, base: str) -> None:
    sha = history.head(which.git_dir, base)
    if sha is None:
        raise invalid("PullRequest", "base", "invalid")
    pull = show.part(one)
    pull.base_ref, pull.base_sha = base, sha


def synchronize(state: State, which: Repository, one: Issue, sha: str, sender: Account) -> None:
    """The head branch moved to `sha`."""
    pull = show.part(one)
    before, pull.head_sha = pull.head_sha, sha
    _bring(which, pull.head_repository, sha, one.number)
    one.updated_at = stamp()
    tell(state, which, one, sender, "synchronize", before=before, after=sha)


def merge_commit(which: Repository, one: Issue, sender: Account, options: Body) -> str:
    """The commit that merging makes (merge, squash, or rebase where that is a fast-forward); no ref moves.

    Raises Refused 405 or 409.
    """
    pull = show.part(one)
    if options.get("sha") not in (None, pull.head_sha):
        raise Refused(409, "Head branch was modified. Review and try the merge again.")
    base = history.head(which.git_dir, pull.base_ref)
    tree = history.merged_tree(which.git_dir, base, pull.head_sha) if base else None
    if one.state == "closed" or pull.draft or base is None or tree is None:
        raise Refused(405, "Pull Request is still a draft" if pull.draft else "Pull Request is not mergeable")
    pull.base_sha = base
    return _merged_commit(which, one, sender, base, tree, options)


def _merged_commit(which: Repository, one: Issue, sender: Account, base: str, tree: str, options: Body) -> str:
    pull, method = show.part(one), options.get("merge_method") or "merge"
    if method == "rebase":
        if not history.is_ancestor(which.git_dir, base, pull.head_sha):
            raise Refused(405, "This branch can't be rebased")
        return pull.head_sha
    label = f"{pull.head_repository.owner.login}/{pull.head_ref}"
    merged = method == "merge"
    subject = f"Merge pull request #{one.number} from {label}" if merged else f"{one.title} (#{one.number})"
    title = options.get("commit_title") or subject
    text = f"{title}\n\n{options.get('commit_message') or (one.title if merged else one.body or '')}".strip()
    parents = [base, pull.head_sha] if merged else [base]
    return history.write_commit(which.git_dir, tree, parents, text, Person(sender.login, sender.email, ""))


def mark_merged(state: State, which: Repository, one: Issue, sender: Account, sha: str) -> None:
    """Records that `sha` on the base branch holds the pull request; closes what it fixes."""
    pull = show.part(one)
    pull.merged_at, pull.merged_by, pull.merge_sha = stamp(), sender, sha
    set_state(state, which, one, sender, "closed")
    tell(state, which, one, sender, "closed")
    if pull.base_ref == which.default_branch:
        for number in {int(n) for n in _CLOSES.findall(one.body or "")}:
            fixed = which.issues.get(number)
            if fixed and fixed.state == "open" and fixed.pull is None:
                set_state(state, which, fixed, sender, "closed")


def review(state: State, which: Repository, one: Issue, user: Account, fields: Body) -> Review:
    """A review, with its line comments in one go. Raises Refused 422."""
    pull, event = show.part(one), fields.get("event") or "PENDING"
    if event != "PENDING" and event not in _REVIEW_STATES:
        raise Refused(422, "Unprocessable Entity", errors=[f"Variable $event of type PullRequestReviewEvent: {event}"])
    new = Review(
        state.new_id(), user, fields.get("body") or "", _REVIEW_STATES.get(event, event),
        fields.get("commit_id") or pull.head_sha, stamp(),
    )  # fmt: skip
    made = [
        line_comment(state, which, one, user, {**c, "commit_id": new.commit_id}) for c in fields.get("comments") or ()
    ]
    for comment in made:
        comment.review_id = new.id
    pull.reviews.append(new)
    pull.comments.extend(made)
    shown, simple = show.review(state.links, which, one, new), show.simple(state, state.links, which, one)
    emit(state, which, "pull_request_review", user, action="submitted", review=shown, pull_request=simple)
    for comment in made:
        tell_line_comment(state, which, one, comment)
    return new


def line_comment(state: State, which: Repository, one: Issue, user: Account, fields: Body) -> ReviewComment:
    """A comment on a line of the diff, not yet added. Raises Refused 422 for a line outside it."""
    hunk, position = _anchor(which, one, fields)
    start = {name: fields.get(name) for name in ("start_line", "start_side")}
    place = {"position": position, "original_position": position, **start, "original_start_line": start["start_line"]}
    if fields.get("line") is not None:
        line = fields["line"]
        place |= {"line": line, "original_line": line, "side": fields.get("side") or "RIGHT"}
    place["subject_type"] = fields.get("subject_type") or "line"
    at = stamp()
    return ReviewComment(
        state.new_id(), user, fields["body"], fields["path"], fields["commit_id"], at, at, hunk, place,
        in_reply_to=fields.get("in_reply_to"),
    )  # fmt: skip


def _anchor(which: Repository, one: Issue, fields: Body) -> tuple[str, int]:
    """The hunk down to the commented line, and how far below the first `@@` that is."""
    diff = next((d for d in show.files(which, one) if d.change.path == fields["path"]), None)
    if diff is None:
        raise _outside("pull_request_review_thread.path")
    rows, line, left = list(diff.lines()), fields.get("line"), fields.get("side") == "LEFT"
    if line is None:
        return rows[0].text, fields.get("position") or 1
    for at, row in enumerate(rows):
        if line == (row.old if left else row.new):
            start = max(i for i in range(at) if rows[i].text.startswith("@@"))
            return "\n".join(each.text for each in rows[start : at + 1]), at
    raise _outside("pull_request_review_thread.line")


def _outside(field: str) -> Refused:
    error = {"resource": "PullRequestReviewComment", "code": "custom", "field": field,
             "message": f"{field} must be part of the diff"}  # fmt: skip
    return Refused(422, "Validation Failed", errors=[error])


def tell_line_comment(state: State, which: Repository, one: Issue, comment: ReviewComment) -> None:
    """Sends a `pull_request_review_comment` event."""
    shown, simple = (
        show.review_comment(state.links, which, one, comment),
        show.simple(state, state.links, which, one),
    )
    emit(
        state, which, "pull_request_review_comment", comment.user, action="created", comment=shown, pull_request=simple
    )
