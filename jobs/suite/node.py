"""Detects Node projects: set-up by the lock file, the suite by package.json. Pure but for reading."""

from __future__ import annotations

import re

from jobs.suite.command import runner_of, runs_script
from jobs.suite.found import Found
from jobs.suite.source import Source, table
from jobs.suite.suite import Suite

_TESTS = (
    r"(?!(.*/)?node_modules/)(.*/)?"
    r"([^/]*[._-](test|spec)\.[cm]?[jt]sx?|tests?\.[cm]?[jt]sx?|(tests?|__tests__)/[^/]*\.[cm]?[jt]sx?)"
)
_NO_TEST = re.compile(r"no test specified|^\s*(true|exit 0|:)?\s*$|^\s*echo\b[^&|;]*$")
_QUIET = "--no-audit --no-fund"
_LOCKS = (
    ("package-lock.json", f"npm ci {_QUIET}"),
    ("npm-shrinkwrap.json", f"npm ci {_QUIET}"),
    ("pnpm-lock.yaml", "npx --yes pnpm install --frozen-lockfile"),
    ("yarn.lock", "npx --yes yarn install --frozen-lockfile"),
)


def find(source: Source) -> Found | None:
    """The Node side of a repository, None if there is none."""
    tests = source.matching(_TESTS)
    if "package.json" not in source and not any("node:test" in source.text(path) for path in tests[:50]):
        return None
    setup, why = _setup(source)
    suite, because = _suite(source, tests)
    return Found("node", setup, suite, (*why, because), len(tests))


def script_of(source: Source, command: str) -> str:
    """The line in package.json that `command` runs, empty if there is none."""
    name = runs_script(command)
    scripts = table(source.json("package.json").get("scripts"))
    return str(scripts.get(name, "")) if name else ""


def _setup(source: Source) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if "package.json" not in source:
        return (), ("Set-up: none, there is no package.json.",)
    for lock, command in _LOCKS:
        if lock in source:
            return (command,), (f"Set-up: `{command}`, since there is {lock}.",)
    manifest = source.json("package.json")
    wanted = [
        key for key in ("dependencies", "devDependencies", "optionalDependencies", "workspaces") if manifest.get(key)
    ]
    if not wanted:
        return (), ("Set-up: none, package.json names no dependency.",)
    command = f"npm install --no-package-lock {_QUIET}"
    return (command,), (f"Set-up: `{command}`, since package.json has {wanted[0]} and there is no lock file.",)


def _suite(source: Source, tests: list[str]) -> tuple[Suite | None, str]:
    manifest = source.json("package.json")
    script = table(manifest.get("scripts")).get("test")
    if isinstance(script, str) and not _NO_TEST.search(script):
        suite = Suite("npm test", runner_of("npm test", script), "package.json", script)
        return suite, f"Test command: `npm test`, since package.json has the script `{script}`."
    wanted = {**table(manifest.get("dependencies")), **table(manifest.get("devDependencies"))}
    for runner, command in (("vitest", "npx vitest run"), ("jest", "npx jest"), ("mocha", "npx mocha")):
        if runner in wanted and tests:
            why = f"Test command: `{command}`, since package.json names {runner} and has no test script."
            return Suite(command, runner, "package.json"), why
    used = next((path for path in tests[:50] if "node:test" in source.text(path)), None)
    if used is not None:
        return Suite("node --test", "node", used), f"Test command: `node --test`, since {used} imports node:test."
    return None, "No test command: package.json has no test script, and no known test runner is used."
