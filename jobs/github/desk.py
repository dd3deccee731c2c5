"""Control's dealings with GitHub: who may ask, which commit it is about, 👀 and 😕, answers and last words."""

from __future__ import annotations

import dataclasses
import logging
from functools import lru_cache

from jobs import gate, messages, policy
from jobs.errors import EnvironmentFault, UserError
from jobs.gate import Ceilings, Refused
from jobs.github.app import App
from jobs.github.client import GitHub
from jobs.github.issues import Reaction
from jobs.github.wire import Guard
from jobs.job import Job
from jobs.outcome import Level, Outcome
from jobs.policy import Policy
from jobs.publish.clean import Clean
from jobs.publish.receipt import Cost, Ended, Receipt, receipt
from jobs.publish.status import Ending, StatusComment
from jobs.runs import Run

# Enough to look and to speak; nothing here may change code.
_PERMISSIONS = {"contents": "read", "issues": "write", "pull_requests": "write"}
_CLIENTS = 200

logger = logging.getLogger(__name__)


class GitHubDesk:
    """The desk over GitHub's API. `guard` raises Fenced where this process may not write any more."""

    def __init__(self, app: App, ceilings: Ceilings, guard: Guard) -> None:
        self._app = app
        self._ceilings = ceilings
        self._guard = guard
        self._client = lru_cache(maxsize=_CLIENTS)(self._new_client)

    def permit(self, draft: Job) -> Refused | None:
        """Whether whoever asked may command here; the repository's own file on its default branch says who."""
        found = self._policy(draft)
        if isinstance(found, Refused):
            return found
        asked = dataclasses.replace(draft, options={})
        decided = gate.decide(asked, self._github(draft), found, self._ceilings)
        return decided if isinstance(decided, Refused) else None

    def admit(self, draft: Job) -> Job | Refused:
        """The draft bound to a commit, its options within the limits."""
        found = self._policy(draft)
        if isinstance(found, Refused):
            return found
        decided = gate.limits(draft.options, found, self._ceilings)
        return decided if isinstance(decided, Refused) else self._bound(draft, found)

    def acknowledge(self, draft: Job) -> None:
        """👀 on the comment, or on the issue where a label asked."""
        if draft.issue is not None:
            self._react(draft, "eyes")

    def refuse(self, draft: Job, refused: Refused) -> None:
        """😕, and the sentence if it is to be told."""
        if not refused.tell or draft.issue is None:
            return
        self._react(draft, "confused")
        self.answer(draft, refused.sentence)

    def answer(self, draft: Job, text: str) -> None:
        """A comment of `text`, which must be our own words only; found by its marker before it is made."""
        if draft.issue is None:
            return
        github, marker = self._github(draft), messages.marker(draft.run)
        if github.find_comment(draft.issue, marker) is None:
            github.comment(draft.issue, Clean(f"{text}\n\n{marker}"))

    def tell(self, run: Run) -> None:
        """The run's status comment, brought to its end, and 🎉 or 😕. Automatic jobs have none, and get none."""
        if run.job.issue is None or run.job.requester is None:
            return
        StatusComment(self._github(run.job), run.job.issue, run.id).end(Ending(_last_word(run)))
        happy = messages.conclusion(run.outcome or Outcome.ERROR) == "success"
        try:
            self._react(run.job, "hooray" if happy else "confused")
        except EnvironmentFault as refused:  # the word itself was said
            logger.warning("reaction refused", extra={"run": run.id, "cause": str(refused)})

    def _github(self, draft: Job) -> GitHub:
        return self._client(draft.repository_id, draft.repository, draft.installation_id)

    def _new_client(self, repository_id: int, full_name: str, installation_id: int) -> GitHub:
        return self._app.repository(repository_id, full_name, installation_id, _PERMISSIONS).fenced(self._guard)

    def _react(self, draft: Job, reaction: Reaction) -> None:
        github = self._github(draft)
        if draft.comment_id is not None:
            github.react(reaction, comment_id=draft.comment_id)
        else:
            github.react(reaction, issue=draft.issue)

    def _policy(self, draft: Job) -> Policy | Refused:
        text = self._github(draft).file(policy.PATH)
        try:
            return policy.default() if text is None else policy.parse(text)
        except UserError as wrong:
            return Refused(str(wrong), tell=draft.requester is not None)

    def _bound(self, draft: Job, found: Policy) -> Job | Refused:
        """Bound to the head that the pull request has now, or to the tip of the branch to start from."""
        github = self._github(draft)
        if draft.base_sha:
            return draft
        if draft.is_pull and draft.issue is not None:
            pull = github.pull(draft.issue)
            return dataclasses.replace(draft, base_ref=pull.head_ref, base_sha=pull.head_sha)
        branch = draft.options.get("base") or found.base or github.default_branch
        sha = github.branch_head(branch)
        if sha is None:
            return Refused(f"There is no commit on a branch called {branch} to start from.")
        return dataclasses.replace(draft, base_ref=branch, base_sha=sha)


def _last_word(run: Run) -> Receipt:
    """What a status comment shows of the run: from the result its worker recorded, else from the record's own sums."""
    result = run.result
    bare = receipt(Ended(run.id, run.outcome or Outcome.ERROR, run.reason, base=run.job.base_sha))
    cost, known = result.get("cost"), dataclasses.fields(Cost)
    return dataclasses.replace(
        bare,
        level=Level(result["level"]) if result.get("level") else None,
        cost=Cost(**{field.name: cost.get(field.name) for field in known}) if cost else _spent(run),
        rounds=result.get("rounds") or run.rounds or None,
        seconds={**bare.seconds, **_lasted(run), **(result.get("seconds") or {})},
        pr_url=result.get("pr_url"),
    )


def _lasted(run: Run) -> dict[str, float]:
    if run.started_ms is None or run.finished_ms is None:
        return {}
    return {"total": (run.finished_ms - run.started_ms) / 1000}


def _spent(run: Run) -> Cost | None:
    """None where no model was asked."""
    used = run.usage
    if not used.total_input and not run.usd:
        return None
    return Cost(
        usd=run.usd or None,  # tokens without dollars are those of a model without a price
        input_tokens=used.input,
        output_tokens=used.output,
        cache_read_tokens=used.cache_read,
        cache_write_tokens=used.cache_write,
        cache_hit_rate=None,
        budget_usd=None,
    )
