"""Runs the tests that matter after each change, within a time cap, and says what came of it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from jobs.agent import syntax
from jobs.agent.checked import Outcome, joined, judged
from jobs.agent.choice import Choice, name_of, packed, style_of
from jobs.agent.graph import Imports
from jobs.agent.matter import matter
from jobs.agent.tools import inside
from jobs.agent.tools.known import chosen, is_test_file
from jobs.agent.tools.run_tests import ran
from jobs.agent.tools.spec import Bench, RunTests
from jobs.suite.compare import in_file
from jobs.suite.invoke import MAX_NAMES
from jobs.suite.prose import is_prose
from jobs.suite.report import Report

QUICK_S = 3.0  # a suite that takes no longer is run whole
LONG_S = 10.0  # where all that matters would take longer, the targets go first, alone
HEAD, TAIL = 6_000, 2_000  # characters of what is told at once; the rest is kept for call_tool more
_PICTURES = (".png", ".svg", ".jpg", ".gif", ".pdf")
_NAMES_FILE = re.compile("::| > ")  # ids whose runners are narrowed by their command; unittest is by its environment
_LATER = (
    "new tests: verification runs them on the old code by itself, where they must be red; no call is needed for that"
)
_LEAST_S = 1.0  # of the cap that must be left to begin another run
Limited = Callable[[float], RunTests]  # what runs tests within so many seconds


@dataclass(frozen=True)
class Checked:
    """What came of one change. `green` says that every target is green now (without targets: that at least one test
    is) and that nothing is newly red; `ran` counts tests."""

    text: str
    green: bool
    ran: int
    seconds: float


@dataclass
class Checks:
    """The checks of one session. They remember what they said, so that nothing is told twice.

    `targets` are the red tests that the request is about, `covered` is what coverage.covered gave, `baseline` the suite
    on the base commit. A suite that takes no longer than `quick_s` is run whole. All runs after one change have `cap_s`
    seconds; `limited` gives a way to run tests that ends by itself after the given seconds (without it a run takes as
    long as bench.run_tests lets it).
    """

    bench: Bench
    targets: frozenset[str]
    covered: Mapping[str, Collection[str]] | None = None
    _: KW_ONLY
    baseline: Report | None = None
    cap_s: float = 60.0
    quick_s: float = QUICK_S
    limited: Limited | None = None
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._imports = Imports(self.bench.cell)
        self._texts: dict[str, str] = {} if self.baseline is None else dict(self.baseline.failures)
        self._last = ""
        self._wrong: Mapping[str, str] = {}
        self._whole_only = False
        self._said_later = False
        self._start_s = 0.0  # what a run takes beside its tests

    def after(self, changed: Sequence[str], *, told: bool = False) -> Checked | None:
        """Checks what stands in `changed` (paths) and runs the tests that matter for it. None if there is nothing to
        say. `told` says that the call's own result tells of syntax errors in Python, JSON and TOML."""
        began = self.clock()
        wrong = syntax.errors(self.bench.cell, {*changed, *self._wrong})
        fresh = {path: error for path, error in wrong.items() if self._wrong.get(path) != error}
        self._wrong = wrong
        said = syntax.lines(fresh, told=told)
        # Once: a file may be wrong on purpose, as data of a test.
        if any(path.endswith(syntax.CODE) for path in fresh):
            return Checked(f"checks: {said}", False, 0, self.clock() - began)
        choice = self._choice(changed)
        outcome = None if choice is None else self._run(choice, began)
        if outcome is None:
            return Checked(f"checks: {said}", False, 0, self.clock() - began) if said else None
        return self._told(outcome, self.clock() - began, [said, self._still(), self._later(outcome, changed)])

    def _still(self) -> str:
        return f"syntax error still in {', '.join(sorted(self._wrong)[:10])}" if self._wrong else ""

    def _later(self, outcome: Outcome, changed: Sequence[str]) -> str:
        """Once, where new tests are green: what proves them is not run here."""
        if self._said_later or not outcome.green or not outcome.fresh(self.baseline, self._written(changed)):
            return ""
        self._said_later = True
        return _LATER

    def _written(self, changed: Sequence[str]) -> list[str]:
        """The files of tests that this session wrote."""
        touched = {path for path, state in self.bench.touched.items() if state is not None} | set(changed)
        return sorted(path for path in touched if is_test_file(path))

    def _choice(self, changed: Sequence[str]) -> Choice | None:
        """What is to be run for `changed`; None if nothing is."""
        bench = self.bench
        if bench.run_tests is None or not changed or all(map(_says_nothing, changed)):
            return None
        whole_s = None if self.baseline is None or self.baseline.ended != "exit" else self.baseline.seconds
        fits = whole_s is not None and whole_s <= self.cap_s
        if bench.single is False or not bench.known_tests:
            return Choice((), whole=True) if fits else None
        if self._whole_only and not fits:
            return None
        if self._whole_only or (whole_s is not None and whole_s <= self.quick_s):
            return Choice((), whole=True, known=len(bench.known_tests))
        graph = self._imports.after(changed)
        ids = self._ids(changed)
        gone = self._imports.gone  # a runner that is given an id in there refuses all
        ids = tuple(test for test in ids if not any(in_file(test, path) for path in gone))
        targets = [test for test in self.targets if not any(in_file(test, path) for path in gone)]
        found = matter(changed, graph, ids, targets=targets, covered=self.covered or {})
        return Choice(found, known=len(ids)) if found else None

    def _ids(self, changed: Sequence[str]) -> tuple[str, ...]:
        """All known ids, those of the tests that this session wrote too; a file stands for tests without known id."""
        known = self.bench.known_tests
        paths = self._written(changed)
        shown = inside.show(self.bench.cell, paths) if paths else ()
        data = {view.path: view.data for one in shown for view in one.files if view.state == "text"}
        now = chosen("", known, data)
        style = style_of(known)
        return tuple(dict.fromkeys([*now.ids, *(name_of(path, style) for path in now.unknown)]))

    def _run(self, choice: Choice, began: float) -> Outcome | None:
        """Runs what was chosen, best first, until the cap; None if not even the first run could begin."""
        bench, done = self.bench, 0
        reports: list[Report] = []
        for batch in self._batches(choice):
            left = self.cap_s - (self.clock() - began)
            if reports and left < _LEAST_S:
                break
            reports.append(self._one(batch, left))
            done += len(batch)
            # A command that can't be narrowed runs all its tests for each batch.
            self._whole_only |= reports[-1].command == bench.whole_line and any(_NAMES_FILE.search(t) for t in batch)
            if reports[-1].ended != "exit" or self._whole_only:
                break
        if not reports:
            return None
        return judged(joined(reports), self.targets, self.baseline, choice, skipped=len(choice.tests) - done)

    def _batches(self, choice: Choice) -> Iterator[tuple[str, ...]]:
        """The chosen tests in runs that fit: all at once where that is quick, else the targets first."""
        if choice.whole:
            yield ()
            return
        each = self._each()
        if (
            self._start_s + len(choice.tests) * each <= LONG_S
            and len(packed(choice.tests, self.bench.known_tests)) <= MAX_NAMES
        ):
            yield choice.tests
            return
        first = tuple(test for test in choice.tests if test in self.targets)
        if first:
            yield first
        rest = [test for test in choice.tests if test not in first]
        while rest:
            size = max(1, min(MAX_NAMES, int(LONG_S / each)))
            yield tuple(rest[:size])
            rest = rest[size:]

    def _each(self) -> float:
        """Seconds that one test takes, by the base's run."""
        whole = 0.0 if self.baseline is None else self.baseline.seconds / max(len(self.baseline.tests or ()), 1)
        return max(whole, 1e-4)

    def _one(self, batch: tuple[str, ...], left: float) -> Report:
        """One run; a way to run tests that ends in time stands in for the bench's own one meanwhile."""
        bench, own = self.bench, self.bench.run_tests
        names = packed(batch, bench.known_tests) if batch else None
        try:
            bench.run_tests = own if self.limited is None else self.limited(max(left, _LEAST_S))
            report = ran(bench, names)
        finally:
            bench.run_tests = own
        if report.ended == "exit" and batch:
            self._start_s = max(0.0, report.seconds - len(batch) * self._each())
        return report

    def _told(self, outcome: Outcome, seconds: float, beside: Sequence[str]) -> Checked:
        """The outcome in words; one line if it is what was said before."""
        text, print_ = outcome.text(seconds, self._texts), outcome.fingerprint
        if print_ == self._last:
            text = f"checks: same as before: {outcome.head(seconds)}"
        self._last = print_
        self._texts.update(outcome.failures)
        text = "\n".join([text, *filter(None, beside)])
        return Checked(self.bench.outputs.capped(text, head=HEAD, tail=TAIL).text, outcome.green, outcome.ran, seconds)


def _says_nothing(path: str) -> bool:
    """True for what no test is about."""
    return is_prose(path) or path.lower().endswith(_PICTURES)
