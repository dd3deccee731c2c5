"""The projects that the repository's own file names, put over what was detected. Pure but for reading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from jobs.suite import projects as monorepo
from jobs.suite.found import Found
from jobs.suite.language import runner_in
from jobs.suite.suite import Project, Suite, Toolchain


@dataclass(frozen=True)
class Named:
    """One entry of `projects:`; what it leaves out is detected in its folder."""

    path: str
    setup: tuple[str, ...] = ()
    test: str | None = None


def named_projects(found: Toolchain, named: tuple[Named, ...], detect: Callable[[str], Found | None]) -> Toolchain:
    """`found` with exactly these projects, one part of the suite each; one that has no tests is told."""
    made: list[Project] = []
    env: dict[str, str] = {}
    why = list(found.why)
    for one in named:
        folder = one.path.strip("/")
        inner = detect(folder)
        suite = Suite(one.test, runner_in(one.test), "projects") if one.test else inner.suite if inner else None
        if suite is None:
            why.append(f"No test command was found in {folder}: name it under `projects:`.")
            continue
        lines = one.setup or (inner.setup if inner else ())
        env |= inner.env if inner else {}
        setup = tuple(f"(cd {folder} && {line})" for line in lines)
        language = inner.language if inner else "other"
        made.append(Project(folder, language, setup, monorepo.below(suite, folder)))
    if not made:
        return replace(found, why=tuple(why))
    projects = tuple(made)
    why.append(f"Projects: {', '.join(one.path for one in projects)}, as the repository's own file says.")
    return replace(
        found,
        setup=monorepo.setup_of(projects),
        suite=monorepo.suite_of(projects),
        why=tuple(why),
        env={**found.env, **env},
        projects=projects,
    )
