"""Lets the agent work until what it made is proven, or its second try has failed too; judges what it made."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from jobs.agent.attempt import Attempt
from jobs.agent.checks import Checks
from jobs.agent.context import Context, target
from jobs.agent.coverage import covered
from jobs.agent.loop import Session
from jobs.agent.tools.spec import Bench, RunTests
from jobs.caps import reached
from jobs.errors import Stopped
from jobs.guidance import guidance
from jobs.lock import LockSite, resolve
from jobs.model.base import Model
from jobs.order import Order
from jobs.outcome import Level, Outcome
from jobs.protect import escapes, protected
from jobs.repo.checkpoint import TreeCheckpoints
from jobs.repo.patch import Patch
from jobs.repo.workspace import Workspace
from jobs.sandbox.base import Cell
from jobs.site import Site
from jobs.suite import matrix
from jobs.suite.report import Report
from jobs.suite.run import run_suite
from jobs.suite.suite import Suite
from jobs.suite.verdict import Matrix, Verdict

TRIES = 2
_NOTHING = "Nothing was changed."
MOST_COVERED = 20  # red tests whose files are looked for


def propose(site: Site, model: Model, baseline: Report) -> Verdict:
    """The verdict on the agent's last try. What was red goes back to it once, verbatim.

    Raises Stopped where the run can't end with a verdict: out of budget, or a secret in the change.
    """
    workspace, story = site.workspace, site.story
    with workspace.checkout(workspace.base, site.ready.layer_source) as folder, site.ready.ahead(folder) as cell:
        session = _session(site, model, cell, folder, baseline)
        feedback: str | None = None
        for left in reversed(range(TRIES)):
            with story.stage("attempt"):
                try:
                    attempt = session.work(feedback)
                finally:
                    story.learn(attempt=session.so_far)
            site.means.guard()
            tree = _harvest(site, folder, session.left_by_tests)
            verdict = judge(site, tree, baseline)
            if verdict.outcome is Outcome.FIXED or attempt.ended != "done" or not left:
                break
            feedback = _feedback(verdict) + _left_out(workspace, tree, session.bench.touched)
    return _settled(site.order, attempt, verdict)


def _session(site: Site, model: Model, cell: Cell, folder: Path, baseline: Report) -> Session:
    suite = site.ready.suite
    context = Context(baseline, suite=suite.command, guidance=guidance(site.workspace))
    about = target(site.order.task, context)
    states = TreeCheckpoints(site.workspace.trees, site.workspace.base, folder, site.ready.layer_source, clean=True)
    before = cell.fingerprints()
    files = covered(cell, suite, sorted(about)[:MOST_COVERED])
    left = cell.fingerprints().keys() - before.keys()
    session = Session(
        model=model,
        cell=cell,
        task=site.order.task,
        context=replace(context, covered=_executed(files)),
        budget=site.order.budget,
        trace=site.means.trace,
        run_tests=_runs(cell, suite, site.verify_s),
        check=lambda bench: _checks(bench, about, files, baseline, suite).after,
        alive=site.means.guard,
    )
    bench, trees = session.bench, site.workspace.trees
    bench.checkpoints = states
    bench.left_by_tests |= left
    bench.base = lambda path: trees.read(site.workspace.base, path)
    store = site.means.data / "layers" / site.order.key
    more, registries = site.order.policy.hosts, site.means.registries
    place = LockSite(site.ready.cells, site.workspace, folder, store, more, registries=registries)
    bench.lock = lambda: resolve(place)
    return session


def _runs(cell: Cell, suite: Suite, timeout_s: float) -> RunTests:
    """What runs tests on the agent's tree, within `timeout_s` seconds."""
    return lambda tests: run_suite(cell, suite, timeout_s=timeout_s, tests=tests)


