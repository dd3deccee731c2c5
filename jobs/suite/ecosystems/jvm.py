"""Detects Java and Kotlin projects: Maven, Gradle. Pure but for reading."""

from __future__ import annotations

from jobs.suite.found import Found
from jobs.suite.source import Source
from jobs.suite.suite import Suite

_TESTS = r"(.*/)?src/(\w*[tT]est|test\w*)/.*\.(java|kt|kts|groovy|scala)"
# Test frameworks are fetched when tests run for the first time, so set-up runs them once; what it built is removed:
# a later run must never take it for its own.
_MAVEN = "{mvn} -B -ntp -Dmaven.test.failure.ignore=true test && {mvn} -B -ntp -q clean"
_GRADLE = "{gradle} --no-daemon --continue test || {gradle} --no-daemon testClasses; {gradle} --no-daemon clean"
_MAVEN_ENV = {"MAVEN_OPTS": "-Dmaven.repo.local=/env/m2/repository", "MAVEN_USER_HOME": "/env/m2"}
_GRADLE_ENV = {"GRADLE_RO_DEP_CACHE": "/env/gradle/caches"}


def find(source: Source) -> Found | None:
    """The Java side of a repository, None if there is none."""
    tests = len(source.matching(_TESTS))
    if "pom.xml" in source:
        mvn = "./mvnw" if "mvnw" in source else "mvn"
        return _found(f"{mvn} -B -ntp test", _MAVEN.format(mvn=mvn), "maven", "pom.xml", tests, _MAVEN_ENV)
    marker = source.first("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
    if marker is None:
        return None
    gradle = "./gradlew" if "gradlew" in source else "gradle"
    setup = f"export GRADLE_USER_HOME=/env/gradle; {_GRADLE.format(gradle=gradle)}"
    command = f"{gradle} --no-daemon --offline --continue test"
    return _found(command, setup, "gradle", marker, tests, _GRADLE_ENV)


def _found(command: str, setup: str, runner: str, marker: str, tests: int, env: dict[str, str]) -> Found:
    prepared = f"Set-up: `{setup}`, since tests fetch what they need as they run."
    if not tests:
        return Found("java", (setup,), None, (prepared, "No test command: there are no files of tests."), 0, env)
    why = f"Test command: `{command}`, since there is {marker}."
    return Found("java", (setup,), Suite(command, runner, marker), (prepared, why), tests, env)
