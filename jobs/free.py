"""What costs nothing is tried first: the repository's own formatters and linters, before any model is asked."""

from __future__ import annotations

from jobs.agent.attempt import Attempt
from jobs.agent.context import Context, target
from jobs.attempt import judge
from jobs.model.usage import Usage
from jobs.outcome import Outcome
from jobs.sandbox.base import Cell, Command
from jobs.site import Site
from jobs.suite.fixers import fixers
from jobs.suite.report import Report
from jobs.suite.source import Source
from jobs.suite.verdict import Verdict

_FIXER_S = 300.0
_MOST_FILES = 20  # more changed files than this: the repository does not hold to its own layout


def mend(site: Site, baseline: Report) -> Verdict | None:
    """The verdict on what the fixers did, where that alone makes the target green; None, and nothing changed, where
    it does not. Only the files that the target needs are kept.

    Raises Stopped, as any run of the suite does.
    """
    about = tuple(sorted(target(site.order.task, Context(baseline))))
    lines = _lines(site)
    if baseline.green or not lines:
        return None
    with site.story.stage("fixers"):
        tree, ran = _fixed(site, lines)
        kept = _needed(site, tree, about) if ran else site.workspace.base
    if kept == site.workspace.base:
        return None
    verdict = judge(site, kept, baseline)
    if verdict.outcome is not Outcome.FIXED:
        site.story.learn(patch=None, verdict=None)
        return None
    words = f"The repository's own fixers did this, no model was asked: {', '.join(f'`{line}`' for line in ran)}."
    site.story.learn(attempt=Attempt("done", words, 0, len(ran), Usage(), 0.0, 0.0, 0.0, words))
    return verdict


def _lines(site: Site) -> tuple[str, ...]:
    trees, base = site.workspace.trees, site.workspace.base
    named = site.order.policy.fixers
    return named or fixers(Source(trees.paths(base), lambda path: trees.read(base, path)))


def _fixed(site: Site, lines: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The tree after all fixers, and which of them changed a file."""
    workspace = site.workspace
    with workspace.checkout(workspace.base, site.ready.layer_source) as folder:
        cell = site.ready.open(folder)
        ran = tuple(line for line in lines if _changes(site, cell, line))
        return workspace.harvest(folder, site.ready.layer_source).tree, ran


def _changes(site: Site, cell: Cell, line: str) -> bool:
    """Runs one fixer, whose exit status says little: most exit with 1 where something is left that they can't mend."""
    site.means.guard()
    before = cell.fingerprints()
    result = cell.run(Command.shell(line, timeout_s=_FIXER_S))
    site.means.trace.emit("fixer", command=line, exit_code=result.exit_code, seconds=round(result.seconds, 3))
    return cell.fingerprints() != before


def _needed(site: Site, tree: str, about: tuple[str, ...]) -> str:
    """`tree` with the base's own files wherever the target is green without the change; the base if it never is."""
    trees, base = site.workspace.trees, site.workspace.base
    paths = trees.patch(base, tree).paths
    if not paths or len(paths) > _MOST_FILES or not _green(site, tree, about):
        return base
    for path in paths:
        without = trees.graft(tree, base, [path])
        if without != base and _green(site, without, about):
            tree = without
    return tree


def _green(site: Site, tree: str, about: tuple[str, ...]) -> bool:
    """Whether the target is green: its tests where they are known, else the whole command."""
    report = site.suite(tree, about or None)
    if not about or report.tests is None:
        return report.green
    return not report.red and report.ids("passed") >= frozenset(about)
