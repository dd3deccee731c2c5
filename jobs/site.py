"""Where the steps of one run work: what was asked, with what means, on which repository."""

from __future__ import annotations

from dataclasses import dataclass

from jobs.order import Means, Order
from jobs.prepare import Prepared
from jobs.repo.workspace import Workspace
from jobs.story import Story
from jobs.suite.run import FreshRuns


@dataclass(frozen=True)
class Site:
    """Everything that the steps after set-up share. `suite` runs trees in fresh checkouts and fresh cells."""

    order: Order
    means: Means
    story: Story
    workspace: Workspace
    ready: Prepared
    suite: FreshRuns

    @property
    def verify_s(self) -> float:
        """The longest that one run of the suite may take, in seconds."""
        return self.order.policy.budget.verify_minutes * 60
