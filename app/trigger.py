"""Decides whether an event asks for anything, and says what it means. Pure."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.command import VERBS, Command, parse_command
from app.events import (
    CheckRun,
    CheckSuite,
    Event,
    Ignored,
    IssueComment,
    Issues,
    PullRequest,
    User,
    WorkflowRun,
)
from jobs.job import Job

_RED = ("failure", "timed_out")
_OWN_BRANCHES = "agent/"  # their checks are followed by the run that pushed them


@dataclass(frozen=True)
class Trigger:
    """One thing that was asked for. `kind`: command (by comment or label), hint (a command edited into a comment),
    button (on a check run), red (a suite failed), pull (a pull request opened or moved).

    `meaning` is equal for two deliveries exactly if they ask for the same thing. `problem` is a sentence for the
    person where the command can't be taken as written. `source` is the check run, suite or workflow run.
    """

    kind: str
    meaning: str
    repository_id: int
    repository: str
    installation_id: int
    verb: str = ""
    options: dict[str, str] = field(default_factory=dict)
    text: str = ""
    problem: str = ""
    issue: int | None = None
    is_pull: bool = False
    comment_id: int | None = None
    comment_updated_at: str | None = None
    requester: str | None = None
    requester_id: int | None = None
    head_sha: str = ""
    head_branch: str = ""
    source: int | None = None
    external_id: str = ""

    def to_json(self) -> str:
        """JSON text, plain ASCII."""
        return json.dumps(vars(self), sort_keys=True)  # flat: no deep copy needed

    @classmethod
    def from_json(cls, text: str) -> Trigger:
        """The trigger back from `to_json`."""
        return cls(**json.loads(text))

    def draft(self, run: str, of: Job | None = None) -> Job:
        """The job that this asks for, as far as the delivery says it. `of`: the job that a button belongs to."""
        return Job(
            run=run,
            kind=self.verb,
            repository_id=self.repository_id,
            repository=self.repository,
            installation_id=self.installation_id,
            issue=of.issue if of else self.issue,
            is_pull=of.is_pull if of else self.is_pull,
            comment_id=self.comment_id,
            comment_updated_at=self.comment_updated_at,
            requester=self.requester,
            text=self.text,
            options=self.options,
            base_ref=self.head_branch if self.kind in ("red", "pull") else "",
            base_sha=self.head_sha if self.kind in ("red", "pull") else "",
            queue="now" if self.requester else "ci",
        )


def decide(event: Event, *, prefix: str = "/agent") -> Trigger | Ignored:
    """What `event` asks for, or why nothing follows from it."""
    if event.repository is None or event.installation is None:
        return Ignored("it does not come from an installation of the App on a repository")
    if event.repository.archived:
        return Ignored("the repository is archived")
    rule = _RULES.get(type(event))
    return rule(event, prefix) if rule is not None else Ignored("nothing follows from this event")


def _comment(event: IssueComment, prefix: str) -> Trigger | Ignored:
    if event.action not in ("created", "edited"):
        return Ignored(f"the comment was {event.action}")
    command = parse_command(event.comment.body or "", prefix=prefix)
    if command is None:
        return Ignored("the comment gives no command")
    person = _person(event.sender, event.comment.user)
    if isinstance(person, Ignored):
        return person
    said = f"{event.comment.id}:{event.comment.updated_at}"
    if event.action == "created":
        return _asked(event, command, person, f"comment:{said}")
    before = event.changes.body.was if event.changes and event.changes.body else None
    if parse_command(before or "", prefix=prefix) is not None:
        return Ignored("the comment gave a command before it was edited, and edits start nothing")
    return dataclasses.replace(_asked(event, command, person, f"hint:{event.comment.id}"), kind="hint")


def _asked(event: IssueComment, command: Command, person: User, meaning: str) -> Trigger:
    return dataclasses.replace(
        _about(event, "command", meaning),
        verb=command.verb,
        options=command.options,
        text=command.text,
        problem=command.problem,
        issue=event.issue.number,
        is_pull=event.issue.pull_request is not None,
        comment_id=event.comment.id,
        comment_updated_at=event.comment.updated_at,
        requester=person.login,
        requester_id=person.id,
    )


def _label(event: Issues) -> Trigger | Ignored:
    prefix, _, verb = (event.label.name if event.label else "").partition(":")
    if event.action != "labeled" or prefix != "agent" or verb not in VERBS:
        return Ignored("no label of ours was added")
    person = _person(event.sender)
    if isinstance(person, Ignored):
        return person
    return dataclasses.replace(
        _about(event, "command", f"label:{event.repository_id}:{event.issue.number}:{verb}:{event.issue.updated_at}"),
        verb=verb,
        issue=event.issue.number,
        is_pull=event.issue.pull_request is not None,
        requester=person.login,
        requester_id=person.id,
    )


def _button(event: CheckRun) -> Trigger | Ignored:
    check = event.check_run
    if event.action == "requested_action" and event.requested_action is not None:
        verb = event.requested_action.identifier
    elif event.action == "rerequested":
        verb = "retry"
    else:
        return Ignored(f"the check run was {event.action}")
    if not (check.external_id or "").startswith("r-"):
        return Ignored("the check run is not one of our runs")
    person = _person(event.sender)
    if isinstance(person, Ignored):
        return person
    return dataclasses.replace(
        _about(event, "button", f"button:{check.id}:{verb}:{person.id}:{check.started_at}"),
        verb=verb,
        requester=person.login,
        requester_id=person.id,
        head_sha=check.head_sha,
        source=check.id,
        external_id=check.external_id or "",
    )


def _suite(event: CheckSuite) -> Trigger | Ignored:
    suite = event.check_suite
    if event.action != "completed" or suite.conclusion not in _RED:
        return Ignored("no suite turned red")
    if suite.app is not None and suite.app.slug == "github-actions":
        return Ignored("its workflow run says the same and more")
    numbers = tuple(p.number for p in suite.pull_requests)
    return _red(event, f"suite:{suite.id}:{suite.head_sha}", suite.id, (suite.head_sha, suite.head_branch), numbers)


def _workflow(event: WorkflowRun) -> Trigger | Ignored:
    run = event.workflow_run
    if event.action != "completed" or run.conclusion not in _RED:
        return Ignored("no workflow run turned red")
    if run.head_repository is None or run.head_repository.id != event.repository_id:
        return Ignored("the workflow ran on a fork's commit")
    numbers = tuple(p.number for p in run.pull_requests)
    meaning = f"workflow:{run.id}:{run.run_attempt}:{run.head_sha}"
    return _red(event, meaning, run.id, (run.head_sha, run.head_branch), numbers)


def _red(
    event: Event, meaning: str, source: int, head: tuple[str, str | None], pulls: tuple[int, ...]
) -> Trigger | Ignored:
    sha, branch = head
    if (branch or "").startswith(_OWN_BRANCHES):
        return Ignored("the branch is ours")
    return dataclasses.replace(
        _about(event, "red", meaning),
        verb="ci",
        issue=pulls[0] if len(pulls) == 1 else None,
        is_pull=len(pulls) == 1,
        head_sha=sha,
        head_branch=branch or "",
        source=source,
    )


def _pull(event: PullRequest) -> Trigger | Ignored:
    pull = event.pull_request
    if event.action not in ("opened", "synchronize", "reopened", "ready_for_review"):
        return Ignored(f"the pull request was {event.action}")
    if pull.head.ref.startswith(_OWN_BRANCHES) and pull.head.repo and pull.head.repo.id == event.repository_id:
        return Ignored("the branch is ours")
    author = pull.user or event.sender
    return dataclasses.replace(
        _about(event, "pull", f"pull:{event.repository_id}:{pull.number}:{pull.head.sha}"),
        verb="verify",
        issue=pull.number,
        is_pull=True,
        requester_id=author.id if author else None,
        head_sha=pull.head.sha,
        head_branch=pull.head.ref,
    )


def _about(event: Event, kind: str, meaning: str) -> Trigger:
    repository, installation = event.repository, event.installation
    if repository is None or installation is None:
        raise ValueError("decide() refuses events without a repository or an installation")
    return Trigger(kind, meaning, repository.id, repository.full_name, installation.id)


def _person(*users: User | None) -> User | Ignored:
    """The one person behind an event; Ignored if one of them is no person or they are not the same one."""
    known = [user for user in users if user is not None]
    if not known or any(user.type != "User" for user in known):
        return Ignored("only people can ask")
    if len({user.id for user in known}) > 1:
        return Ignored("the comment is not the sender's own")
    return known[0]


_RULES: Mapping[type[Event], Callable[[Any, str], Trigger | Ignored]] = {
    IssueComment: _comment,
    Issues: lambda event, _: _label(event),
    CheckRun: lambda event, _: _button(event),
    CheckSuite: lambda event, _: _suite(event),
    WorkflowRun: lambda event, _: _workflow(event),
    PullRequest: lambda event, _: _pull(event),
}
