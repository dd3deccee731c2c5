"""What a check's report means against the base, and how that is told. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from jobs.agent.choice import Choice
from jobs.agent.tools.cap import Capped
from jobs.agent.tools.reds import named, place, told
from jobs.suite.compare import in_file, passes
from jobs.suite.report import Report

_NAMED = 5  # targets that are named in one line
_LINE = 300  # characters of a message that is not told anew
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


@dataclass(frozen=True)
class Outcome:
    """One check. `broken` were green on the base, `strange` are red and were not known there, `known_red` were red
    there too and are not about the request. `still` are targets that are not green, `unrun` those of them that did not
    run. `left` counts the tests that matter and were left out for time."""

    report: Report
    broken: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()
    known_red: int = 0
    fixed: tuple[str, ...] = ()
    still: tuple[str, ...] = ()
    unrun: tuple[str, ...] = ()
    whole: bool = False
    others: int = 0
    left: int = 0

    @property
    def ran(self) -> int:
        """How many tests ran: skipped ones did not."""
        return len(self.report.ids("passed", "failed", "error"))

    @property
    def green(self) -> bool:
        """See Checked."""
        if self.report.ended != "exit" or self.broken or self.strange or self.still:
            return False
        return bool(self.fixed or self.report.ids("passed")) if self.report.tests is not None else self.report.green

    def fresh(self, baseline: Report | None, files: Collection[str]) -> bool:
        """True if a test passed that the base did not have and that stands in one of `files`."""
        known = {} if baseline is None else baseline.tests or {}
        return any(in_file(test, path) for test in self.report.ids("passed").difference(known) for path in files)

    @property
    def failures(self) -> dict[str, str]:
        """The messages that it told."""
        return {test: self.report.failures.get(test, "") for test in self._shown}

    @property
    def fingerprint(self) -> str:
        """Equal for checks that say the same."""
        said = sorted((test, _gist(text)) for test, text in self.failures.items())
        where = "" if self.report.tests is not None else self.report.output
        return repr((self.green, self.ran, self.fixed, self.still, self.unrun, self.report.ended, said, where))

    @property
    def _shown(self) -> tuple[str, ...]:
        red = self.report.red
        # A target may stand for a file that could not be loaded: what it holds is told then.
        inside = [t for t in red if any(t.startswith((one + "::", one + " > ", one + ".")) for one in self.still)]
        return tuple(
            dict.fromkeys([*self.broken, *self.strange, *(t for t in self.still if t in red), *sorted(inside)])
        )

    def head(self, seconds: float) -> str:
        """One line of figures."""
        what = "the whole suite" if self.whole else f"{_tests(self.ran)} that matter{'s' if self.ran == 1 else ''}"
        if self.report.tests is None:
            return f"{what}: no single tests reported; {self._ending()}; {seconds:.1f} s{self._left()}"
        if self.whole:
            what = f"{what} ({_tests(self.ran)})"
        skipped, red = len(self.report.ids("skipped")), len(self.report.red)
        if self.green and not red:
            beside = f" but {skipped} skipped" if skipped else ""
            beside += f" but exit code {self.report.exit_code}" if self.whole and self.report.exit_code else ""
            return f"{what}, all green{beside} in {seconds:.1f} s{self._targets()}{self._left()}"
        counts = [(len(self.report.ids("passed")), "green"), (len(self.broken), "newly red")]
        counts += [(len(self.strange), "red and not known on the base"), (self.known_red, "red on the base too")]
        figures = ", ".join(f"{n} {word}" for n, word in [*counts, (skipped, "skipped")] if n) or "none ran"
        return f"{what}: {figures}; {self._ending()}; {seconds:.1f} s{self._targets()}{self._left()}"

    def text(self, seconds: float, before: Mapping[str, str]) -> str:
        """All of it; a failure whose message is the one in `before` (by id) is told in a line."""
        rows = [f"checks: {self.head(seconds)}"]
        rows += [f"NEWLY RED (green on the base): {named(self.broken)}"] if self.broken else []
        rows += [f"RED, not known on the base: {named(self.strange)}"] if self.strange else []
        running = [test for test in self.still if test not in self.unrun]
        rows += [f"target still red: {named(running)}"] if running else []
        rows += [f"target did not run (renamed, left out, or no time): {named(self.unrun)}"] if self.unrun else []
        old = [t for t in self._shown if t in before and _gist(before[t]) == _gist(self.report.failures.get(t, ""))]
        rows += [f"{test} fails as before: {_last(self.report.failures.get(test, ''))}" for test in old[:_NAMED]]
        return "\n\n".join(["\n".join(rows), *self._verbatim([t for t in self._shown if t not in old])])

    def _verbatim(self, tests: Sequence[str]) -> list[str]:
        """The failures as run_tests tells them, without its line of figures; the raw output where no id speaks."""
        report = self.report
        if report.tests is not None:
            kept = {test: state for test, state in report.tests.items() if test in tests}
            silent = bool(kept) or self.green or bool(self._shown)
            report = replace(report, tests=kept, output="" if silent else report.output)
        elif self.green:
            return []
        body = told(report, "", cap=_uncut).text.partition("\n\n")[2].strip()
        return [body] if body else []

    def _ending(self) -> str:
        report = self.report
        if report.ended != "exit":
            return f"ended by {report.ended}: what did not run is not known"
        return f"exit code {report.exit_code}"

    def _targets(self) -> str:
        done = [f"target {named([_short(t) for t in self.fixed], _NAMED)} green"] if self.fixed else []
        open_ = [f"target {named([_short(t) for t in self.still], _NAMED)} NOT green"] if self.still else []
        return f" ({'; '.join([*done, *open_])})" if done or open_ else ""

    def _left(self) -> str:
        late = f"; stopped at the time cap, {self.left} that matter not run: use run_tests" if self.left else ""
        return late + (
            f"; {self.others} other{'s' if self.others > 1 else ''} of the suite not run" if self.others else ""
        )


def judged(report: Report, targets: Collection[str], baseline: Report | None, choice: Choice, skipped: int) -> Outcome:
    """What `report` says; `skipped` of the chosen tests were left out for time."""
    red, seen = report.red, report.tests or {}
    base = {} if baseline is None or baseline.tests is None else baseline.tests
    still = [test for test in sorted(targets) if not passes(test, report)]
    fresh = [test for test in sorted(red.difference(targets)) if base.get(test) not in ("failed", "error")]
    broken = [test for test in fresh if base.get(test) == "passed" or not base]
    holders = tuple(f"{test}{mark}" for test in seen for mark in ("::", " > ", "."))
    return Outcome(
        report=report,
        broken=tuple(broken),
        strange=tuple(test for test in fresh if test not in broken),
        known_red=len(red.difference(targets, fresh)),
        fixed=tuple(test for test in sorted(targets) if test not in still),
        still=tuple(still),
        unrun=tuple(t for t in still if t not in seen and not t.startswith(holders) and not _holds_any(t, seen)),
        whole=choice.whole,
        others=0 if choice.whole else max(0, choice.known - len(seen) - max(skipped, 0)),
        left=max(skipped, 0),
    )


def joined(reports: Sequence[Report]) -> Report:
    """Several runs as one; the first that did not end well says how they ended."""
    last = next((r for r in reports if r.ended != "exit" or r.exit_code), reports[-1])
    tests = {test: state for r in reports for test, state in (r.tests or {}).items()}
    failures = {test: text for r in reports for test, text in r.failures.items()}
    known = any(r.tests is not None for r in reports)
    seconds = sum(r.seconds for r in reports)
    return replace(last, tests=tests if known else None, failures=failures, seconds=seconds)


def _uncut(text: str, **_: int) -> Capped:
    """The whole text: who tells it keeps what it cuts."""
    return Capped(text, cut=False)


def _holds_any(outer: str, tests: Collection[str]) -> bool:
    return any(test.startswith((outer + "::", outer + " > ", outer + ".")) for test in tests)


def _gist(text: str) -> str:
    """Where and how a failure ended, without what differs from run to run."""
    last, message = place(text)
    return _ADDRESS.sub("0x", f"{last.split(':')[0]}\n{message}")


def _last(text: str) -> str:
    rows = [row.strip() for row in place(text)[1].splitlines() if row.strip()]
    return " ".join(rows)[:_LINE] or "(no message)"


def _short(test: str) -> str:
    return re.split(r"::| > ", test)[-1]


def _tests(number: int) -> str:
    return f"{number} test" + ("" if number == 1 else "s")
