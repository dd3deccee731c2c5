"""Detects Ruby projects: Bundler; RSpec, minitest, Rails. Pure but for reading."""

from __future__ import annotations

import re

from jobs.suite.found import Found
from jobs.suite.source import Source
from jobs.suite.suite import Suite

_SPECS = r"(.*/)?spec/.*_spec\.rb"
_TESTS = r"(.*/)?test/(.*/)?([^/]+_test|test_[^/]+)\.rb"
ENV = {"BUNDLE_PATH": "/env/bundle"}
_ALONE = (
    "ruby -Ilib -Itest -e 'Dir[\"test/**/{*_test,test_*}.rb\"].sort.each { |f| require File.expand_path(f) }' -- -v"
)


def find(source: Source) -> Found | None:
    """The Ruby side of a repository, None if there is none."""
    gemspecs = source.matching(r"[^/]+\.gemspec")
    marker = source.first("Gemfile", *gemspecs, "Rakefile")
    specs, tests = source.matching(_SPECS), source.matching(_TESTS)
    if marker is None or (marker == "Rakefile" and not (specs or tests)):
        return None
    bundled = "Gemfile" in source
    setup = ("bundle install",) if bundled else ()
    prepared = (
        "Set-up: `bundle install`, since there is a Gemfile." if bundled else "Set-up: none, there is no Gemfile."
    )
    named = "\n".join(source.text(path) for path in ("Gemfile", *gemspecs))
    suite, why = _suite(source, named, len(specs), len(tests), "bundle exec " if bundled else "")
    return Found("ruby", setup, suite, (prepared, why), len(specs) + len(tests), ENV if bundled else {})


def _suite(source: Source, named: str, specs: int, tests: int, start: str) -> tuple[Suite | None, str]:
    if specs and (specs >= tests or not tests):
        return _made(f"{start}rspec", "rspec", "spec/", f"there are {specs} files of specs")
    if not tests:
        return None, "No test command: there are neither specs nor tests."
    if "bin/rails" in source:
        return _made("bin/rails test", "minitest", "bin/rails", "it is a Rails application")
    if re.search(r"TestTask|Minitest::|\btask\W+test\b", source.text("Rakefile")):
        return _made(f"{start}rake test", "minitest", "Rakefile", "the Rakefile has that task")
    runner = "minitest" if "test-unit" not in named else "other"
    return _made(start + _ALONE, runner, "test/", f"there are {tests} files of tests")


def _made(command: str, runner: str, where: str, reason: str) -> tuple[Suite, str]:
    return Suite(command, runner, where), f"Test command: `{command}`, since {reason}."
