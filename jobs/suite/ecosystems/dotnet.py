"""Detects .NET solutions and projects. Pure but for reading."""

from __future__ import annotations

from jobs.suite.found import Found
from jobs.suite.source import Source
from jobs.suite.suite import Suite

_PROJECTS = r"(.*/)?[^/]+\.(cs|fs|vb)proj"
ENV = {
    "NUGET_PACKAGES": "/env/nuget",
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_NOLOGO": "1",
    "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
}


def find(source: Source) -> Found | None:
    """The .NET side of a repository, None if there is none."""
    projects = source.matching(_PROJECTS)
    solutions = source.matching(r"[^/]+\.slnx?")
    if not projects:
        return None
    top = solutions[:1] or [path for path in projects if "/" not in path][:1]
    tested = [path for path in projects if "Microsoft.NET.Test.Sdk" in source.text(path) or _named(path)]
    # With one file at the top nothing needs to be named; else each project of tests is.
    target = "" if len(solutions) == 1 or (top and not solutions) else " ".join([*top] or tested[:1])
    restore = f"dotnet restore {target}".strip()
    prepared = f"Set-up: `{restore}`, since there is {(top or projects)[0]}."
    if not tested:
        return Found("dotnet", (restore,), None, (prepared, "No test command: no project is one of tests."), 0, ENV)
    command = f"dotnet test {target}".strip() + " --no-restore"
    why = f"Test command: `{command}`, since {tested[0]} is a project of tests."
    return Found("dotnet", (restore,), Suite(command, "dotnet", tested[0]), (prepared, why), len(tested), ENV)


def _named(path: str) -> bool:
    return path.rsplit("/", 1)[-1].rpartition(".")[0].lower().endswith(("test", "tests", "specs"))
