"""Pull requests, reviews and review comments as REST shows them. Reads the repository's objects."""

from __future__ import annotations

from app.local.hub import history
from app.local.hub.history import FileDiff
from app.local.hub.links import Links
from app.local.hub.records import Body, Issue, Pull, Repository, Review, ReviewComment
from app.local.hub.state import State, node_id
from app.local.hub.views import accounts, issues, repositories

_LINKS = {"comments": "comments_url", "commits": "commits_url", "statuses": "statuses_url", "html": "html_url",
          "issue": "issue_url", "review_comments": "review_comments_url", "review_comment": "review_comment_url",
          "self": "url"}  # fmt: skip


def simple(state: State, links: Links, which: Repository, one: Issue) -> Body:
    """pull-request-simple: what lists show."""
    pull = part(one)
    where = _addresses(links, which, one, pull)
    shared = issues.issue(state, links, which, one)
    kept = ("number", "title", "user", "body", "labels", "milestone", "assignee", "assignees", "state", "locked",
            "active_lock_reason", "created_at", "updated_at", "closed_at", "author_association")  # fmt: skip
    return {
        **where,
        **{name: shared[name] for name in kept},
        "id": pull.id,
        "node_id": node_id("PR", pull.id),
        "merged_at": pull.merged_at,
        "merge_commit_sha": pull.merge_sha,
        "requested_reviewers": [accounts.account(links, who) for who in pull.reviewers],
        "requested_teams": [],
        "head": _side(links, pull.head_repository, pull.head_ref, pull.head_sha),
        "base": _side(links, which, pull.base_ref, pull.base_sha),
        "_links": {name: {"href": where[field]} for name, field in _LINKS.items()},
        "auto_merge": None,
        "draft": pull.draft,
    }


def full(state: State, links: Links, which: Repository, one: Issue) -> Body:
    """pull-request: one, asked for by number."""
    pull, changed = part(one), files(which, one)
    mergeable = None if one.state == "closed" else _mergeable(which, pull)
    return {
        **simple(state, links, which, one),
        "merged": pull.merged_at is not None,
        "mergeable": mergeable,
        "rebaseable": mergeable,
        "mergeable_state": {True: "draft" if pull.draft else "clean", False: "dirty", None: "unknown"}[mergeable],
        "merged_by": accounts.maybe(links, pull.merged_by),
        "comments": len(one.comments),
        "review_comments": len(pull.comments),
        "maintainer_can_modify": pull.maintainer_can_modify,
        "commits": history.count(which.git_dir, f"{base_of(which, pull)}..{pull.head_sha}"),
        "additions": sum(d.change.added or 0 for d in changed),
        "deletions": sum(d.change.removed or 0 for d in changed),
        "changed_files": len(changed),
    }


def minimal(links: Links, which: Repository, one: Issue) -> Body:
    """pull-request-minimal: what checks and workflow runs carry."""
    pull = part(one)

    def side(repository: Repository, ref: str, sha: str) -> Body:
        repo = {"id": repository.id, "url": links.repo(repository.full_name), "name": repository.name}
        return {"ref": ref, "sha": sha, "repo": repo}

    return {
        "url": links.repo(which.full_name, "pulls", one.number),
        "id": pull.id,
        "number": one.number,
        "head": side(pull.head_repository, pull.head_ref, pull.head_sha),
        "base": side(which, pull.base_ref, pull.base_sha),
    }


def part(one: Issue) -> Pull:
    """The pull request in an issue that is one."""
    assert one.pull is not None
    return one.pull


def base_of(which: Repository, pull: Pull) -> str:
    """The commit that the pull request's diff starts from."""
    return history.merge_base(which.git_dir, pull.base_sha, pull.head_sha) or pull.base_sha


def files(which: Repository, one: Issue) -> tuple[FileDiff, ...]:
    """What the pull request changes."""
    pull = part(one)
    return history.changes(which.git_dir, base_of(which, pull), pull.head_sha)


def _mergeable(which: Repository, pull: Pull) -> bool:
    return history.merged_tree(which.git_dir, pull.base_sha, pull.head_sha) is not None


def _addresses(links: Links, which: Repository, one: Issue, pull: Pull) -> Body:
    url, page = links.repo(which.full_name, "pulls", one.number), links.page(which.full_name, "pull", one.number)
    issue_url = links.repo(which.full_name, "issues", one.number)
    return {
        "url": url,
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": issue_url,
        "commits_url": f"{url}/commits",
        "review_comments_url": f"{url}/comments",
        "review_comment_url": links.repo(which.full_name, "pulls/comments{/number}"),
        "comments_url": f"{issue_url}/comments",
        "statuses_url": links.repo(which.full_name, "statuses", pull.head_sha),
    }


def _side(links: Links, repository: Repository, ref: str, sha: str) -> Body:
    return {
        "label": f"{repository.owner.login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": accounts.account(links, repository.owner),
        "repo": repositories.repository(links, repository),
    }


def review(links: Links, which: Repository, one: Issue, what: Review) -> Body:
    """pull-request-review."""
    url = links.repo(which.full_name, "pulls", one.number)
    page = f"{links.page(which.full_name, 'pull', one.number)}#pullrequestreview-{what.id}"
    return {
        "id": what.id,
        "node_id": node_id("PRR", what.id),
        "user": accounts.account(links, what.user),
        "body": what.body,
        "state": what.state,
        "html_url": page,
        "pull_request_url": url,
        "author_association": issues.association(which, what.user),
        "_links": {"html": {"href": page}, "pull_request": {"href": url}},
        "submitted_at": what.submitted_at,
        "commit_id": what.commit_id,
    }


def review_comment(links: Links, which: Repository, one: Issue, what: ReviewComment) -> Body:
    """pull-request-review-comment."""
    pull_url, url = (links.repo(which.full_name, "pulls", tail) for tail in (one.number, f"comments/{what.id}"))
    page = f"{links.page(which.full_name, 'pull', one.number)}#discussion_r{what.id}"
    body = {
        "url": url,
        "pull_request_review_id": what.review_id,
        "id": what.id,
        "node_id": node_id("PRRC", what.id),
        "diff_hunk": what.diff_hunk,
        "path": what.path,
        "commit_id": what.commit_id,
        "original_commit_id": what.commit_id,
        "user": accounts.account(links, what.user),
        "body": what.body,
        "created_at": what.created_at,
        "updated_at": what.updated_at,
        "html_url": page,
        "pull_request_url": pull_url,
        "author_association": issues.association(which, what.user),
        "_links": {"self": {"href": url}, "html": {"href": page}, "pull_request": {"href": pull_url}},
        "reactions": issues.rollup(url, ()),
        **what.place,
    }
    return body if what.in_reply_to is None else {**body, "in_reply_to_id": what.in_reply_to}
