"""Which formatters and linters a repository is set up for, as commands that mend what they find. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jobs.suite.source import Source, table

_ESLINT = r"(?:.*/)?(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.(?:js|cjs|json|ya?ml))?)"
_PRETTIER = r"(?:prettier\.config\.[cm]?[jt]s|\.prettierrc(?:\.(?:js|cjs|mjs|json|json5|ya?ml|toml))?)"
_WORKFLOWS = r"\.github/workflows/[^/]+\.ya?ml"


def fixers(source: Source) -> tuple[str, ...]:
    """Commands in the order in which they are to run: what mends meaning first, layout last. A tool counts as the
    repository's own only where it has a configuration or is called by its checks."""
    return tuple(dict.fromkeys([*_python(source), *_script(source), *_others(source)]))


def _python(source: Source) -> Iterable[str]:
    tools = table(source.toml("pyproject.toml").get("tool"))
    called = _called(source)
    ruff = "ruff" in tools or source.first("ruff.toml", ".ruff.toml")
    if ruff or "ruff check" in called:
        yield "ruff check --fix --quiet ."
    if "isort" in tools or source.first(".isort.cfg"):
        yield "isort --quiet ."
    if "black" in tools or re.search(r"\bblack\b", called):
        yield "black --quiet ."
    elif "ruff-format" in called or "ruff format" in called or "format" in table(tools.get("ruff")):
        yield "ruff format --quiet ."


def _script(source: Source) -> Iterable[str]:
    package = source.json("package.json")
    if source.matching(_ESLINT) or "eslintConfig" in package:
        yield "npx --no-install eslint --fix ."
    if source.matching(_PRETTIER) or "prettier" in package:
        yield "npx --no-install prettier --write --log-level warn ."


def _others(source: Source) -> Iterable[str]:
    if source.first("go.mod"):
        yield "gofmt -w ."
    if source.first("Cargo.toml"):
        yield "cargo fmt"


def _called(source: Source) -> str:
    """The texts in which a repository calls its checks."""
    files = [".pre-commit-config.yaml", "tox.ini", "noxfile.py", "Makefile", "justfile", *source.matching(_WORKFLOWS)]
    return "\n".join(source.text(path) for path in files)
