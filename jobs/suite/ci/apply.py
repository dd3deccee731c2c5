"""Puts what a workflow says over what manifests say. Pure but for reading."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from jobs.suite.ci.choose import Ci, Line
from jobs.suite.ci.fit import fitted
from jobs.suite.found import Found
from jobs.suite.language import language_of, runner_in
from jobs.suite.source import Source
from jobs.suite.suite import Suite

_MOST = 6  # test commands of one job
# Variables of the machine that a workflow runs on, of its reports, and what would lead tools away from a layer.
_NOT_OURS = re.compile(
    r"(GITHUB|RUNNER|ACTIONS|CODECOV|COVERALLS|CODECLIMATE|PIP|UV|POETRY|CONDA|NPM|npm|YARN|PNPM|CARGO|RUSTUP|SCCACHE|"
    r"CCACHE|GRADLE|MAVEN|NUGET|DOTNET|COMPOSER|BUNDLE|HOMEBREW|ACT|TOXENV|TOX|NOX)(_\w+)?|\w*(TOKEN|SECRET|PASSWORD|_KEY)"
    r"|FORCE_COLOR|NO_COLOR|CLICOLOR\w*|PY_COLORS|TERM|CI|PATH|HOME|LD_\w+|CC|CXX|RUSTFLAGS|RUSTDOCFLAGS|RUST_BACKTRACE"
)


def chosen(cis: tuple[Ci, ...], found: Found | None) -> Ci | None:
    """The job that runs the tests of `found`'s language, else one with a general recipe; any, where nothing was
    found."""
    if found is None or found.suite is None:
        return cis[0] if cis else None
    named = [(ci, {language_of(line.text) for line in ci.tests}) for ci in cis]
    exact = next((ci for ci, languages in named if found.language in languages), None)
    return exact or next((ci for ci, languages in named if languages == {None}), None)


def applied(found: Found | None, ci: Ci, source: Source) -> Found:
    """`found` with the workflow's test command, where a cell can run it; else its command is named."""
    language = found.language if found else _language(ci)
    here = [line for line in ci.tests if language_of(line.text) in (language, None)][:_MOST]
    usable = [one for one in (fitted(line, language, found, source) for line in here) if one]
    suites = list(dict.fromkeys(replace(one, source=ci.job.workflow) for one in usable))
    said = ", ".join(f"`{_shown(line)}`" for line in (here or ci.tests)[:3])
    if found and found.suite and not suites:
        why = f"{ci.job.title}, tests with {said}: what a cell can run of it is named above."
        return replace(found, why=(*found.why, why, *_left_out(ci, here)), env={**_env(ci, here), **found.env})
    if not suites:
        return _as_it_stands(found, ci, language)
    suite = together(suites)
    told = f"Test command: `{suite.command}`, as {ci.job.title}, runs it."
    known = found or Found(language, (), None, (), 0)
    kept = tuple(one for one in known.why if not one.startswith(("Test command:", "No test command:")))
    return replace(
        known,
        suite=_before(suite, ci, known, source),
        why=(*kept, told, *_left_out(ci, here)),
        env={**_env(ci, here), **known.env},
    )


def together(suites: list[Suite]) -> Suite:
    """One suite that runs all of `suites`, in their order."""
    if len(suites) == 1:
        return suites[0]
    lines = [f"({one.command})" if one.folder else one.command for one in suites]
    return Suite(" && ".join(lines), "parts", suites[0].source, parts=tuple(suites))


def _language(ci: Ci) -> str:
    return next((one for one in (language_of(line.text) for line in ci.tests) if one), "other")


def _shown(line: Line) -> str:
    return line.text.strip().splitlines()[0][:100]


def _as_it_stands(found: Found | None, ci: Ci, language: str) -> Found:
    """The workflow's own commands, its builds before its tests, where nothing else says how to test."""
    setup = tuple(_in_folder(line) for line in ci.of("setup") if "${{" not in line.text)
    parts = [line for line in ci.lines if line.purpose in ("build", "test") and "${{" not in line.text]
    parts = [line for line in parts if line.purpose == "build" or line in ci.tests][: 2 * _MOST]
    if not any(line.purpose == "test" for line in parts):
        return found or Found(language, (), None, (f"{ci.job.title}, can't be read without a run.",), 0)
    command = " && ".join(_in_folder(line) for line in parts)
    suite = Suite(command, runner_in(parts[-1].text), ci.job.workflow)
    why = f"Test command: `{command}`, as {ci.job.title}, runs it."
    known = found or Found(language, setup, None, (f"Set-up: {len(setup)} commands of {ci.job.workflow}.",), 0)
    kept = tuple(one for one in known.why if not one.startswith("No test command:"))
    return replace(known, suite=suite, why=(*kept, why), env={**_env(ci, list(ci.tests)), **known.env})


def _in_folder(line: Line) -> str:
    inner = line.text if "\n" not in line.text else f"{{\n{line.text}\n}}"
    return f"(cd {line.folder} && {inner})" if line.folder else inner


def _env(ci: Ci, lines: list[Line]) -> Mapping[str, str]:
    """The variables that tests see in CI and that mean something here."""
    return {name: value for name, value in _told(lines).items() if not _leads_to_service(ci, value)}


def _left_out(ci: Ci, lines: list[Line]) -> tuple[str, ...]:
    """A sentence for each variable that leads to a service which is not here: without it tests may do without."""
    names = [name for name, value in _told(lines).items() if _leads_to_service(ci, value)]
    return tuple(
        f"{name} leads to a service of {ci.job.title}, and is left out: name both under `services:` and `env:`."
        for name in names
    )


def _told(lines: list[Line]) -> dict[str, str]:
    seen: dict[str, str] = {}
    for line in lines:
        seen |= line.env
    return {
        name: value
        for name, value in seen.items()
        if not _NOT_OURS.fullmatch(name) and "${{" not in value and "/home/runner" not in value and "\n" not in value
    }


def _leads_to_service(ci: Ci, value: str) -> bool:
    names = "|".join(map(re.escape, ("localhost", "127.0.0.1", *ci.job.services)))
    return bool(ci.job.services) and re.search(rf"(^|[/@])({names})(:\d+)?($|[/?])", value) is not None


_BUILT = re.compile(r"""['"](?:\.{1,2}/)*(?:dist|lib|build|out|es|cjs)/|(?:from|require\() ?['"]\.\.?/?['"]""")


def _before(suite: Suite, ci: Ci, found: Found, source: Source) -> Suite:
    """Where Node tests run what a build makes, the workflow's build goes before them, each time: what was built of
    other code proves nothing."""
    builds = [line for line in ci.of("build") if language_of(line.text) == "node" and line.folder == suite.folder]
    if found.language != "node" or not builds or suite.parts or "build" in suite.script or suite.folder:
        return suite
    main = source.json("package.json").get("main")
    built = isinstance(main, str) and main.removeprefix("./") not in source and f"{main}.js" not in source
    tests = source.matching(r"(?!(.*/)?node_modules/)(.*/)?(tests?|__tests__|spec)/.*\.[cm]?[jt]sx?")[:40]
    if not built or not any(_BUILT.search(source.text(path)) for path in tests):
        return suite
    build = fitted(builds[0], "node", found, source)
    return replace(suite, command=f"{build.command} && {suite.command}") if build else suite
