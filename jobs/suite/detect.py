"""Finds out how a repository is prepared and tested, from its files alone. Pure but for `read`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jobs.suite import node, python
from jobs.suite import projects as monorepo
from jobs.suite.ci.apply import applied, chosen, together
from jobs.suite.ci.choose import Ci, below, prepared
from jobs.suite.ci.choose import find as find_ci
from jobs.suite.ci.fit import fitted
from jobs.suite.ci.installs import Installs, installs
from jobs.suite.ci.versions import declared
from jobs.suite.command import runs_script
from jobs.suite.ecosystems import dotnet, elixir, go, jvm, native, php, recipes, ruby, rust
from jobs.suite.found import Found
from jobs.suite.language import language_of, runner_in
from jobs.suite.named_projects import Named, named_projects
from jobs.suite.needs import Need, in_manifests
from jobs.suite.source import Read, Source
from jobs.suite.suite import Suite, Toolchain

POLICY_FILE = ".github/patchwright.yml"
_NOTHING = "No project of a known kind was found."


def detect(
    paths: tuple[str, ...],
    read: Read,
    policy_setup: tuple[str, ...] | None,
    policy_test: str | None,
    policy_projects: tuple[Named, ...] = (),
) -> Toolchain:
    """The toolchain of a tree with `paths`, whose files `read` gives (None where there is none).

    What the repository's own file says (`policy_*`) wins over its workflows, those over its manifests; `suite` is
    None where nothing says how to test.
    """
    source = Source(paths, read)
    cis = find_ci(source)
    toolchain = _projects(_detected(source, cis), source, cis)
    if policy_projects:
        toolchain = named_projects(toolchain, policy_projects, lambda folder: _best(source.below(folder)))
    return _with_policy(toolchain, source, policy_setup, policy_test)


def _detected(source: Source, cis: tuple[Ci, ...]) -> Toolchain:
    named = _ecosystems(source, cis)
    best = max(named, key=_rank, default=None)
    ci = chosen(cis, best)
    found = applied(best, ci, source) if ci else best
    needs = (*(ci.needs if ci else ()), *in_manifests(source))
    if found is None:
        return Toolchain("other", (), None, (_NOTHING, *_told(needs)), needs=needs)
    others = [one for one in named if one is not best and one.suite is not None and not one.weak]
    why = found.why + tuple(f"`{o.suite.command}` was found too and is not run." for o in others if o.suite)
    versions = {key: one for key, one in declared(source).items() if key == found.language}
    told = tuple(f"{language} {version} is asked for by {where}." for language, (version, where) in versions.items())
    return Toolchain(
        found.language, found.setup, found.suite, (*why, *told, *_told(needs)), dict(found.env), needs, versions
    )


def _best(source: Source) -> Found | None:
    """What manifests alone say of a folder."""
    return max(_ecosystems(source, ()), key=_rank, default=None)


def _projects(found: Toolchain, source: Source, cis: tuple[Ci, ...]) -> Toolchain:
    """`found` with the projects below the top: those of a repository that has no suite there, and those with tests in
    CI that the top's do not reach."""

    def within(inner: Source, folder: str) -> Found | None:
        """What manifests and workflows say of a folder."""
        known = _best(inner)
        ci = next((one for one in (below(ci, folder) for ci in cis) if one.tests), None)
        return applied(known, ci, inner) if ci and known and known.suite else known

    folders = frozenset(line.folder for ci in cis for line in ci.tests if line.folder)
    own = found.suite is not None and found.suite.source not in _GENERAL and not found.suite.folder
    own = own and (monorepo.rooted(source) or bool(monorepo.outside(source, monorepo.find(source, within))))
    projects = monorepo.find(source, within, folders if own else None)
    if own:
        projects = tuple(one for one in projects if one.language != found.language)
    if not projects:
        return found
    suites = [*([found.suite] if own and found.suite else []), monorepo.suite_of(projects)]
    parts = [part for one in suites for part in (one.parts or (one,))]
    setup = (*(found.setup if own else ()), *monorepo.setup_of(projects))
    told = ", ".join(f"{one.path} ({one.language}: `{one.suite.command}`)" for one in projects)
    many = "1 project lies" if len(projects) == 1 else f"{len(projects)} projects lie"
    why = f"{many} below the top, each tested by itself: {told}."
    language = found.language if own else projects[0].language
    env = {**found.env, **{key: text for one in projects for key, text in _env_of(source, one.path).items()}}
    return replace(
        found, language=language, setup=setup, suite=together(parts), why=(*found.why, why), env=env, projects=projects
    )


_GENERAL = ("Makefile", "GNUmakefile", "makefile", "justfile", "Justfile", ".justfile", "Taskfile.yml", "Taskfile.yaml")


def _env_of(source: Source, folder: str) -> Mapping[str, str]:
    found = _best(source.below(folder))
    return found.env if found else {}


def _told(needs: tuple[Need, ...]) -> tuple[str, ...]:
    return tuple(need.sentence for need in needs)


def _rank(one: Found) -> tuple[bool, bool, int]:
    """A suite before none, a language's own before a general recipe, more tests before fewer."""
    return one.suite is not None, not one.weak, one.tests


def _ecosystems(source: Source, cis: tuple[Ci, ...]) -> list[Found]:
    asked, options = _python_asked(source, cis)
    found = [python.find(source, asked, options), node.find(source)]
    found += [one.find(source) for one in (go, rust, ruby, php, jvm, dotnet, elixir, native, recipes)]
    return [one for one in found if one is not None]


def _python_asked(source: Source, cis: tuple[Ci, ...]) -> tuple[Installs, str]:
    """What the job with Python's tests installs, and the options that it gives them."""
    for ci in cis:
        lines = [line for line in ci.tests if language_of(line.text) == "python"]
        if lines:
            suites = [fitted(line, "python", None, source) for line in lines]
            options = "\n".join(one.command for one in suites if one and one.runner == "pytest")
            return installs((*ci.of("setup"), *lines), source), options
    return installs(prepared(source), source), ""


def _with_policy(found: Toolchain, source: Source, setup: tuple[str, ...] | None, test: str | None) -> Toolchain:
    if setup is not None:
        found = replace(found, setup=setup, why=(*found.why, f"Set-up: as {POLICY_FILE} says."))
    if test is not None:
        named = node.script_of(source, test) if runs_script(test) else ""
        suite = Suite(test, runner_in(test, named), POLICY_FILE, named)
        found = replace(found, suite=suite, why=(*found.why, f"Test command: as {POLICY_FILE} says."))
    return found
