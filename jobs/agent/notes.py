"""What the harness tells the model behind the results of a round, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from jobs.agent.record import Call

IDLE = 6  # rounds without a change or anything new
SAME_FAULTS = 3  # calls in a row of which no edit landed
_WRITING = ("edit", "write_file")


@dataclass
class Notes:
    """Which notes of a session are due: each is the name of a prompt. They are never repeated without a reason. In a
    session that may change nothing (`reading`) only idleness is told of."""

    reading: bool = False
    grouped: bool = False
    green_told: int = 0  # how often the present green state was told of
    green: bool = False
    idle: int = 0
    told: set[tuple[str, str]] = field(default_factory=set)  # keys of calls and their results, as they came so far
    failing: int = 0

    def after(self, calls: Sequence[Call], *, in_view: bool, written: bool, tested: bool) -> tuple[str, ...]:
        """The notes for the round that made `calls`. `in_view` says that a file which can be changed has been shown,
        `written` that the session has changed something (in this round too), `tested` that a test was red for
        the request or that one was written."""
        if self.reading:
            return tuple(filter(None, (self._idle(calls),)))
        due = (
            self._group(len(calls) > 1, in_view, written),
            self._green(calls, tested),
            self._idle(calls),
            self._failing(calls),
        )
        return tuple(name for name in due if name)

    def _group(self, several: bool, in_view: bool, written: bool) -> str:
        if self.grouped or written or several or not in_view:
            self.grouped |= written or several
            return ""
        self.grouped = True
        return "together"

    def _green(self, calls: Sequence[Call], tested: bool) -> str:
        """Once when the tests turn green, once more when they are run again with nothing changed since. What the
        whole suite said behind the last change of a reply stands for the checks, which do not run then."""
        changed = max((n for n, call in enumerate(calls) if call.changed_files), default=None)
        since = calls if changed is None else calls[changed:]
        told = [call.checks or (call.tests if changed is not None and call.whole_suite else None) for call in since]
        checked = [facts for facts in told if facts is not None]
        if changed is not None or checked:
            self.green = bool(checked) and bool(checked[-1]["green"])
            self.green_told = 0
            if self.green:
                self.green_told = 1
                return "green" if tested else "green_untested"
            return ""
        again = any(call.tool in ("run_tests", "shell") for call in calls)
        if self.green and again and self.green_told == 1:
            self.green_told = 2
            return "green_again"
        return ""

    def _idle(self, calls: Sequence[Call]) -> str:
        moved = any(
            call.changed_files or (call.key, call.result) not in self.told for call in calls if not call.unchanged
        )
        self.told |= {(call.key, call.result) for call in calls}
        self.idle = 0 if moved else self.idle + 1
        return "idle" if self.idle and self.idle % IDLE == 0 else ""

    def _failing(self, calls: Sequence[Call]) -> str:
        for call in calls:
            if call.tool in _WRITING:
                self.failing = 0 if call.ok or call.changed_files else self.failing + 1  # part of it landed
        if self.failing < SAME_FAULTS:
            return ""
        self.failing = 0
        return "failing_edits"
