"""Detects Elixir projects: Mix, ExUnit. Pure but for reading."""

from __future__ import annotations

import re

from jobs.suite.found import Found
from jobs.suite.source import Source
from jobs.suite.suite import Suite

_TESTS = r"(?!deps/)(.*/)?test/.*_test\.exs"
_SETUP = ("mix local.hex --force --if-missing", "mix local.rebar --force --if-missing", "mix deps.get")
ENV = {"MIX_HOME": "/env/mix", "HEX_HOME": "/env/hex", "MIX_ENV": "test"}


def find(source: Source) -> Found | None:
    """The Elixir side of a repository, None if there is none."""
    if "mix.exs" not in source:
        return None
    tests = source.matching(_TESTS)
    needs = "mix.lock" in source or re.search(r"\{:\w+,", source.text("mix.exs")) is not None
    setup = _SETUP if needs else ()
    prepared = "Set-up: hex, rebar and `mix deps.get`, since there is mix.exs." if needs else "Set-up: none is needed."
    if not tests:
        return Found("elixir", setup, None, (prepared, "No test command: there are no files of tests."), 0, ENV)
    why = "Test command: `mix test`, since there is mix.exs."
    return Found("elixir", setup, Suite("mix test", "exunit", "mix.exs"), (prepared, why), len(tests), ENV)
