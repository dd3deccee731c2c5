"""Detects Cargo packages and workspaces. Pure but for reading."""

from __future__ import annotations

from jobs.suite.found import Found
from jobs.suite.source import Source, table
from jobs.suite.suite import Suite

_SOURCES = r"(?!(.*/)?(target|vendor)/)(.*/)?(src|tests|crates/[^/]+/src)/.*\.rs"
_READ = 80  # files looked into for tests
ENV = {"CARGO_HOME": "/env/cargo"}


def find(source: Source) -> Found | None:
    """The Rust side of a repository, None if there is none."""
    if "Cargo.toml" not in source:
        return None
    manifest = source.toml("Cargo.toml")
    setup, prepared = _setup(source, manifest)
    tests = _tests(source)
    if not tests:
        return Found("rust", setup, None, (prepared, "No test command: no Rust file holds a test."), 0, _env(setup))
    command = "cargo test --workspace" if "workspace" in manifest else "cargo test"
    why = f"Test command: `{command}`, since there is Cargo.toml."
    return Found("rust", setup, Suite(command, "cargo", "Cargo.toml"), (prepared, why), tests, _env(setup))


def _env(setup: tuple[str, ...]) -> dict[str, str]:
    return dict(ENV) if setup else {}


def _setup(source: Source, manifest: dict[str, object]) -> tuple[tuple[str, ...], str]:
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    named = any(table(manifest.get(kind)) for kind in kinds) or "target" in manifest
    if not named and "workspace" not in manifest and 'source = "' not in source.text("Cargo.lock"):
        return (), "Set-up: none, Cargo.toml names no dependency."
    command = "cargo fetch --locked" if "Cargo.lock" in source else "cargo fetch"
    return (command,), f"Set-up: `{command}`, since there is {source.first('Cargo.lock', 'Cargo.toml')}."


def _tests(source: Source) -> int:
    paths = source.matching(_SOURCES)
    own = [path for path in paths if "/tests/" in f"/{path}"]
    return len(own) + sum("#[test]" in source.text(path) or "::test]" in source.text(path) for path in paths[:_READ])
