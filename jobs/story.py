"""What has happened in a run so far: the one mutable thing in it, so that every ending can be told in full."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from jobs.agent.attempt import Attempt
from jobs.repo.patch import Patch
from jobs.sandbox.layer import Layer
from jobs.score.minimality import Minimality
from jobs.suite.report import Report
from jobs.suite.suite import Toolchain
from jobs.suite.verdict import Verdict
from jobs.trace.events import Trace


@dataclass(frozen=True)
class Facts:
    """The results of the steps that have ended; None for those that have not."""

    toolchain: Toolchain | None = None
    layer: Layer | None = None
    baseline: Report | None = None
    attempt: Attempt | None = None
    patch: Patch | None = None
    verdict: Verdict | None = None
    minimality: Minimality | None = None
    commit: str | None = None
    tools: Mapping[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The agent's last words, empty before it worked."""
        return self.attempt.words if self.attempt else ""

    @property
    def known_patch(self) -> Patch:
        """The patch, by a step that comes after it was made."""
        assert self.patch is not None, "the attempt comes first"
        return self.patch


class Story:
    """Collects facts and times; tells the trace when a stage begins and ends."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.facts = Facts()
        self._began = time.monotonic()

    def learn(self, **facts: Any) -> None:
        """Adds results (fields of Facts)."""
        self.facts = replace(self.facts, **facts)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """One named stage: workspace, setup, baseline, fixers, attempt, verify, score or publish."""
        began = time.monotonic()
        self.trace.emit("stage.started", stage=name)
        try:
            yield
        finally:
            spent = time.monotonic() - began
            before = self.facts.seconds.get(name, 0.0)
            self.learn(seconds={**self.facts.seconds, name: before + spent})
            self.trace.emit("stage.finished", stage=name, seconds=round(spent, 3))

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._began
