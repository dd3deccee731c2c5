"""Runs the matrix {base's tests, new tests} x {base code, new code} and judges a change by it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from jobs.outcome import Level, Outcome
from jobs.repo.patch import Patch
from jobs.repo.trees import Trees
from jobs.suite.compare import Change, change, holds, in_file, inside
from jobs.suite.explain import finish, lost
from jobs.suite.flaky import MAX_RERUN, chance, flaky, steady
from jobs.suite.report import Report
from jobs.suite.suite import SuiteRunner
from jobs.suite.surface import is_test, with_tests_of
from jobs.suite.tamper import findings
from jobs.suite.verdict import Matrix, Verdict

__all__ = ["Matrix", "Verdict", "verify"]


@dataclass(frozen=True)
class _Trees:
    """The trees of the matrix: the base, new code with the base's tests, the new tree itself, base code with new
    tests. Without a change of the test surface the second is the third, and the fourth the first."""

    base: str
    old_tests: str
    new: str
    old_code: str


def verify(trees: Trees, base: str, tree: str, run: SuiteRunner, baseline: Report) -> Verdict:
    """Judges the change from `base` to `tree` (trees or commits), where `baseline` is the suite on `base`.

    Runs the base's tests on the new code; if the change touches the tests, also the new tree as it is, and the new
    or changed tests on the old code. Red that the base did not have is run again on both sides before it counts, and
    so is what would prove the change. Raises TimeUp.
    """
    patch = trees.patch(base, tree)
    four = _Trees(
        base=patch.base_tree,
        old_tests=with_tests_of(trees, patch.tree, patch.base_tree, patch.paths),
        new=patch.tree,
        old_code=with_tests_of(trees, patch.base_tree, patch.tree, patch.paths),
    )
    matrix = _run(four, run, baseline, patch)
    seen = findings(patch, lambda path: trees.read(base, path), lambda path: trees.read(tree, path))
    verdict = Verdict(Outcome.NOT_FIXED, Level.B, "", matrix, tamper=seen)
    if baseline.tests is None:
        return finish(_by_exit_code(verdict, four, run))
    verdict = _by_tests(verdict, four, run, patch)
    return finish(verdict if lost(verdict) else _repeated(verdict, four, run))


def _run(four: _Trees, run: SuiteRunner, baseline: Report, patch: Patch) -> Matrix:
    kept = run(four.old_tests)
    if four.old_tests == four.new:
        return Matrix(baseline, kept)
    whole = run(four.new)
    wanted = _new_tests(baseline, whole, patch)
    if whole.tests is not None and not wanted:
        return Matrix(baseline, kept, None, whole)
    return Matrix(baseline, kept, run(four.old_code, wanted or None), whole)


def _new_tests(baseline: Report, whole: Report, patch: Patch) -> tuple[str, ...]:
    """Tests that the base did not have, or that stand in a changed file of tests."""
    changed = [path for path in patch.paths if is_test(path)]
    known = baseline.tests or {}
    return tuple(sorted(t for t in whole.tests or () if t not in known or any(in_file(t, path) for path in changed)))


def _by_tests(verdict: Verdict, four: _Trees, run: SuiteRunner, patch: Patch) -> Verdict:
    """Fills the lists of `verdict` from the reports, test by test."""
    matrix = verdict.matrix
    before, kept, whole = matrix.old_tests_old_code, matrix.old_tests_new_code, matrix.new_tests_new_code
    if kept is None:
        raise ValueError("the base's tests were not run on the new code")
    after = whole or kept
    old, new = change(before, kept), change(before, after)
    unsteady = flaky(run, four.base, four.old_tests, old.broken)
    unsteady |= flaky(run, four.base, four.new, new.broken - old.broken)
    unsteady |= chance(run, four.new, new.new_red) if len(new.new_red) <= MAX_RERUN else frozenset()
    fixed = old.fixed - after.red
    missing = old.missing | _vanished(new, patch)
    moved = _moved(missing, after, patch)
    return replace(
        verdict,
        fixed=_sorted(fixed),
        proven=_proven(matrix, fixed),
        broken=_sorted((old.broken | new.broken | new.new_red | old.new_red) - unsteady),
        missing=_sorted(missing - moved),
        moved=_sorted(moved),
        newly_skipped=_sorted(old.newly_skipped | new.newly_skipped),
        flaky=_sorted(unsteady),
    )


def _repeated(verdict: Verdict, four: _Trees, run: SuiteRunner) -> Verdict:
    """`verdict` with only those targets left that are red on the old code and green on the new each time."""
    fixed = steady(run, four.base, four.old_tests, verdict.fixed)
    proven = steady(run, four.old_code, four.new, verdict.proven)
    return replace(
        verdict,
        fixed=_sorted(fixed.firm),
        proven=_sorted(proven.firm),
        flaky=_sorted(fixed.unsteady | proven.unsteady | frozenset(verdict.flaky)),
        relapsed={**fixed.relapsed, **proven.relapsed},
    )


def _vanished(new: Change, patch: Patch) -> frozenset[str]:
    """Tests that the new tree no longer reports although their files are as they were: deselected, not collected.
    What left with a change of its own file is judged by that change."""
    changed = [path for path in patch.paths if is_test(path)]
    return frozenset(t for t in new.missing if not any(in_file(t, path) for path in changed))


def _moved(missing: frozenset[str], after: Report, patch: Patch) -> frozenset[str]:
    """Those of `missing` whose file the patch moved as it was, and that are green in its new place."""
    gone = [file for file in patch.files if file.status == "D"]
    pairs = [(old.path, new.path) for old in gone for new in patch.files if new.new_blob == old.old_blob]
    green = {(path, inside(test, path)) for _, path in pairs for test in after.ids("passed")}
    return frozenset(
        test for test in missing for old, new in pairs if in_file(test, old) and (new, inside(test, old)) in green
    )


def _proven(matrix: Matrix, fixed: frozenset[str]) -> tuple[str, ...]:
    """New or changed tests that are red on the old code and green on the new.

    A new test whose file does not even load on the old code counts as red there; one that the base had already
    does not, since on the base it runs.
    """
    old, new = matrix.new_tests_old_code, matrix.new_tests_new_code
    if old is None or new is None or old.tests is None:
        return ()
    known, red = matrix.old_tests_old_code.tests or {}, old.red
    return _sorted(
        test
        for test in new.ids("passed") - fixed
        if test in red or (test not in old.tests and test not in known and any(holds(outer, test) for outer in red))
    )


def _by_exit_code(verdict: Verdict, four: _Trees, run: SuiteRunner) -> Verdict:
    """The command as a whole takes the place of a test where there are no ids.

    Each repeat is a whole run here, so both sides of a proof are repeated once only.
    """
    told = _by_exit_codes(verdict)
    if not (told.fixed or told.proven):
        return told
    old, new = (four.base, four.old_tests) if told.fixed else (four.old_code, four.new)
    command = told.fixed or told.proven
    if run.again(old).green:
        return replace(verdict, flaky=command)
    now = run.again(new)
    return told if now.green else replace(verdict, flaky=command, relapsed={command[0]: now.output[-4000:]})


def _by_exit_codes(verdict: Verdict) -> Verdict:
    matrix = verdict.matrix
    before, old_code = matrix.old_tests_old_code, matrix.new_tests_old_code
    now = [report for report in (matrix.old_tests_new_code, matrix.new_tests_new_code) if report is not None]
    command, green = (before.command,), all(report.green for report in now)
    if before.green and not green:
        return replace(verdict, broken=command)
    if not before.green and green and before.ended == "exit":
        return replace(verdict, fixed=command)
    if before.green and old_code is not None and not old_code.green:
        return replace(verdict, proven=command)
    return verdict


def _sorted(tests: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(tests))