def _checks(
    bench: Bench, about: frozenset[str], files: Mapping[str, frozenset[str]], baseline: Report, suite: Suite
) -> Checks:
    """What runs behind each change of the agent's."""

    def limited(left_s: float) -> RunTests:
        return _runs(bench.cell, suite, left_s)

    return Checks(bench, about, files, baseline=baseline, limited=limited)


def _executed(files: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Every file that the tests of the target execute."""
    return frozenset(path for found in files.values() for path in found)


def _harvest(site: Site, folder: Path, left_by_tests: frozenset[str]) -> str:
    """The tree that the agent left, without what only running the tests put there."""
    harvest = site.workspace.harvest(folder, site.ready.layer_source, left_by_tests)
    for path, why in harvest.skipped:
        site.means.trace.emit("note", why="harvest", text=f"{path} was left out: {why}")
    return harvest.tree


def judge(site: Site, tree: str, baseline: Report) -> Verdict:
    """The verdict on `tree`, by the matrix, unless it may not be published whatever the tests say."""
    workspace, story = site.workspace, site.story
    patch = workspace.trees.patch(workspace.base, tree)
    story.learn(patch=patch)
    with story.stage("verify"):
        if refusal := _refusal(site, patch):
            verdict = Verdict(Outcome.BLOCKED, Level.B, refusal, Matrix(baseline))
        elif patch.empty:
            verdict = Verdict(Outcome.NOT_FIXED, Level.B, _NOTHING, Matrix(baseline))
        else:
            verdict = matrix.verify(workspace.trees, workspace.base, tree, site.suite, baseline)
        story.learn(verdict=verdict)
    site.means.trace.emit(
        "verdict", outcome=verdict.outcome, level=verdict.level, reason=verdict.reason, tree=patch.tree,
        fixed=verdict.fixed, proven=verdict.proven, broken=verdict.broken, missing=verdict.missing,
    )  # fmt: skip
    return verdict


def _refusal(site: Site, patch: Patch) -> str:
    """Why the change may not be published whatever the tests say; empty if it may."""
    if paths := protected(patch.files, site.order.policy.protect):
        return f"The change touches protected paths: {', '.join(paths[:10])}. Leave them as they are."
    for file in patch.files:
        if file.new_mode == "120000":
            target = os.fsdecode(site.workspace.trees.read(patch.tree, file.path) or b"")
            if escapes(file.path, target):
                return f"{file.path} is a link that leaves the repository."
    if site.means.leaks(patch.text.decode("utf-8", "replace")):
        raise Stopped(Outcome.BLOCKED, "The change holds one of this machine's secrets; it was thrown away.")
    return ""


def _feedback(verdict: Verdict) -> str:
    if verdict.outcome is Outcome.NOT_REPRODUCED:
        return f"{verdict.reason}\nAdd or change a test that fails on the base commit and passes with your change."
    return verdict.reason


def _left_out(workspace: Workspace, tree: str, touched: Mapping[str, str | None]) -> str:
    """Files that the agent made and that are not part of its change, so that it need not wonder."""
    taken = frozenset(workspace.trees.paths(tree))
    absent = sorted(path for path, state in touched.items() if state is not None and path not in taken)
    if not absent:
        return ""
    return f"\nNot part of the change, since .gitignore or the harness leaves such files out: {', '.join(absent[:20])}."


def _settled(order: Order, attempt: Attempt, verdict: Verdict) -> Verdict:
    """`verdict`; where the work was stopped before anything was proven, with an honest word of how far it came.

    Raises Stopped where a cap stopped it.
    """
    if attempt.ended == "done" or verdict.outcome is Outcome.FIXED:
        return verdict
    # Where nothing was changed the attempt's own message says so.
    told = attempt.summary if verdict.reason == _NOTHING else f"{verdict.reason}\n\n{attempt.summary}"
    cap = reached(attempt.ended, order.budget)
    if cap:
        raise Stopped(Outcome.OUT_OF_BUDGET, f"Stopped at {cap}. So far: {told}")
    return replace(verdict, reason=told)
