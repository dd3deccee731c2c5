"""Detects Go modules and workspaces. Pure but for reading."""

from __future__ import annotations

import re

from jobs.suite.found import Found
from jobs.suite.source import Source
from jobs.suite.suite import Suite

_TESTS = r"(?!(.*/)?(vendor|testdata|node_modules)/)(.*/)?[^/]+_test\.go"
# Modules lie in the layer; another version of Go than the one here is never fetched unseen.
ENV = {"GOMODCACHE": "/env/go/mod", "GOTOOLCHAIN": "local"}


def find(source: Source) -> Found | None:
    """The Go side of a repository, None if there is none."""
    marker = source.first("go.work", "go.mod")
    if marker is None:
        return None
    tests = source.matching(_TESTS)
    setup, prepared = _setup(source, marker)
    if not tests:
        return Found("go", setup, None, (prepared, "No test command: there is no file of Go tests."), 0, ENV)
    command = "go test ./..." if marker == "go.mod" else _workspace(source)
    why = f"Test command: `{command}`, since there is {marker}."
    return Found("go", setup, Suite(command, "go", marker), (prepared, why), len(tests), ENV)


def _setup(source: Source, marker: str) -> tuple[tuple[str, ...], str]:
    if "vendor/modules.txt" in source:
        return (), "Set-up: none, modules are vendored."
    if marker == "go.mod" and not re.search(
        r"^[ \t]*+(require\b|[\w.-]+\.[a-z]+/\S+ v\d)", source.text("go.mod"), re.M
    ):
        return (), "Set-up: none, go.mod requires no module."
    return ("go mod download",), f"Set-up: `go mod download`, since there is {marker}."


def _workspace(source: Source) -> str:
    used = re.findall(r"^[ \t]*+(?:use\s+)?(\.[\w./-]*)\s*$", source.text("go.work"), re.MULTILINE)
    places = [f"./{path.removeprefix('./').strip('/')}/..." if path != "." else "./..." for path in used] or ["./..."]
    return f"go test {' '.join(places)}"
