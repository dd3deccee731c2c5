"""run_tests: named tests, those that match a pattern, or the whole suite; failures first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from jobs.agent.tools import changes, inside
from jobs.agent.tools.arguments import RunTests
from jobs.agent.tools.cap import Capped
from jobs.agent.tools.changes import Change
from jobs.agent.tools.known import Chosen, chosen, is_test_file
from jobs.agent.tools.reds import named, told
from jobs.agent.tools.spec import Bench, ToolResult
from jobs.suite.compare import holds
from jobs.suite.report import Report

_NAMED = 10  # chosen tests that are named
_NO_SINGLE = "this suite reports no single tests: run it whole, or one file with shell"


def run(args: RunTests, bench: Bench) -> ToolResult:
    """Runs the tests through the harness; red tests are a result, not a failure of the tool."""
    if bench.run_tests is None:
        return ToolResult.failed("run_tests", "no test command is known here: run what you need with shell")
    asks = bool(args.tests or args.pattern)
    if asks and bench.single is False:
        return ToolResult.failed("run_tests", _NO_SINGLE)
    found = chosen(args.pattern, bench.known_tests, _touched(bench)) if args.pattern else Chosen(())
    tests = tuple(dict.fromkeys((*args.tests, *found.ids)))
    if found.unknown:
        return _whole(bench, f"whole suite, as ids of new tests in {named(found.unknown, 5)} were not known")
    if tests or not asks:
        return _some(tests, bench) if tests else _whole(bench, "whole suite")
    if not bench.known_tests:
        return _whole(bench, "whole suite, as no ids were known")
    example = bench.known_tests[0]
    why = f"no known test matches {args.pattern!r}: send ids as tests, e.g. {example}"
    return ToolResult.failed("run_tests", why)


def ran(bench: Bench, tests: tuple[str, ...] | None) -> Report:
    """A run's report; the bench remembers the ids that it had and the files that it left."""
    return _ran(bench, tests)[0]


@dataclass(frozen=True)
class _Traces:
    """What a run did to files that were there before: those that were put back, and the changes that stay."""

    back: tuple[str, ...]
    stay: tuple[Change, ...]

    def told(self) -> str:
        """In words, behind a blank line; empty where there is nothing to say."""
        parts = []
        if self.back:
            parts.append(
                f"The tests rewrote {named(self.back, _NAMED)}; put back as before: it is no part of the change."
            )
        if self.stay:
            parts.append(f"The tests changed files that were there before. {changes.told(self.stay)}")
        return "".join(f"\n\n{part}" for part in parts)


def _ran(bench: Bench, tests: tuple[str, ...] | None) -> tuple[Report, _Traces]:
    """A run's report, and what it did to files that were there before."""
    assert bench.run_tests is not None
    before = changes.fingerprints(bench)
    report = bench.run_tests(tests)
    found = changes.changes(before, bench)
    bench.left_by_tests |= {change.path for change in found if change.path not in before}
    bench.learn(report, whole=not tests)
    known = before.keys() - bench.left_by_tests
    back = _put_back(tuple(change for change in found if change.path in known), bench)
    for change in found:
        if change.path not in back:
            bench.texts.lose(change.path)
    return report, _Traces(back, tuple(c for c in found if c.path in known and c.path not in back))


def _put_back(found: Sequence[Change], bench: Bench) -> tuple[str, ...]:
    """Writes what the tests rewrote as it was, where that is known; the paths. A change is what the agent made, not
    what a snapshot became while its code was half done."""
    wanted = {c.path: (c.before, c.state) for c in found if c.before is not None and not c.mode}
    if not wanted or bench.read_only:
        return ()
    done = [one.path for one in inside.write(bench.cell, wanted) if not one.error]
    bench.snapshot = bench.cell.fingerprints()
    for path in done:
        bench.texts.keep(path, wanted[path][0])
    return tuple(sorted(done))


def _whole(bench: Bench, what: str) -> ToolResult:
    report, found = _ran(bench, None)
    return _result(report, told(report, what, cap=bench.outputs.capped), "", found)


def _some(tests: tuple[str, ...], bench: Bench) -> ToolResult:
    report, found = _ran(bench, tests)
    cap = bench.outputs.capped
    if report.tests is None and not bench.known_tests:
        return _result(report, told(report, "whole suite: it reports no single tests", cap=cap), "", found)
    whole = report.command == bench.whole_line and any("::" in t or " > " in t for t in tests)
    what = f"{len(tests)} chosen" + (" of the whole suite, which ran and whose exit code this is" if whole else "")
    # The output of a whole run is about other tests; what the chosen ones said stands in the report.
    own = replace(report, output="") if whole and report.tests else report
    absent = _absent(tests, report)
    if absent and len(absent) == len(tests):
        return ToolResult.failed("run_tests", f"no test ran: {_unknown(absent, bench)}")
    names = f"\n\nChosen: {named(tests)}" if len(tests) <= _NAMED else ""
    names += f"\n\nNot run: {_unknown(absent, bench)}" if absent else ""
    return _result(report, told(own, what, cap=cap), names, found)


def _absent(tests: Sequence[str], report: Report) -> list[str]:
    """Those of `tests` that a run that ended well knows nothing of."""
    if report.tests is None or report.ended != "exit":
        return []
    return [t for t in tests if not any(t == one or holds(t, one) or holds(one, t) for one in report.tests)]


def _unknown(absent: Sequence[str], bench: Bench) -> str:
    near = dict.fromkeys(one for test in absent[:_NAMED] for one in get_close_matches(test, bench.known_tests, 2, 0.5))
    like = f"the nearest known ones are {named(list(near))}" if near else "send a pattern instead"
    return f"the suite has no test {named(absent, _NAMED)}; {like}"


def _result(report: Report, text: Capped, more: str, traces: _Traces) -> ToolResult:
    found = traces.stay
    return ToolResult(
        ok=True,
        content=text.text + more + traces.told(),
        cut=text.cut,
        changed_files=tuple(change.path for change in found),
        states={change.path: change.state for change in found},
        tests={"green": _green(report), "ran": len(report.ids("passed", "failed", "error"))},
    )


def _green(report: Report) -> bool:
    """Whether it says something good: where tests are told one by one, one must have run."""
    return report.green and (report.tests is None or bool(report.ids("passed")))


def _touched(bench: Bench) -> dict[str, bytes]:
    """The test files that this session changed, with their bytes now."""
    paths = [path for path, state in bench.touched.items() if state is not None and is_test_file(path)]
    shown = inside.show(bench.cell, paths) if paths else ()
    return {view.path: view.data for one in shown for view in one.files if view.state == "text"}
