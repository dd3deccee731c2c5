"""Ends a verdict: its outcome, its level and the words for people. Pure."""

from __future__ import annotations

from dataclasses import replace

from jobs.outcome import Level, Outcome
from jobs.suite.parsed import shorten
from jobs.suite.report import Report
from jobs.suite.verdict import Verdict

MAX_REASON = 12_000  # characters of a reason with the failing output in it
_NAMED = 10  # ids named in one sentence
_SHOWN = 5  # failures shown in full
TRICKS = frozenset({"equal_to_all", "exits_early", "test_aware"})


def finish(verdict: Verdict) -> Verdict:
    """`verdict` with outcome, level and reason, from its lists and its matrix."""
    outcome = _outcome(verdict)
    level = _level(verdict, outcome)
    told = replace(verdict, outcome=outcome, level=level)
    return replace(told, reason=shorten(_reason(told), MAX_REASON))


def unfinished(verdict: Verdict) -> Report | None:
    """The first report of the new code that is none: the run was ended, or left no ids although the base has them."""
    for report in _now(verdict):
        if report.ended != "exit" or (verdict.matrix.old_tests_old_code.tests is not None and report.tests is None):
            return report
    return None


def silent(verdict: Verdict) -> Report | None:
    """A report of the new code that ended red without a red test, where the base ended green."""
    if verdict.matrix.old_tests_old_code.exit_code != 0:
        return None
    return next((r for r in _now(verdict) if r.exit_code != 0 and r.tests is not None and not r.red), None)


def lost(verdict: Verdict) -> bool:
    """True if the change takes something away that the base has: nothing that it proves makes up for that."""
    taken = verdict.broken or verdict.missing or verdict.newly_skipped
    return bool(taken or unfinished(verdict) or silent(verdict))


def _now(verdict: Verdict) -> list[Report]:
    matrix = verdict.matrix
    return [r for r in (matrix.old_tests_new_code, matrix.new_tests_new_code) if r is not None]


def _outcome(verdict: Verdict) -> Outcome:
    if lost(verdict):
        return Outcome.NOT_FIXED
    shown = bool(verdict.fixed or verdict.proven)
    if not shown and _still_red(verdict):
        return Outcome.NOT_FIXED
    if any(finding.blocks for finding in verdict.tamper):
        return Outcome.BLOCKED
    return Outcome.FIXED if shown else Outcome.NOT_REPRODUCED


def _still_red(verdict: Verdict) -> bool:
    before = verdict.matrix.old_tests_old_code
    if verdict.relapsed:
        return True
    if before.tests is None:
        return not before.green and not verdict.flaky
    return any(before.red & report.red for report in _now(verdict)) or not before.red.issubset(verdict.flaky)


def _level(verdict: Verdict, outcome: Outcome) -> Level:
    if verdict.matrix.old_tests_old_code.tests is None:
        return Level.C
    tricked = any(finding.kind in TRICKS for finding in verdict.tamper)
    proven = bool(verdict.fixed or verdict.proven)
    return Level.A if proven and outcome is Outcome.FIXED and not tricked else Level.B


def _reason(verdict: Verdict) -> str:
    parts = [_headline(verdict)]
    if verdict.outcome is Outcome.BLOCKED or verdict.tamper:
        parts.append("\n".join(_finding_lines(verdict)))
    if verdict.flaky:
        parts.append(f"Not the same in every run, not counted: {_names(verdict.flaky)}.")
    if verdict.moved:
        parts.append(f"Moved with their file, and green there: {_names(verdict.moved)}.")
    parts.append(_remaining(verdict))
    if verdict.outcome is Outcome.NOT_FIXED:
        parts.append(failing_output(verdict))
    return "\n\n".join(part for part in parts if part)


def _headline(verdict: Verdict) -> str:
    if verdict.outcome is Outcome.NOT_FIXED:
        return _not_fixed(verdict)
    if verdict.outcome is Outcome.BLOCKED:
        return "The change bends the tests instead of only fixing the code."
    if verdict.outcome is Outcome.NOT_REPRODUCED:
        red = "is red each time" if verdict.flaky else "was red"
        return f"Everything is green, but no test {red} without this change: nothing shows that it is needed."
    if verdict.level is Level.C:
        before = "failed before" if verdict.fixed else "fails with the new tests on the old code"
        command = verdict.matrix.old_tests_old_code.command
        return f"`{command}` {before} and exits with 0 now. Only its exit code is known, no single test."
    said = [f"{_names(verdict.fixed)}: red before, green now." if verdict.fixed else ""]
    said.append(f"{_names(verdict.proven)}: red on the old code, green on the new." if verdict.proven else "")
    said.append("The base's own tests, unmodified, lose nothing on the new code.")
    return " ".join(sentence for sentence in said if sentence)


def _not_fixed(verdict: Verdict) -> str:
    ended = unfinished(verdict)
    if ended is not None:
        if ended.ended != "exit":
            return f"The suite did not end by itself on the new code ({ended.ended} after {ended.seconds:.0f} s)."
        return "The suite left no readable report on the new code, although it does on the base."
    before, again = verdict.matrix.old_tests_old_code, tuple(sorted(verdict.relapsed))
    said = [
        f"The suite did not end by itself on the base ({before.ended})." if before.ended != "exit" else "",
        f"Red with this change, not before: {_names(verdict.broken)}." if verdict.broken else "",
        f"Reported before, not any more: {_names(verdict.missing)}." if verdict.missing else "",
        f"Skipped now, green before: {_names(verdict.newly_skipped)}." if verdict.newly_skipped else "",
        f"Red before, and with this change still red now and then: {_names(again)}." if again else "",
    ]
    quiet = silent(verdict)
    if quiet is not None:
        said.append(f"The suite exits with {quiet.exit_code} now, without a red test; before it exited with 0.")
    return " ".join(sentence for sentence in said if sentence) or "What was red before is still red."


def _remaining(verdict: Verdict) -> str:
    """Red that was there before and stays: named, not blamed."""
    before = verdict.matrix.old_tests_old_code
    still = sorted(before.red & frozenset().union(*(r.red for r in _now(verdict))))
    return f"Red before and after: {_names(tuple(still))}." if still else ""


def _finding_lines(verdict: Verdict) -> list[str]:
    ordered = sorted(verdict.tamper, key=lambda finding: not finding.blocks)
    return [f"- {f.file}{f':{f.line}' if f.line else ''}: {f.text}" for f in ordered[:20]]


def failing_output(verdict: Verdict) -> str:
    """The failing output verbatim, the failures first; the end of the whole output where no test is named."""
    texts: dict[str, str] = {}
    for report in reversed(_now(verdict)):
        texts.update(report.failures)
    texts.update(verdict.relapsed)
    order = [*verdict.broken, *(t for t in texts if t not in verdict.broken)]
    shown = [f"{test}\n{texts[test]}" for test in order if texts.get(test)][:_SHOWN]
    if shown:
        return "\n\n".join(shown)
    whole = unfinished(verdict) or silent(verdict) or next((r for r in _now(verdict) if not r.green), None)
    return "" if whole is None else whole.output[-4000:]


def _names(tests: tuple[str, ...]) -> str:
    more = f" and {len(tests) - _NAMED} more" if len(tests) > _NAMED else ""
    return ", ".join(tests[:_NAMED]) + more
