"""How suites of languages beside Python and Node are started so that they leave a report. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from jobs.suite import junit, records
from jobs.suite.command import append, last_command, program, simple
from jobs.suite.plain import cargo, go, tables
from jobs.suite.suite import Suite
from jobs.suite.way import QUIET, Invocation

_GATHER = ("/opt/patchwright/bin/python3", "-I", "-S", "/opt/patchwright/gather.py")
_GATHERED = "gathered.xml"
_TESTS_OUT = {"CARGO_TERM_COLOR": "never", "CLICOLOR": "0", "CTEST_OUTPUT_ON_FAILURE": "1", "MIX_ENV": "test"}
_ENV = {**QUIET, **_TESTS_OUT}

Ids = tuple[str, ...]


def _go(suite: Suite, tests: Ids) -> Invocation:
    """Each event as a line of JSON: by an argument where the command is go's own, else by its variable."""
    direct = program(last_command(suite.command))[:2] == ["go", "test"] and "-args" not in suite.command
    names = [test.split(" > ")[1].split("/")[0] for test in tests if " > " in test]
    narrowed = bool(tests) and len(names) == len(tests) and direct and "-run" not in suite.command
    words = ["-json", *(["-run", _either(names)] if narrowed else [])]
    line = append(suite.command, words) if direct else suite.command
    env = _ENV if direct else {**_ENV, "GOFLAGS": "-json"}
    return Invocation(line, env, narrowed=narrowed, said=go.parse, shown=go.readable)


def _either(names: list[str]) -> str:
    return "^(" + "|".join(re.escape(name) for name in dict.fromkeys(names)) + ")$"


def _cargo(suite: Suite, tests: Ids) -> Invocation:
    """All targets, also behind one that failed: what did not run is not told apart from what is gone."""
    words = program(last_command(suite.command))
    if words[:1] != ["cargo"] or words[1:2] not in (["test"], ["t"]):
        return Invocation(suite.command, _ENV, said=cargo.parse)
    before, dashes, after = suite.command.partition(" -- ")
    line = before if "--no-fail-fast" in before else f"{before} --no-fail-fast"
    names = [test.split(" > ", 1)[1] for test in tests if " > " in test]
    narrowed = bool(tests) and len(names) == len(tests) and not dashes
    if narrowed:
        line = append(line, ["--", "--exact", *dict.fromkeys(names)])
    return Invocation(line + dashes + after, _ENV, narrowed=narrowed, said=cargo.parse)


def _rspec(suite: Suite, tests: Ids) -> Invocation:
    env = {**_ENV, "SPEC_OPTS": "--format progress --format json --out /out/rspec.json"}
    words = program(last_command(suite.command))
    bare = bool(words) and words[-1].endswith("rspec")
    narrowed = bool(tests) and bare and all(" > " in test for test in tests)
    line = suite.command
    if narrowed:
        files = dict.fromkeys(test.split(" > ", 1)[0] for test in tests)
        titles = [word for test in tests for word in ("-e", test.split(" > ", 1)[1])]
        line = append(line, [*files, *titles])
    return Invocation(line, env, {"rspec.json": records.parse_rspec}, narrowed)


def _minitest(suite: Suite, tests: Ids) -> Invocation:
    """Rake and Rails may run specs too."""
    options = {"TESTOPTS": "--verbose", "SPEC_OPTS": "--format progress --format json --out /out/rspec.json"}
    words = program(last_command(suite.command))
    rails = words[:1] != [] and words[0].endswith("rails") and words[-1] == "test"
    line = append(suite.command, ["--verbose"]) if rails else suite.command
    return Invocation(line, {**_ENV, **options}, {"rspec.json": records.parse_rspec}, said=tables.minitest)


def _phpunit(suite: Suite, tests: Ids) -> Invocation:
    scripted = program(last_command(suite.command))[:1] == ["composer"]
    between = ["--"] if scripted and " -- " not in suite.command else []
    words = [*between, "--log-junit", "/out/phpunit.xml"]
    names = [re.split(r"::| with data set ", test.rpartition(" > ")[2])[-1 if "::" in test else 0] for test in tests]
    narrowed = bool(tests) and "--filter" not in suite.command
    if narrowed:
        words += [
            "--filter",
            "/(" + "|".join(re.escape(name) for name in dict.fromkeys(names)) + ")( with data set .*)?$/",
        ]
    return Invocation(append(suite.command, words), _ENV, {"phpunit.xml": junit.parse_files}, narrowed)


def _maven(suite: Suite, tests: Ids) -> Invocation:
    return _gathered(suite, tests, "target/surefire-reports", "target/failsafe-reports")


def _gradle(suite: Suite, tests: Ids) -> Invocation:
    return _gathered(suite, tests, "build/test-results")


def _gathered(suite: Suite, tests: Ids, *folders: str) -> Invocation:
    """The reports that the build leaves in folders of its own, taken together once it has ended."""
    narrowed, line = False, suite.command
    classes = dict.fromkeys(test.split(" > ")[0] for test in tests)
    if tests and simple(line) and suite.runner == "maven":
        line = append(line, [f"-Dtest={','.join(classes)}", "-Dsurefire.failIfNoSpecifiedTests=false"])
        narrowed = True
    elif tests and simple(line) and line.rstrip().endswith(" test"):
        line, narrowed = append(line, [word for one in classes for word in ("--tests", one)]), True
    before = (*_GATHER, f"/out/{_GATHERED}", *(f"**/{folder}/**/*.xml" for folder in folders), "--")
    return Invocation(line, _ENV, {_GATHERED: junit.parse_classes}, narrowed, before=before)


def _dotnet(suite: Suite, tests: Ids) -> Invocation:
    line = append(suite.command, ["--logger", "console;verbosity=normal"])
    return Invocation(line, _ENV, said=tables.dotnet)


def _exunit(suite: Suite, tests: Ids) -> Invocation:
    words = program(last_command(suite.command))
    line = append(suite.command, ["--trace"]) if words[:2] == ["mix", "test"] else suite.command
    return Invocation(line, _ENV, said=tables.exunit)


def _ctest(suite: Suite, tests: Ids) -> Invocation:
    narrowed = bool(tests) and program(last_command(suite.command))[:1] == ["ctest"]
    line = append(suite.command, ["-R", _either(list(tests))]) if narrowed else suite.command
    return Invocation(line, _ENV, narrowed=narrowed, said=tables.ctest)


def _meson(suite: Suite, tests: Ids) -> Invocation:
    return Invocation(suite.command, _ENV, said=tables.meson)


def _automake(suite: Suite, tests: Ids) -> Invocation:
    return Invocation(suite.command, _ENV, said=tables.automake)


RUNNERS: dict[str, Callable[[Suite, Ids], Invocation]] = {
    "go": _go,
    "cargo": _cargo,
    "rspec": _rspec,
    "minitest": _minitest,
    "phpunit": _phpunit,
    "maven": _maven,
    "gradle": _gradle,
    "dotnet": _dotnet,
    "exunit": _exunit,
    "ctest": _ctest,
    "meson": _meson,
    "automake": _automake,
}
