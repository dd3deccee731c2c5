"""Detects PHP projects: Composer; PHPUnit, Pest. Pure but for reading."""

from __future__ import annotations

import re

from jobs.suite.found import Found
from jobs.suite.source import Source, table
from jobs.suite.suite import Suite

_TESTS = r"(?!(.*/)?vendor/)(.*/)?[Tt]ests?/.*(Test|Spec|Cest)\.php|(?!(.*/)?vendor/)(.*/)?[Tt]ests/.*\.php"
_INSTALL = "composer install --no-interaction --no-progress --prefer-dist"


def find(source: Source) -> Found | None:
    """The PHP side of a repository, None if there is none."""
    if "composer.json" not in source:
        return None
    manifest = source.json("composer.json")
    tests = source.matching(_TESTS)
    suite, why = _suite(source, manifest, tests)
    prepared = f"Set-up: `{_INSTALL}`, since there is composer.json."
    return Found("php", (_INSTALL,), suite, (prepared, why), len(tests), {"COMPOSER_HOME": "/env/composer"})


def _suite(source: Source, manifest: dict[str, object], tests: list[str]) -> tuple[Suite | None, str]:
    wanted = {**table(manifest.get("require")), **table(manifest.get("require-dev"))}
    if "pestphp/pest" in wanted:
        return _made("vendor/bin/pest", "phpunit", "composer.json", "composer.json names pest")
    if "symfony/phpunit-bridge" in wanted and "phpunit/phpunit" not in wanted:
        return _made("vendor/bin/simple-phpunit", "phpunit", "composer.json", "composer.json names Symfony's bridge")
    settings = source.first("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
    if settings or ("phpunit/phpunit" in wanted and tests):
        command = "vendor/bin/phpunit" if settings or not tests else f"vendor/bin/phpunit {tests[0].split('/')[0]}"
        return _made(
            command, "phpunit", settings or "composer.json", f"there is {settings or 'phpunit among its needs'}"
        )
    script = table(manifest.get("scripts")).get("test")
    if script:
        runner = "phpunit" if isinstance(script, str) and re.search(r"phpunit|pest", script) else "other"
        return _made("composer test", runner, "composer.json", "composer.json has that script")
    return None, "No test command: composer.json names neither PHPUnit nor Pest, and has no test script."


def _made(command: str, runner: str, where: str, reason: str) -> tuple[Suite, str]:
    return Suite(command, runner, where), f"Test command: `{command}`, since {reason}."
