"""What crosses Redis: one frozen job, to JSON and back. Pure."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field

OPTIONS = ("model", "budget", "base")
FUTURE_OPTIONS = ("tests", "force")  # known by name; whoever writes one is told that it does nothing yet


@dataclass(frozen=True)
class Job:
    """One accepted request for work. Holds ids and what the signed delivery said; never a secret.

    `base_sha` is the commit that existed when the person asked: only that commit is ever run.
    `options` are the `key=value` words of the command: OPTIONS.
    """

    run: str  # r-<ulid>
    kind: str  # fix | plan | ask | ci | bump | verify
    repository_id: int
    repository: str  # owner/name as GitHub last said it; for addresses people see and API routes, never for paths
    installation_id: int
    issue: int | None = None  # issue or pull request number
    is_pull: bool = False
    comment_id: int | None = None
    comment_updated_at: str | None = None
    requester: str | None = None  # login of the person; None for automatic jobs
    text: str = ""  # free text after the command
    options: dict[str, str] = field(default_factory=dict)
    base_ref: str = ""  # branch that a pull request would target
    base_sha: str = ""
    queue: str = "now"  # now (people) | ci | night

    def to_json(self) -> str:
        """JSON text with every field, absent ones as null."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> Job:
        """The job back from `to_json`. Unknown keys are an error: versions of one deployment must agree."""
        return cls(**json.loads(text))
