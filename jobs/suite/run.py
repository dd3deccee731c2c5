"""Runs a suite in a cell and reads what it said."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from jobs.sandbox.base import Cell, Command, Result
from jobs.sandbox.layer import Layer
from jobs.suite.compare import holds
from jobs.suite.invoke import Invocation, invocation
from jobs.suite.parsed import Parsed, Unreadable, plain, shorten
from jobs.suite.parts import concerned, inner_ids, joined, outer_ids
from jobs.suite.report import Report
from jobs.suite.suite import Suite, TimeUp
from jobs.trace.events import Trace

MAX_TEXT = 64_000  # characters kept of a suite's output
_SPARE_S = 20.0
_BESIDE_SERVICES = ("/opt/patchwright/bin/python3", "-I", "-S", "/opt/patchwright/services.py")
_SERVICES = "services.json"
_MOST_UNREADY = 3000  # characters
_NODE_REFUSES = "is not allowed in NODE_OPTIONS"


def run_suite(cell: Cell, suite: Suite, *, timeout_s: float, tests: tuple[str, ...] | None = None) -> Report:
    """Runs `suite` in `cell`, or the named `tests` of it, and returns its report.

    Where the tests could not be selected the whole suite runs and the report is cut to them. Without a readable
    report `tests` is None in it. Raises EnvironmentFault only if the cell can't start.
    """
    if suite.parts:
        return _run_parts(cell, suite, timeout_s, tests)
    way = invocation(suite, inner_ids(suite, tests))
    result = cell.run(_command(way, suite, timeout_s))
    if _NODE_REFUSES in result.text and "NODE_OPTIONS" in way.env:  # an old Node: run it without the reporter
        env = {k: v for k, v in way.env.items() if k != "NODE_OPTIONS"}
        way = dataclasses.replace(way, env=env, reports={} if suite.runner == "node" else way.reports)
        result = cell.run(_command(way, suite, timeout_s))
    parsed = _read(way, suite, result)
    if tests and way.narrowed and result.ended == "exit" and not _answers(parsed, tests):
        way = invocation(suite)  # the names could not be selected after all
        result = cell.run(_command(way, suite, timeout_s))
        parsed = _read(way, suite, result)
    report = _report(way, result, parsed)
    return restrict(report, tests) if tests else report


def _run_parts(cell: Cell, suite: Suite, timeout_s: float, tests: tuple[str, ...] | None) -> Report:
    """Each part after the other, whatever the others say; parts that hold none of `tests` by their folder are left
    out."""
    until = time.monotonic() + timeout_s
    found: list[Report] = []
    for part in concerned(suite.parts, tests):
        left = until - time.monotonic()
        one = dataclasses.replace(part, services=suite.services or part.services)
        found.append(run_suite(cell, one, timeout_s=max(1.0, left), tests=tests))
        if found[-1].ended != "exit":
            break
    return joined(suite.command, found)


def restrict(report: Report, tests: tuple[str, ...]) -> Report:
    """`report` cut to `tests`, to what they hold, and to what holds them: a file that could not be loaded."""
    if report.tests is None:
        return report
    kept = {t: s for t, s in report.tests.items() if _concerns(t, tests)}
    failures = {t: text for t, text in report.failures.items() if t in kept}
    return dataclasses.replace(report, tests=kept, failures=failures)


def _concerns(test: str, wanted: tuple[str, ...]) -> bool:
    return test in wanted or any(holds(test, one) or holds(one, test) for one in wanted)


def _answers(parsed: Parsed | None, tests: tuple[str, ...]) -> bool:
    return parsed is not None and any(_concerns(test, tests) for test in parsed.tests)


def _command(way: Invocation, suite: Suite, timeout_s: float) -> Command:
    command = Command.shell(way.line, timeout_s=timeout_s, env=way.env)
    command = dataclasses.replace(command, argv=(*way.before, *command.argv))
    if not suite.services:
        return dataclasses.replace(command, collect=tuple(way.reports))
    told = json.dumps([dataclasses.asdict(service) for service in suite.services])
    return dataclasses.replace(
        command, argv=(*_BESIDE_SERVICES, told, *command.argv), collect=(*way.reports, _SERVICES)
    )


def _unready(result: Result) -> str:
    """Which service did not come up; a sentence, empty where all did."""
    if _SERVICES not in result.files:
        return ""
    try:
        said = json.loads(result.files[_SERVICES])["failed"]
    except (ValueError, LookupError, TypeError):
        return "A service did not get ready."
    return str(said)[:_MOST_UNREADY]


def _read(way: Invocation, suite: Suite, result: Result) -> Parsed | None:
    """The reports that the run left, added up, else what can be read of its output; None if there are none or one of
    them is unreadable."""
    found = [(name, parse) for name, parse in way.reports.items() if name in result.files]
    tests, failures = {}, {}
    try:
        if not found and way.said is not None:
            told = way.said(plain(result.text))
            return outer_ids(suite, told) if told else None
        for name, parse in found:
            parsed = parse(result.files[name])
            tests.update(parsed.tests)
            failures.update(parsed.failures)
    except Unreadable:
        return None
    return outer_ids(suite, Parsed(tests, failures)) if found else None


def _report(way: Invocation, result: Result, parsed: Parsed | None) -> Report:
    return Report(
        command=way.line,
        exit_code=result.exit_code,
        ended=result.ended,
        seconds=round(result.seconds, 3),
        output=shorten(way.shown(result.text) if way.shown else result.text, MAX_TEXT),
        tests=None if parsed is None else parsed.tests,
        failures={} if parsed is None else parsed.failures,
        unready=_unready(result),
    )


class Cells(Protocol):
    """Makes cells over checked-out trees; `own` gives a tree to the user that cells run as."""

    def own(self, tree: Path) -> None: ...

    def on(self, tree: Path, layer: Layer | None = None) -> Cell: ...


@dataclass(frozen=True)
class Limits:
    """Seconds that one run of a suite may take, and all runs together with their checkouts."""

    run_s: float
    total_s: float = math.inf

    @classmethod
    def of_minutes(cls, minutes: float) -> Limits:
        """The limits where `minutes` are for all runs: a verdict needs two whole ones, so one gets half."""
        return cls(minutes * 60 / 2, minutes * 60)


class FreshRuns:
    """A SuiteRunner: each run gets a checkout of its own and a cell of its own, both thrown away after it.

    `checkout` gives a folder with a tree's files and what a layer's src (if any) holds over them. A run that was made
    before, of the same tree and tests, is answered from memory, unless it is asked for `again`. Each real run is told
    to `trace`. Only the time in here counts against `limits`, not what is done between runs.
    """

    def __init__(
        self,
        checkout: Callable[[str, Path | None], AbstractContextManager[Path]],
        cells: Cells,
        layer: Layer | None,
        suite: Suite,
        limits: Limits,
        trace: Trace | None = None,
    ) -> None:
        self._checkout, self._cells, self._layer = checkout, cells, layer
        self._suite, self._limits, self._trace = suite, limits, trace
        self._known: dict[tuple[str, tuple[str, ...] | None], Report] = {}
        self._longest: float | None = None  # seconds of the longest whole run that ended by itself
        self.runs = 0
        self.seconds = 0.0

    def __call__(self, tree: str, tests: tuple[str, ...] | None = None) -> Report:
        """The report of the suite, or of `tests`, on `tree`. Raises TimeUp."""
        known = self._known.get((tree, tests))
        return self.again(tree, tests) if known is None else known

    def again(self, tree: str, tests: tuple[str, ...] | None = None) -> Report:
        """The report of a new run, whatever is known; a call goes on to answer with the first one. Raises TimeUp."""
        report = self._run(tree, tests)
        self._known.setdefault((tree, tests), report)
        return report

    def _allowed(self, tests: tuple[str, ...] | None) -> float:
        """Seconds for one run. Some tests never need much longer than all of them did: a run that does is caught in
        a loop, as code with a part taken out of it may be."""
        if tests is None or self._longest is None:
            return self._limits.run_s
        return min(self._limits.run_s, _SPARE_S + 5 * self._longest)

    def _run(self, tree: str, tests: tuple[str, ...] | None) -> Report:
        began = time.monotonic()
        until = began + self._limits.total_s - self.seconds
        if began >= until:
            raise TimeUp(self._limits.total_s)
        with self._checkout(tree, self._layer.src if self._layer else None) as folder:
            self._cells.own(folder)
            cell = self._cells.on(folder, self._layer)
            allowed, left = self._allowed(tests), until - time.monotonic()
            report = run_suite(cell, self._suite, timeout_s=max(1.0, min(allowed, left)), tests=tests)
        if tests is None and report.ended == "exit":
            self._longest = max(self._longest or 0.0, report.seconds)
        self.runs += 1
        self.seconds += time.monotonic() - began
        if self._trace is not None:
            self._trace.emit("suite", tree=tree, **facts(report), wanted=len(tests) if tests else None)
        if report.ended == "timeout" and left < allowed:  # cut short by what was used before: it says nothing
            raise TimeUp(self._limits.total_s)
        return report


def facts(report: Report) -> dict[str, object]:
    """What a trace keeps of a report: no output, red ids capped."""
    return {
        "command": report.command[:2000],
        "exit_code": report.exit_code,
        "ended": report.ended,
        "seconds": report.seconds,
        "counts": report.counts,
        "red": sorted(report.red)[:50],
    }
