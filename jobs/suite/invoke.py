"""How a suite is started so that it leaves a report, and how it is narrowed to some tests. Pure.

The suite's own command runs as it stands; a report is asked for by environment wherever the runner can, else by
arguments behind the command.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from jobs.suite import invoke_compiled, junit, records
from jobs.suite.command import append, last_command, program, simple
from jobs.suite.plain import any as any_runner
from jobs.suite.suite import Suite
from jobs.suite.way import QUIET as _QUIET
from jobs.suite.way import Invocation

__all__ = ["Invocation", "invocation"]

PLUGINS = "/opt/patchwright/reports"
MAX_NAMES = 200  # more named tests than this: the whole suite is quicker to say and as quick to run
MAX_NAME_BYTES = 60_000

_PYTEST_REPORT, _UNITTEST_REPORT = "pytest.xml", "unittest.jsonl"
# Not `-p no:cacheprovider`: with it a repository's own --lf or --ff is an unknown option. A cache in the cell's
# private /tmp keeps nothing between runs either.
_PYTEST_OPTIONS = (
    f"--junitxml=/out/{_PYTEST_REPORT} -o junit_family=xunit1 -o cache_dir=/tmp/pytest-cache "
    "--continue-on-collection-errors"
)
_NODE_OPTIONS = (
    f"--test-reporter=spec --test-reporter-destination=stdout "
    f"--test-reporter={PLUGINS}/node.mjs --test-reporter-destination=/out/node.jsonl"
)


def invocation(suite: Suite, tests: tuple[str, ...] | None = None) -> Invocation:
    """How `suite` is run, narrowed to `tests` (ids as its reports name them) where the runner can."""
    names = tests if tests and len(tests) <= MAX_NAMES and sum(map(len, tests)) <= MAX_NAME_BYTES else ()
    return _RUNNERS.get(suite.runner, _other)(suite, names)


def _pytest(suite: Suite, tests: tuple[str, ...]) -> Invocation:
    env = {**_QUIET, "PYTEST_ADDOPTS": _PYTEST_OPTIONS}
    stem = _without_paths(suite.command) if tests else None
    line = suite.command if stem is None else append(stem, [_selectable(t) for t in tests])
    return Invocation(line, env, {_PYTEST_REPORT: junit.parse}, stem is not None)


def _without_paths(command: str) -> str | None:
    """`command` without the paths it names, since named tests would be added to them; None if that can't be told."""
    where = re.match(r"(cd [\w./-]+ && )?", command)
    prefix = where.group(0) if where else ""
    if not simple(command[len(prefix) :]):
        return None
    words = shlex.split(command[len(prefix) :])
    start = max((i for i, word in enumerate(words) if word.endswith(("pytest", "py.test"))), default=len(words)) + 1
    kept = words[:start]
    for before, word in zip(words[start - 1 :], words[start:], strict=False):
        if word.startswith("-"):
            kept.append(word)
        elif before.startswith("-") and "=" not in before and not re.fullmatch(r"-[qvsxl]+", before):
            return None  # perhaps the option's value
    return prefix + shlex.join(kept)


def _selectable(test: str) -> str:
    # Parameters with characters that XML can't hold come escaped; the whole function is then selected.
    path, bracket, parameters = test.partition("[")
    return path if re.search(r"#x[0-9A-F]{2}", parameters) else path + bracket + parameters


def _unittest(suite: Suite, tests: tuple[str, ...]) -> Invocation:
    env = {**_QUIET, **_unittest_env(tests)}
    return Invocation(suite.command, env, {_UNITTEST_REPORT: records.parse_lines}, bool(tests))


def _unittest_env(tests: tuple[str, ...]) -> dict[str, str]:
    env = {"PYTHONPATH": PLUGINS, "PATCHWRIGHT_UNITTEST_REPORT": f"/out/{_UNITTEST_REPORT}"}
    return {**env, "PATCHWRIGHT_UNITTEST_NAMES": "\n".join(tests)} if tests else env


