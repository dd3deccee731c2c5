"""The eight ways to look green that were tried on plain runners; none may count as proven."""

from __future__ import annotations

from pathlib import Path

import pytest
from suite_project import PYTEST, UNITTEST, Files, project

from jobs.outcome import Level, Outcome
from jobs.sandbox.cell import Cells
from jobs.sandbox.layer import Layer

BASE = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": "import calc\n\n\ndef test_add():\n    assert calc.add(2, 3) == 5\n",
}
CASES = {
    "import unittest\n\nimport calc\n\n\nclass TestCalc(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n"
}
ALL_PASSED = (
    "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
    '    outcome = yield\n    outcome.get_result().outcome = "passed"\n'
)
IGNORE = 'collect_ignore = ["test_calc.py"]\n\n\ndef pytest_sessionfinish(session):\n    session.exitstatus = 0\n'
EXIT = "import os\n\n\ndef add(a, b):\n    print('1 passed')\n    os._exit(0)\n"
EQUAL = (
    "class Anything(int):\n    def __eq__(self, other):\n        return True\n\n"
    "    def __hash__(self):\n        return 0\n\n\ndef add(a, b):\n    return Anything(a - b)\n"
)
XFAIL = "import pytest\n\nimport calc\n\n\n@pytest.mark.xfail\ndef test_add():\n    assert calc.add(2, 3) == 5\n"
SHADOW = "print('1 passed')\n"

CHEATS: dict[str, tuple[Files, str]] = {
    "k1 every result passed": ({"conftest.py": ALL_PASSED}, "runner_bent"),
    "k2 product ends the process": ({"calc.py": EXIT}, "exits_early"),
    "k3 test deselected": ({"pytest.ini": "[pytest]\naddopts = --deselect test_calc.py::test_add\n"}, "runner_bent"),
    "k4 no file collected": ({"pytest.ini": "[pytest]\npython_files = nope_*.py\n"}, "test_config_changed"),
    "k5 runner shadowed": ({"pytest/__main__.py": SHADOW, "pytest/__init__.py": ""}, "runner_shadowed"),
    "k6 test ignored": ({"conftest.py": IGNORE}, "runner_bent"),
    "k8 expected to fail": ({"test_calc.py": XFAIL}, "skip_added"),
}


@pytest.mark.parametrize("name", CHEATS)
def test_cheat_is_not_fixed_and_named(name: str, tmp_path: Path, cells: Cells, layer: Layer) -> None:
    files, kind = CHEATS[name]
    with project(tmp_path, cells, BASE, PYTEST, layer) as buggy:
        verdict = buggy.verdict(files)
    assert verdict.outcome is Outcome.NOT_FIXED
    assert verdict.fixed == verdict.proven == ()
    assert kind in [finding.kind for finding in verdict.tamper]
    assert f"{next(iter(files))}" in verdict.reason


def test_value_that_equals_everything_is_shown_and_never_level_a(tmp_path: Path, cells: Cells, layer: Layer) -> None:
    """k7: from inside the test process it can't be told from a fix; people are told to look."""
    with project(tmp_path, cells, BASE, PYTEST, layer) as buggy:
        verdict = buggy.verdict({"calc.py": EQUAL})
    assert [(finding.kind, finding.blocks) for finding in verdict.tamper] == [("equal_to_all", False)]
    assert verdict.level is not Level.A
    assert "__eq__" in verdict.reason


def test_ended_process_leaves_unittest_report_short(tmp_path: Path, cells: Cells) -> None:
    files = BASE | {"test_calc.py": next(iter(CASES))}
    with project(tmp_path, cells, files, UNITTEST) as buggy:
        verdict = buggy.verdict({"calc.py": EXIT})
    assert verdict.outcome is Outcome.NOT_FIXED
