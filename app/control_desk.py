"""What control asks of GitHub, in its own words. Pure."""

from __future__ import annotations

from typing import Protocol

from jobs.gate import Refused
from jobs.job import Job
from jobs.runs import Run


class Desk(Protocol):
    """GitHub, seen from control. Every write may be repeated without being seen twice.

    A job that is asked about is a draft: what the delivery said, not bound to a commit yet. All methods raise Retry
    (come back later), EnvironmentFault (GitHub away, credentials dead) or Fenced (not the leader any more).
    """

    def permit(self, draft: Job) -> Refused | None:
        """Whether whoever asked may command here at all; None means yes."""
        ...

    def admit(self, draft: Job) -> Job | Refused:
        """The draft bound to the commit that exists now and within all limits; or why not."""
        ...

    def acknowledge(self, draft: Job) -> None:
        """👀 on what gave the command."""
        ...

    def refuse(self, draft: Job, refused: Refused) -> None:
        """😕, and the sentence as a comment if it is to be told."""
        ...

    def answer(self, draft: Job, text: str) -> None:
        """One comment of our own words; the same one however often it is asked for."""
        ...

    def tell(self, run: Run) -> None:
        """The last word of a run that its worker could not say."""
        ...
