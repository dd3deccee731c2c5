"""Suites of several parts, and ids of a suite that runs below the top: as seen from outside, and from inside. Pure."""

from __future__ import annotations

from jobs.suite.parsed import Parsed, gather
from jobs.suite.report import Report
from jobs.suite.suite import Suite

# Runners whose ids begin with a path as seen from where they run.
_BY_PATH = frozenset({"pytest", "node", "mocha", "jest", "vitest", "rspec", "phpunit", "other"})


def inner_ids(suite: Suite, tests: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """`tests` as the suite's runner names them, from its folder."""
    if not tests or not suite.folder:
        return tests
    return tuple(test.removeprefix(f"{suite.folder}/") for test in tests)


def outer_ids(suite: Suite, parsed: Parsed) -> Parsed:
    """What the runner told, its paths as seen from the top of the repository."""
    before = f"{suite.folder}/"
    if not suite.folder or suite.runner not in _BY_PATH:
        return parsed

    def named(test: str) -> str:
        return test if test.startswith(before) else before + test

    failures = {named(test): text for test, text in parsed.failures.items()}
    return Parsed({named(test): state for test, state in parsed.tests.items()}, failures)


def concerned(parts: tuple[Suite, ...], tests: tuple[str, ...] | None) -> tuple[Suite, ...]:
    """The parts that may hold one of `tests`; all where that can't be told."""
    if not tests:
        return parts
    folders = {part.folder for part in parts if part.folder}
    claimed = [{folder for folder in folders if test.startswith(f"{folder}/")} for test in tests]
    if not all(claimed):
        return parts
    wanted = set().union(*claimed)
    return tuple(part for part in parts if part.folder in wanted)


def joined(command: str, reports: list[Report]) -> Report:
    """The reports of all parts as one: ids where every part that failed has them, the first failure's exit code, of
    an id that comes twice the worse state."""
    told = [report for report in reports if report.tests is not None]
    blind = [report for report in reports if report.tests is None and report.exit_code != 0]
    rows = [(t, s, report.failures.get(t, "")) for report in told for t, s in (report.tests or {}).items()]
    summed = gather(rows)
    bad = next((report for report in reports if report.exit_code != 0), None)
    return Report(
        command=command,
        exit_code=bad.exit_code if bad else 0,
        ended=bad.ended if bad else "exit",
        seconds=round(sum(report.seconds for report in reports), 3),
        output="\n".join(f"$ {report.command}\n{report.output}" for report in reports),
        tests=summed.tests if told and not blind else None,
        failures=summed.failures if told and not blind else {},
        unready=next((report.unready for report in reports if report.unready), ""),
    )
