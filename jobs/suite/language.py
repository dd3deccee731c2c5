"""Which language's tests a command runs, and with which runner. Pure."""

from __future__ import annotations

import re

from jobs.suite.ci.script import bare
from jobs.suite.command import runner_of

_LANGUAGES = (
    # language, what its commands begin with, the runner that they end in
    ("python", r"py\.?test\b|python[\d.]* |coverage |nosetests|stestr|trial\b|tox\b|nox\b|hatch |django-admin ", ""),
    (
        "node",
        (
            r"npm |npx |pnpm |yarn\b|bun |bunx |node |jest\b|vitest\b|_?mocha\b|ava\b|tap\b|tape\b|c8 |nyc |"
            r"playwright|cypress|lerna |nx |turbo "
        ),
        "",
    ),
    ("go", r"go test|gotestsum|richgo|ginkgo|gotest\b", "go"),
    ("rust", r"cargo |cross test", "cargo"),
    ("ruby", r"(\S*/)?rspec\b", "rspec"),
    ("ruby", r"(\S*/)?(rake|rails)\b|ruby |(\S*/)?minitest", "minitest"),
    ("php", r"(\S*/)?(phpunit|simple-phpunit|pest|paratest)\b", "phpunit"),
    ("php", r"composer |php ", "other"),
    ("java", r"mvn\b|\./mvnw\b|mvnd\b", "maven"),
    ("java", r"gradle\b|\S*gradlew\b", "gradle"),
    ("dotnet", r"dotnet ", "dotnet"),
    ("elixir", r"mix ", "exunit"),
    ("native", r"ctest\b|cmake |ninja\b", "ctest"),
    ("native", r"meson ", "meson"),
)
_RULES = tuple((language, re.compile(rule), runner) for language, rule, runner in _LANGUAGES)
# Runners that make environments of their own: nothing of them is there without a network.
MAKES_ENVIRONMENTS = re.compile(r"(tox|nox|hatch)\b|python[\d.]* -m (tox|nox)\b|pre-commit\b|act\b|earthly\b")


def language_of(command: str) -> str | None:
    """The language whose tests `command` runs, None for general recipes (`make test`)."""
    text = " ".join(bare(command))
    return next((language for language, rule, _ in _RULES if rule.match(text)), None)


def runner_in(command: str, script: str = "") -> str:
    """The runner that `command` (or the package script that it runs) ends in; `other` if none is recognised."""
    known = runner_of(command, script)
    if known != "other":
        return known
    text = " ".join(bare(script or command))
    return next((runner for _, rule, runner in _RULES if runner and rule.match(text)), "other")
