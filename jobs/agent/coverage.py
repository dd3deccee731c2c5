"""Which files of the tree tests execute: for choosing tests while the agent works, never for judging its work."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from jobs.agent.tools.inside import ROOT
from jobs.agent.tools.known import is_test_file
from jobs.sandbox.base import Cell, Command
from jobs.suite.compare import in_file
from jobs.suite.invoke import PLUGINS, invocation
from jobs.suite.suite import Suite

CAP_S = 30.0
MOST_BYTES = 8 << 20  # of the answer
_PYTHON, _NODE, _ANSWER = "/out/executed", "/out/coverage", "executed.json"
_ADD_S = 5.0  # for adding up
_ADDER = "/opt/patchwright/bin/python3 -I -S /opt/patchwright/wire.py executed"
_BY_PROCESS = "/opt/patchwright/executed_by_process"
_RUNNERS = ("node", "jest", "vitest", "mocha")


def covered(cell: Cell, suite: Suite, tests: Sequence[str], *, cap_s: float = CAP_S) -> Mapping[str, frozenset[str]]:
    """`{id or file of tests: files of the tree that it executes}` for `tests`, run once; {} where that can't be had
    within `cap_s` seconds. The repository is not changed."""
    if not tests:
        return {}
    way = invocation(suite, tuple(tests))
    first = f"{_BY_PROCESS}:{PLUGINS}" if suite.runner == "unittest" else PLUGINS
    line = re.sub(r"\bPYTHONPATH=", f"PYTHONPATH={first}:", way.line)
    command = Command.shell(_line(line, cap_s), timeout_s=cap_s + _ADD_S, env={**way.env, **_env(suite, way.env)})
    result = cell.run(replace(command, collect=(_ANSWER,)))
    data = result.files.get(_ANSWER, b"")
    return _read(data, tests) if len(data) <= MOST_BYTES else {}


def _env(suite: Suite, env: Mapping[str, str]) -> dict[str, str]:
    """What makes a runner report: our plugin for pytest, even behind a wrapper; Node's own coverage."""
    if suite.runner in _RUNNERS:
        return {"NODE_V8_COVERAGE": _NODE}
    if suite.runner == "unittest":
        return {"PYTHONPATH": f"{_BY_PROCESS}:{PLUGINS}", "PATCHWRIGHT_EXECUTED": _PYTHON}
    options = f"{env['PYTEST_ADDOPTS']} -p patchwright_executed"
    found = {"PYTEST_ADDOPTS": options, "PYTHONPATH": PLUGINS, "PATCHWRIGHT_EXECUTED": _PYTHON}
    return {**found, "NODE_V8_COVERAGE": _NODE} if suite.runner == "other" else found


def _line(line: str, cap_s: float) -> str:
    """`line` within the cap, and what adds up behind it."""
    asked = json.dumps({"root": ROOT, "python": _PYTHON, "node": _NODE})
    own = f"timeout -k 1 {cap_s:.0f} bash -o pipefail -c {shlex.quote(line)}"
    return f"{own}; echo {shlex.quote(asked)} | {_ADDER} > /out/{_ANSWER}"


def _read(data: bytes, tests: Sequence[str]) -> Mapping[str, frozenset[str]]:
    try:
        answer: Any = json.loads(data)
        found = {str(name): frozenset(map(str, files)) for name, files in answer["tests"].items()}
        for group in answer["together"]:
            for path in _of_tests(group, tests):
                found[path] = found.get(path, frozenset()) | frozenset(map(str, group))
        together = found.pop("", None)  # of processes that ran all of them
        found |= {} if together is None else dict.fromkeys(tests, together)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return found


def _of_tests(group: Collection[str], tests: Sequence[str]) -> list[str]:
    """The files of tests among those that one process executed."""
    return [path for path in group if is_test_file(path) or any(in_file(test, path) for test in tests)]
