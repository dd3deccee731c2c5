"""run_tests: named tests, those that match a pattern, or the whole suite; failures first."""

from __future__ import annotations

from fnmatch import fnmatch

from jobs.agent.tools.arguments import RunTests
from jobs.agent.tools.cap import Capped, middle, plain
from jobs.agent.tools.spec import Bench, ToolResult
from jobs.suite.report import Report

_NAMED = 20  # red tests shown with their message


def run(args: RunTests, bench: Bench) -> ToolResult:
    """Runs the tests through the harness; red tests are a result, not a failure of the tool."""
    if bench.run_tests is None:
        return ToolResult.failed("run_tests", "no test command is known here: run what you need with shell")
    tests = args.tests
    if args.pattern:
        found = matching(args.pattern, bench.known_tests)
        if not found and not tests:
            example = f", e.g. {bench.known_tests[0]}" if bench.known_tests else ""
            return ToolResult.failed("run_tests", f"no known test matches {args.pattern!r}: send ids as tests{example}")
        tests = (*tests, *found)
    report = bench.run_tests(tests or None)
    bench.snapshot = None
    text = told(report, f"{len(tests)} chosen" if tests else "whole suite")
    return ToolResult(ok=True, content=text.text, cut=text.cut)


def matching(pattern: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Known test ids that contain `pattern` (`*` stands for anything; case does not matter)."""
    wanted = f"*{pattern.lower()}*"
    return tuple(test for test in known if fnmatch(test.lower(), wanted))


def told(report: Report, what: str) -> Capped:
    """A report as the model reads it: one line of figures, the red tests with their messages, the raw output."""
    counts = report.counts
    figures = ", ".join(f"{n} {state}" for state, n in counts.items() if n) if counts else "no per-test report"
    how = f"exit code {report.exit_code}" if report.ended == "exit" else f"ended by {report.ended}"
    head = f"run_tests ({what}): {figures or 'no test ran'}; {how}; {report.seconds:.1f} s"
    red = [f"RED {test}\n{plain(report.failures.get(test, '')).strip()}" for test in sorted(report.red)[:_NAMED]]
    if len(report.red) > _NAMED:
        red.append(f"RED too: {', '.join(sorted(report.red)[_NAMED:][:100])}")
    needs_output = not report.green and not any(report.failures.values())
    parts = [head, *red, *([plain(report.output).strip()] if needs_output else [])]
    return middle("\n\n".join(parts), head=16_000, tail=8_000)
