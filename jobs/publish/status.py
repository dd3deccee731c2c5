"""The one status comment of a run: what it says, when it may be edited, and keeping it on GitHub."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from jobs import messages
from jobs.github.values import Comment
from jobs.outcome import Outcome
from jobs.publish.clean import Clean, Cleaner
from jobs.publish.receipt import Receipt
from jobs.publish.render import render

MOST_EDITS = 20
EVERY_S = 30.0
_PATCH_LIMIT = 20_000  # characters of an unproven change that a comment shows


@dataclass(frozen=True)
class Progress:
    """How far a run is. `page` is its address for people."""

    stage: str
    rounds: int = 0
    usd: float | None = None
    page: str | None = None


@dataclass(frozen=True)
class Ending:
    """How a run ended, as far as a comment shows it. `answer` is a text asked for (untrusted Markdown);
    `patch` is a change that was not proven, as a diff."""

    receipt: Receipt
    answer: str = ""
    patch: str = ""
    page: str | None = None


def comment(run: str, shown: Progress | Ending, cleaner: Cleaner | None = None) -> Clean:
    """The comment's body."""
    ending = shown if isinstance(shown, Ending) else None
    progress = shown if isinstance(shown, Progress) else Progress("")
    r = ending.receipt if ending else None
    # The first line of a reason is a sentence; what follows is output of programs.
    reason, _, detail = (r.reason if r else "").strip().partition("\n")
    return render(
        "status.md.j2",
        cleaner or Cleaner(),
        run=run,
        marker=Clean(messages.marker(run)),
        r=r,
        outcome=messages.outcome(r.outcome) if r else "",
        level=messages.level(r.level) if r and r.level else "",
        reason=messages.bug(run) if r and r.outcome is Outcome.ERROR else reason,
        detail="" if r and r.outcome is Outcome.ERROR else detail.strip("\n"),
        url=Clean(r.pr_url or "") if r else "",
        answer=ending.answer if ending else "",
        patch=_part(ending.patch) if ending else "",
        stage=messages.stage(progress.stage),
        rounds=progress.rounds,
        spent=progress.usd,
        page=Clean(shown.page or ""),
    )


def _part(patch: str) -> str:
    if len(patch) <= _PATCH_LIMIT:
        return patch
    shown = patch[:_PATCH_LIMIT]
    return (shown.rpartition("\n")[0] or shown) + "\n… cut here; the whole patch is kept with the run"


@dataclass(frozen=True)
class Edits:
    """What was shown so far: how many edits, when (monotonic seconds), and in which stage."""

    count: int = 0
    at: float = float("-inf")
    stage: str = ""


def may_edit(edits: Edits, progress: Progress, now: float) -> bool:
    """True if showing `progress` keeps the rules: at most 20 edits with one kept for the end, 30 s apart unless the
    stage changed."""
    if edits.count >= MOST_EDITS - 1:
        return False
    return progress.stage != edits.stage or now - edits.at >= EVERY_S


class Thread(Protocol):
    """What is asked of GitHub here."""

    def find_comment(self, number: int, marker: str) -> Comment | None: ...

    def comment(self, number: int, body: str) -> Comment: ...

    def edit_comment(self, comment_id: int, body: str) -> Comment: ...


class StatusComment:
    """One run's comment on one issue: found by its marker before it is made."""

    def __init__(
        self,
        github: Thread,
        number: int,
        run: str,
        *,
        cleaner: Cleaner | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._github = github
        self._number = number
        self._run = run
        self._cleaner = cleaner
        self._clock = clock
        self._comment: Comment | None = None
        self._edits = Edits()

    def show(self, progress: Progress) -> bool:
        """Shows progress if the rules let it; False if they don't."""
        now = self._clock()
        if self._comment is not None and not may_edit(self._edits, progress, now):
            return False
        self._write(comment(self._run, progress, self._cleaner))
        self._edits = Edits(self._edits.count + 1, now, progress.stage)
        return True

    def end(self, ending: Ending) -> Comment:
        """Shows how it ended, always."""
        return self._write(comment(self._run, ending, self._cleaner))

    def _write(self, body: Clean) -> Comment:
        if self._comment is None:
            self._comment = self._github.find_comment(self._number, messages.marker(self._run))
        if self._comment is None:
            self._comment = self._github.comment(self._number, body)
        elif self._comment.body.strip() != body.strip():
            self._comment = self._github.edit_comment(self._comment.id, body)
        return self._comment