def _node(suite: Suite, tests: tuple[str, ...]) -> Invocation:
    env = {**_QUIET, "NODE_OPTIONS": _NODE_OPTIONS}
    reports = {"node.jsonl": records.parse_lines}
    own = suite.script or suite.command
    words = program(own)
    if not tests or not simple(own) or "--test" not in words:
        return Invocation(suite.command, env, reports)
    flags = [w for w in words[1:] if w.startswith("-")]
    line = shlex.join([words[0], *flags, *_files(tests)])
    return Invocation(line, env, reports, narrowed=True)


def _jest(suite: Suite, tests: tuple[str, ...]) -> Invocation:
    words = ["--ci", "--json", "--outputFile=/out/jest.json"]
    if tests:
        words += ["-t", _titles(tests)]
        words += ["--runTestsByPath", *_files(tests)] if _bare(suite) else []
    env = {**_QUIET, "CI": "true"}
    return Invocation(append(suite.command, words), env, {"jest.json": records.parse_jest}, bool(tests))


def _vitest(suite: Suite, tests: tuple[str, ...]) -> Invocation:
    words = ["--run", "--reporter=default", "--reporter=json", "--outputFile.json=/out/vitest.json"]
    if tests:
        words += ["-t", _titles(tests), *(_files(tests) if _bare(suite) else [])]
    env = {**_QUIET, "CI": "true"}
    return Invocation(append(suite.command, words), env, {"vitest.json": records.parse_jest}, bool(tests))


def _mocha(suite: Suite, tests: tuple[str, ...]) -> Invocation:
    words = ["--reporter", f"{PLUGINS}/mocha.cjs"]
    words += ["--grep", _titles(tests)] if tests else []
    env = {**_QUIET, "PATCHWRIGHT_MOCHA_REPORT": "/out/mocha.jsonl"}
    return Invocation(append(suite.command, words), env, {"mocha.jsonl": records.parse_lines}, bool(tests))


def _other(suite: Suite, tests: tuple[str, ...]) -> Invocation:
    """A command that may start any runner somewhere inside: those that can be asked by environment are, and what it
    prints is read where none of them answers. Nothing is narrowed."""
    node = f"--require {PLUGINS}/ask.cjs {_NODE_OPTIONS}"
    env = {**_QUIET, **_unittest_env(()), "PYTEST_ADDOPTS": _PYTEST_OPTIONS, "NODE_OPTIONS": node}
    env |= {"SPEC_OPTS": "--format progress --format json --out /out/rspec.json", "TESTOPTS": "--verbose"}
    env |= {"CARGO_TERM_COLOR": "never", "CTEST_OUTPUT_ON_FAILURE": "1"}
    return Invocation(suite.command, env, _ANY_REPORTS, said=any_runner.parse)


_ANY_REPORTS = {
    _PYTEST_REPORT: junit.parse,
    _UNITTEST_REPORT: records.parse_lines,
    "rspec.json": records.parse_rspec,
    "node.jsonl": records.parse_lines,
    **{f"mocha{number or ''}.jsonl": records.parse_lines for number in range(4)},
    **{f"{name}{number or ''}.json": records.parse_jest for name in ("jest", "vitest") for number in range(4)},
}


def _bare(suite: Suite) -> bool:
    """True if the runner's line names no files or patterns of its own."""
    own = program(last_command(suite.script or suite.command))
    return all(word.startswith("-") or word in ("run", "watch") for word in own[1:])


def _files(tests: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(test.split(" > ", 1)[0] for test in tests))


def _titles(tests: tuple[str, ...]) -> str:
    """One pattern over full titles; an id without a title stands for its whole file."""
    titles = {" ".join(test.split(" > ")[1:]) for test in tests}
    if "" in titles:
        return ".*"
    return "^(" + "|".join(re.sub(r"([.*+?^${}()|\[\]\\/])", r"\\\1", t) for t in sorted(titles)) + ")$"


_RUNNERS: dict[str, Callable[[Suite, tuple[str, ...]], Invocation]] = {
    "pytest": _pytest,
    "unittest": _unittest,
    "node": _node,
    "jest": _jest,
    "vitest": _vitest,
    "mocha": _mocha,
    **invoke_compiled.RUNNERS,
}
