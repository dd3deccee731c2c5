"""Monorepos: the projects in a repository's folders, on which others each depends, and which a change concerns. Pure
but for reading."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from jobs.suite.ci.apply import together
from jobs.suite.found import Found
from jobs.suite.source import Source
from jobs.suite.suite import Project, Suite
from jobs.suite.surface import is_test

Detect = Callable[[Source, str], Found | None]  # a folder's files, and the folder

_MANIFESTS = (
    *("package.json", "pyproject.toml", "setup.py", "go.mod", "Cargo.toml", "Gemfile", "composer.json", "pom.xml"),
    *("build.gradle", "build.gradle.kts", "mix.exs", "CMakeLists.txt", "requirements.txt"),
)
_ASIDE = re.compile(
    r"(^|/)(examples?|samples?|demos?|docs?|website|fixtures?|templates?|tests?|__tests__|testdata|bench(marks?)?|vendor|"
    r"third[_-]party|external|node_modules|scripts?|tools?|\..*|infra|deploy|e2e|playground|dist|build|target)(/|$)",
    re.IGNORECASE,
)
_DEEPEST = 3  # folders
_MOST, _LOOKED_AT = 12, 60  # projects, folders
_NEEDED = re.compile(
    r"""(?:path|workspace)\s*[=:]\s*["']?(\.{1,2}/[\w./-]+)|["'](?:file|link|portal):(\.{1,2}/[\w./-]+)["']"""
    r"""|=>\s*(\.{1,2}/[\w./-]+)|file:///?\$\{PROJECT_ROOT\}/([\w./-]+)|^-e (\.{1,2}/[\w./-]+)""",
    re.MULTILINE,
)


def find(source: Source, detect: Detect, only: frozenset[str] | None = None) -> tuple[Project, ...]:
    """The projects below the top that can be tested; `only` those folders, where that is known."""
    folders = sorted(
        {posixpath.dirname(path) for path in source.paths if posixpath.basename(path) in _MANIFESTS} - {""}
    )
    chosen = [folder for folder in folders if _may(folder, only)][:_LOOKED_AT]
    found: list[Project] = []
    for folder in chosen:
        inside = any(folder.startswith(f"{one.path}/") for one in found)
        one = None if inside or len(found) >= _MOST else detect(source.below(folder), folder)
        if one is not None and one.suite is not None and not one.weak:
            setup = tuple(f"(cd {folder} && {line})" for line in one.setup)
            found.append(Project(folder, one.language, setup, below(one.suite, folder)))
    return tuple(replace(one, depends=_depends(source, one.path, found)) for one in found)


def rooted(source: Source) -> bool:
    """True if the top has a manifest of its own: what lies below is then its business."""
    return source.first(*_MANIFESTS, "go.work", "pnpm-workspace.yaml", "setup.cfg", "tox.ini", "Pipfile") is not None


def outside(source: Source, projects: tuple[Project, ...]) -> list[str]:
    """Files of tests that lie in none of `projects`."""
    places = tuple(f"{one.path}/" for one in projects)
    return [path for path in source.paths if is_test(path) and not path.startswith(places) and not _ASIDE.search(path)]


def below(suite: Suite, folder: str) -> Suite:
    """`suite` of a folder's own files, as it runs from the top."""
    parts = tuple(below(part, folder) for part in suite.parts)
    inner = posixpath.join(folder, suite.folder) if suite.folder else folder
    return replace(suite, command=f"cd {folder} && {suite.command}", folder=inner, parts=parts)


def _may(folder: str, only: frozenset[str] | None) -> bool:
    if only is not None:
        return folder in only
    return folder.count("/") < _DEEPEST and not _ASIDE.search(folder)


def _depends(source: Source, folder: str, projects: Iterable[Project]) -> tuple[str, ...]:
    """Folders of those that `folder`'s manifests lead to, or that its package.json names."""
    texts = [source.text(f"{folder}/{name}") for name in _MANIFESTS]
    led = {
        posixpath.normpath(posixpath.join(folder, path))
        for text in texts
        for groups in _NEEDED.findall(text)
        for path in groups
        if path
    }
    manifest = source.json(f"{folder}/package.json")
    named = {
        name
        for kind in ("dependencies", "devDependencies", "peerDependencies")
        for name in (manifest.get(kind) if isinstance(manifest.get(kind), dict) else {}) or {}
    }
    others = [one for one in projects if one.path != folder]
    return tuple(
        one.path
        for one in others
        if one.path in led or source.json(f"{one.path}/package.json").get("name") in (named or {""}) - {""}
    )


def suite_of(projects: tuple[Project, ...]) -> Suite:
    """The suite of all `projects`, one part each."""
    return together([part for one in projects for part in (one.suite.parts or (one.suite,))])


def setup_of(projects: tuple[Project, ...]) -> tuple[str, ...]:
    """The set-up of all `projects`. Those in Python share one environment: it is made once, and none takes out of it
    what another put in."""
    lines: list[str] = []
    for line in (line for one in projects for line in one.setup):
        made = re.search(r"uv venv .*\)", line)
        if made and any("uv venv " in known for known in lines):
            continue
        lines.append(line.replace("uv sync --frozen", "uv sync --frozen --inexact"))
    return tuple(dict.fromkeys(lines))


def concerned(projects: tuple[Project, ...], changed: Iterable[str]) -> tuple[Project, ...]:
    """The projects that a change of these paths touches, and those that depend on them; all of them where a path lies
    in none."""
    paths = tuple(changed)
    touched = {one.path for one in projects if any(path.startswith(f"{one.path}/") for path in paths)}
    if any(not any(path.startswith(f"{one.path}/") for one in projects) for path in paths):
        return projects
    while more := {one.path for one in projects if touched.intersection(one.depends)} - touched:
        touched |= more
    return tuple(one for one in projects if one.path in touched)
