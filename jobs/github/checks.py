"""Check runs of ours: found by their external id, the run's, before they are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from jobs.github import values
from jobs.github.scope import Scope
from jobs.github.values import CheckRun
from jobs.github.wire import Call
from jobs.publish.clean import CHECK_LIMIT, Clean, cut, outgoing, titled

CHECK_NAME = "Patchwright"
Status = Literal["queued", "in_progress", "completed"]
_MOST_ACTIONS = 3


@dataclass(frozen=True)
class Action:
    """A button of a check run. GitHub's limits: label 20, description 40, identifier 20 characters."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True)
class CheckReport:
    """What a check run shows. `conclusion` is None until it is completed."""

    status: Status
    title: str
    summary: str
    text: str = ""
    conclusion: str | None = None
    details_url: str | None = None
    actions: tuple[Action, ...] = ()

    def fields(self) -> dict[str, Any]:
        """The request's fields; absent things are left out, not null."""
        output = {"title": titled(self.title), "summary": _fit(self.summary)}
        if self.text:
            output["text"] = _fit(self.text)
        fields: dict[str, Any] = {"status": self.status, "output": output}
        if self.conclusion is not None:
            fields["conclusion"] = self.conclusion
        if self.details_url is not None:
            fields["details_url"] = self.details_url
        if self.actions:
            fields["actions"] = [_button(a) for a in self.actions[:_MOST_ACTIONS]]
        return fields


class Checks(Scope):
    """The check run part of the client."""

    def find_check(self, head_sha: str, external_id: str) -> CheckRun | None:
        """Our check run of that external id on that commit."""
        path = self._path("commits", head_sha, "check-runs")
        query = {"check_name": CHECK_NAME, "filter": "all"}
        found = self._wire.pages(path, values.check_run, query, what="check runs", key="check_runs")
        return next((run for run in found if run.external_id == external_id), None)

    def create_check(self, head_sha: str, external_id: str, report: CheckReport) -> CheckRun:
        """Makes the check run of one run; an unclear answer never doubles it."""
        body = {"name": CHECK_NAME, "head_sha": head_sha, "external_id": external_id, **report.fields()}
        call = Call("POST", self._path("check-runs"), "check run", body=body, repeatable=False)
        return self._create(call, values.check_run, lambda: self.find_check(head_sha, external_id))

    def update_check(self, check_id: int, report: CheckReport) -> CheckRun:
        """Replaces what the check run shows."""
        path = self._path("check-runs", check_id)
        return self._write("PATCH", path, values.check_run, report.fields(), what="check run")

    def show_check(self, head_sha: str, external_id: str, report: CheckReport) -> CheckRun:
        """The check run of one run, made if it is not there, showing `report`."""
        found = self.find_check(head_sha, external_id)
        return self.update_check(found.id, report) if found else self.create_check(head_sha, external_id, report)


def _fit(text: str) -> Clean:
    return cut(outgoing(text), CHECK_LIMIT)


def _button(action: Action) -> dict[str, str]:
    return {
        "label": action.label[:20],
        "description": action.description[:40],
        "identifier": action.identifier[:20],
    }
