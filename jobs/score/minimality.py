"""How small a proven patch is: each hunk needed by a test that fails without it, or named as unproven."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from jobs.outcome import Outcome
from jobs.repo.patch import Patch
from jobs.repo.trees import Trees
from jobs.score.hunks import Hunk, split, undo, without
from jobs.score.waste import documents_only, waste
from jobs.suite.compare import passes
from jobs.suite.report import Report
from jobs.suite.suite import SuiteRunner, TimeUp
from jobs.suite.surface import kind
from jobs.suite.verdict import Verdict

HunkState = Literal["needed", "unproven", "waste", "evidence"]


@dataclass(frozen=True)
class HunkScore:
    """One contiguous change and what is known of it. `header` is `@@ -a,b +c,d @@`; `lines` begin with + or -;
    `proof` names the test that turns red without it, or says in a sentence why that is not known."""

    file: str
    header: str
    lines: tuple[str, ...]
    state: HunkState
    proof: str


@dataclass(frozen=True)
class Minimality:
    """100 x needed / (needed + unproven + waste) in changed lines; None where nothing discriminates."""

    score: int | None
    changed_lines: int
    needed_lines: int
    unproven_lines: int
    waste_lines: int
    hunks: tuple[HunkScore, ...]
    reason: str = ""


@dataclass(frozen=True)
class _Judged:
    hunk: Hunk
    state: HunkState
    proof: str


def score(  # noqa: PLR0913 (a change is named by its two trees and its patch)
    trees: Trees, base: str, tree: str, patch: Patch, verdict: Verdict, run: SuiteRunner, deadline: float
) -> Minimality:
    """Takes each product hunk of `patch` (from `base` to `tree`) back in turn and runs the targets of `verdict`.

    `deadline` is a time of `time.monotonic()`; hunks that are not tried by then, or for which no time is left in
    `run`, are unproven. Runs nothing where the verdict has no targets.
    """
    if (patch.base_tree, patch.tree) != (trees.tree_of(base), trees.tree_of(tree)):
        raise ValueError("the patch is not that between the two trees")
    hunks = split(patch)
    told = [_told(trees, patch, hunk) for hunk in hunks]
    why = _pointless(verdict) or _unfit(run, patch.tree, _targets(verdict))
    if why:
        rest = [judged or _Judged(hunk, "unproven", why) for hunk, judged in zip(hunks, told, strict=True)]
        return _sum(rest, why, scored=False)
    trial = _Trial(trees, patch, _targets(verdict), run, deadline)
    return _sum([judged or trial.of(hunk) for hunk, judged in zip(hunks, told, strict=True)], "", scored=True)


def _targets(verdict: Verdict) -> tuple[str, ...] | None:
    """The tests that prove the fix; None where only the command as a whole does."""
    if verdict.matrix.old_tests_old_code.tests is None:
        return None
    return tuple(sorted({*verdict.fixed, *verdict.proven}))


def _pointless(verdict: Verdict) -> str:
    if verdict.outcome is not Outcome.FIXED:
        return "No test tells the change from its absence, so nothing can be said about its parts."
    return ""


def _unfit(run: SuiteRunner, tree: str, targets: tuple[str, ...] | None) -> str:
    try:
        if targets is None or _green(run(tree, targets), targets):
            return ""
    except TimeUp as over:
        return f"not tried: {over.reason}"
    return "The tests that prove the fix are not green when run by themselves, so they can't judge its parts."


def _green(report: Report, targets: tuple[str, ...] | None) -> bool:
    if targets is None:
        return report.green
    return report.ended == "exit" and all(passes(test, report) for test in targets)


def _told(trees: Trees, patch: Patch, hunk: Hunk) -> _Judged | None:
    """What needs no run: tests, documents, and what changes nothing that runs."""
    of = kind(hunk.file)
    if of != "product":
        return _Judged(hunk, "evidence", "a test" if of == "test" else "documentation")
    new = trees.read(patch.tree, hunk.file) or b""
    old = undo(new, [hunk]) if hunk.kind == "text" else None
    reason = waste(hunk, old, new)
    if reason:
        return _Judged(hunk, "waste", reason)
    return _Judged(hunk, "evidence", "documentation") if documents_only(hunk, old, new) else None


@dataclass(frozen=True)
class _Trial:
    """Runs the targets without one hunk at a time."""

    trees: Trees
    patch: Patch
    targets: tuple[str, ...] | None
    run: SuiteRunner
    deadline: float

    def of(self, hunk: Hunk) -> _Judged:
        if time.monotonic() >= self.deadline:
            return _Judged(hunk, "unproven", "not tried: time")
        tree = without(self.trees, self.patch, [hunk])
        if tree is None:
            return _Judged(hunk, "unproven", "not tried: it can't be taken back alone")
        try:
            report = self.run(tree, self.targets)
        except TimeUp:
            return _Judged(hunk, "unproven", "not tried: time")
        if _green(report, self.targets):
            return _Judged(hunk, "unproven", "no test that proves the fix turns red without it")
        return _Judged(hunk, "needed", _red(report, self.targets))


def _red(report: Report, targets: tuple[str, ...] | None) -> str:
    """The first target that is not green any more."""
    if report.ended != "exit":
        return f"without it the tests do not end by themselves ({report.ended})"
    if targets is None:
        return report.command
    return next(test for test in targets if not passes(test, report))


def _sum(judged: list[_Judged], reason: str, *, scored: bool) -> Minimality:
    lines = {state: sum(j.hunk.size for j in judged if j.state == state) for state in ("needed", "unproven", "waste")}
    counted = sum(lines.values())
    return Minimality(
        score=round(100 * lines["needed"] / counted) if scored and counted else None,
        changed_lines=counted,
        needed_lines=lines["needed"],
        unproven_lines=lines["unproven"],
        waste_lines=lines["waste"],
        hunks=tuple(_shown(judged)),
        reason=reason,
    )


def _shown(judged: list[_Judged]) -> Iterator[HunkScore]:
    for one in judged:
        yield HunkScore(one.hunk.file, one.hunk.header, one.hunk.lines, one.state, one.proof)
