"""Finds out how a repository is prepared and tested, from its files alone. Pure but for `read`."""

from __future__ import annotations

from dataclasses import replace

from jobs.suite import node, python
from jobs.suite.command import runner_of, runs_script
from jobs.suite.source import Read, Source
from jobs.suite.suite import Suite, Toolchain

POLICY_FILE = ".github/patchwright.yml"


def detect(
    paths: tuple[str, ...], read: Read, policy_setup: tuple[str, ...] | None, policy_test: str | None
) -> Toolchain:
    """The toolchain of a tree with `paths`, whose files `read` gives (None where there is none).

    What the repository's own file says (`policy_*`) wins over what is found; `suite` is None where nothing says how
    to test.
    """
    source = Source(paths, read)
    found = [python.find(source), node.find(source)]
    named = [one for one in found if one is not None]
    best = max(named, key=lambda one: (one.suite is not None, one.tests), default=None)
    toolchain = Toolchain("other", (), None, ("No Python or Node project was found.",))
    if best is not None:
        others = [one for one in named if one is not best and one.suite is not None]
        why = best.why + tuple(f"`{o.suite.command}` was found too and is not run." for o in others if o.suite)
        toolchain = Toolchain(best.language, best.setup, best.suite, why)
    return _with_policy(toolchain, source, policy_setup, policy_test)


def _with_policy(found: Toolchain, source: Source, setup: tuple[str, ...] | None, test: str | None) -> Toolchain:
    if setup is not None:
        found = replace(found, setup=setup, why=(*found.why, f"Set-up: as {POLICY_FILE} says."))
    if test is not None:
        named = node.script_of(source, test) if runs_script(test) else ""
        suite = Suite(test, runner_of(test, named), POLICY_FILE, named)
        found = replace(found, suite=suite, why=(*found.why, f"Test command: as {POLICY_FILE} says."))
    return found
