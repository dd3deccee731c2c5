"""Publishing on GitHub: one push, one pull request, found before they are made."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jobs import messages
from jobs.errors import EnvironmentFault, Retry, Stopped
from jobs.github.client import GitHub
from jobs.github.values import Pull
from jobs.github.wire import Guard
from jobs.outcome import Outcome
from jobs.publish import branch, pull_request
from jobs.publish.clean import Clean, Cleaner
from jobs.publish.publisher import Proposal, Published
from jobs.repo.git import Remote

logger = logging.getLogger(__name__)

_PUSH = {"contents": "write"}
_MOST_NAMES = 20
_NO_DRAFTS_LABEL = "draft"


@dataclass(frozen=True)
class _Place:
    """A branch name that may be used, and the commit it has now (None: it does not exist)."""

    branch: str
    expected: str | None


class GitHubPublisher:
    """Publishes into one repository. `server_url` is GitHub's address for git and people. `guard` is called right
    before every write, the push included, and raises Fenced when the run is no longer ours, and nothing else: what is
    half published can't be stopped any more."""

    def __init__(
        self,
        github: GitHub,
        server_url: str,
        *,
        guard: Guard,
        redact: Callable[[str], str] | None = None,
    ) -> None:
        self._github = github.fenced(guard)
        self._guard = guard
        self._url = f"{server_url.rstrip('/')}/{github.full_name}.git"
        self._cleaner = Cleaner(redact, server_url) if redact else Cleaner(server_url=server_url)

    def publish(self, proposal: Proposal) -> Published:
        """One push to agent/… and one pull request.

        Raises Stopped (blocked, stale), Fenced, EnvironmentFault or Retry.
        """
        _refuse_workflows(proposal.paths)
        if proposal.branch in (self._github.default_branch, proposal.base_branch):
            raise Stopped(Outcome.BLOCKED, f"Patchwright never pushes to {proposal.branch}.")
        for place in self._places(proposal):
            if (done := self._ended(proposal, place.branch)) is not None:
                return done
            self._push(proposal, place)
            return self._propose(proposal, place.branch)
        raise Stopped(Outcome.BLOCKED, f"Every name like {proposal.branch} is taken by other people's branches.")

    def _places(self, proposal: Proposal) -> Iterator[_Place]:
        """Names whose branch is missing, or was last committed to by us: a person's commits are never replaced."""
        present = self._github.branches(proposal.branch)
        ours = branch.committer(proposal.git_dir, proposal.commit)
        for name in _names(proposal.branch):
            tip = present.get(name)
            if tip is None or tip == proposal.commit or self._github.committer(tip) == ours:
                yield _Place(name, tip)

    def _ended(self, proposal: Proposal, name: str) -> Published | None:
        """What an earlier attempt of this very run published, if people have closed or merged it since."""
        mark = messages.marker(proposal.run)
        found = self._github.pulls_by_head(name, "closed")
        pull = next((p for p in found if mark in p.body and self._github.is_ours(p.author)), None)
        return _published(pull) if pull else None

    def _push(self, proposal: Proposal, place: _Place) -> None:
        standing = self._github.branch(place.branch) if place.expected else None
        if standing is not None and standing.protected:
            raise Stopped(Outcome.BLOCKED, f"{place.branch} is protected: Patchwright does not push to it.")
        github = self._github
        with github.tokens.borrowed(github.installation_id, github.repository_id, _PUSH) as token:
            remote = Remote(self._url, token.value)
            branch.push(
                proposal.git_dir, remote, proposal.commit, place.branch, expected=place.expected, guard=self._guard
            )

    def _propose(self, proposal: Proposal, name: str) -> Published:
        title = Clean(self._cleaner.redact(pull_request.title(proposal.task, proposal.summary)))
        body = pull_request.body(
            proposal.receipt,
            proposal.task,
            summary=proposal.summary,
            closes=proposal.base_branch == self._github.default_branch,
            cleaner=self._cleaner,
        )
        standing = next((p for p in self._github.pulls_by_head(name) if p.base_ref == proposal.base_branch), None)
        if standing is None:
            pull = self._github.create_pull(
                head=name, base=proposal.base_branch, title=title, body=body, draft=proposal.draft
            )
        else:
            pull = standing if standing.body.strip() == body.strip() else self._update(standing, title, body)
        self._dress(proposal, pull)
        return _published(pull)

    def _update(self, pull: Pull, title: Clean, body: Clean) -> Pull:
        return self._github.update_pull(pull.number, title=title, body=body)

    def _dress(self, proposal: Proposal, pull: Pull) -> None:
        """Labels and reviewers: pleasant, never worth losing the pull request for."""
        wanted = (*proposal.labels, *((_NO_DRAFTS_LABEL,) if proposal.draft and not pull.draft else ()))
        reviewers = tuple(proposal.requester or "" if r == "requester" else r for r in proposal.reviewers)
        try:
            self._github.add_labels(pull.number, tuple(label for label in wanted if label not in pull.labels))
            if any(reviewers):
                self._github.request_reviewers(pull.number, tuple(r for r in reviewers if r))
        except (Retry, EnvironmentFault) as refused:
            logger.warning("labels or reviewers not set", extra={"pull": pull.number, "why": str(refused)})


def _refuse_workflows(paths: tuple[str, ...]) -> None:
    touched = [path for path in paths if path.casefold().startswith(".github/workflows/")]
    if touched:
        raise Stopped(
            Outcome.BLOCKED, f"The change touches workflow files, which Patchwright never pushes: {touched[0]}"
        )


def _names(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{n}" for n in itertools.islice(itertools.count(2), _MOST_NAMES))


def _published(pull: Pull) -> Published:
    return Published(pull.head_ref, pull.head_sha, pull.url, pull.number, pull.draft)
