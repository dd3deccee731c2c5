"""Workflows and outputs that are made to take forever: read in the time of their length, or not at all."""

from __future__ import annotations

import itertools

import pytest

from jobs.suite.ci.expressions import fill, holds
from jobs.suite.ci.purpose import purpose
from jobs.suite.ci.script import commands
from jobs.suite.detect import detect
from jobs.suite.parsed import Unreadable
from jobs.suite.plain import any as anything


@pytest.mark.parametrize(
    "command",
    [
        "npm" + " ./x/test" * 5000,
        "make" + " -C x" * 5000,
        "python" + " -W x" * 5000,
        "npm" + " --a b" * 5000,
        "mvn " * 9000,
    ],
)
def test_commands_of_many_words(command: str) -> None:
    assert [purpose(one) for one in commands(command)]


@pytest.mark.parametrize("unit", ["${{", "${{ a ", "((", "\n", " \n", "if ", "a(){", "<<x\n", "\\\n", "'"])
def test_scripts_of_openings(unit: str) -> None:
    script = unit * (200_000 // len(unit))
    assert isinstance(fill(script, {}), str)
    assert holds(script[:20_000], {}) in (True, False)
    assert isinstance(commands(script), list)


@pytest.mark.parametrize(
    "unit", ["ok ", " ", "test a ... ", "1/1 Test #1: ", " . ", "A#b = ", "  * test ( ", "running 9 tests\n"]
)
def test_outputs_of_beginnings(unit: str) -> None:
    try:
        found = anything.parse(unit * (500_000 // len(unit)))
    except Unreadable:
        return
    assert found is None or len(found.tests) < 500_000


def test_a_workflow_whose_parts_share_parts_is_not_unfolded() -> None:
    names = "abcdefghijklmnop"
    shared = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in itertools.pairwise(names)
    )
    job = (
        "jobs:\n  t:\n    runs-on: *p\n    env: {X: *p}\n    strategy: {matrix: {v: *p, include: *p}}\n    steps: "
        "[{run: pytest, env: {Y: *p}}]\n"
    )
    files = {".github/workflows/a.yml": f"on: push\n{shared}{job}", "test_a.py": "def test_a():\n    pass\n"}
    found = detect(tuple(sorted(files)), lambda path: files[path].encode() if path in files else None, None, None)
    assert found.suite is not None
    assert found.suite.command == "python -m pytest"
