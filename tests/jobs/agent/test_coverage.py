"""Which files tests execute, by real runs in a cell."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from agent_tree import make_tree
from suite_project import layer_with_pytest

from jobs.agent.coverage import covered
from jobs.sandbox.cell import Cells
from jobs.suite.suite import Suite

FILES = {
    "src/a.py": "def one():\n    from b import two\n    return two()\n",
    "src/b.py": "def two():\n    return 2\n",
    "src/c.py": "def three():\n    return 3\n",
    "tests/test_a.py": (
        "import a, c\n\n\ndef test_one():\n    assert a.one() == 2\n\n\ndef test_three():\n    assert c.three() == 4\n"
    ),
    "Makefile": "test:\n\tPYTHONPATH=$${PYTHONPATH}:src python -m pytest\n",
}
SCRIPTS = {
    "lib/a.js": "const b = require('./b'); exports.one = () => b.two();\n",
    "lib/b.js": "exports.two = () => 2;\n",
    "lib/c.js": "exports.three = () => 3;\n",
    "test/a.test.js": (
        "const test = require('node:test'), a = require('../lib/a'), c = require('../lib/c');\n"
        "test('one', () => { if (a.one() !== 3) throw new Error('no'); });\n"
    ),
}


@pytest.mark.parametrize(
    "suite", [Suite("PYTHONPATH=src python -m pytest", "pytest", "x"), Suite("make test", "other", "x")]
)
def test_pytest_tells_the_files_of_each_test(cells: Cells, tmp_path: Path, suite: Suite) -> None:
    if suite.runner == "other" and shutil.which("make") is None:
        pytest.skip("needs make")
    tmp_path.chmod(0o755)
    tree = make_tree(tmp_path / "tree", FILES)
    before = {path.name for path in tree.rglob("*")}
    cells.own(tree)
    (tmp_path / "layer").mkdir(mode=0o755)
    cell = cells.on(tree, layer_with_pytest(tmp_path / "layer"))
    found = covered(cell, suite, ["tests/test_a.py::test_one", "tests/test_a.py::test_three"])
    assert found["tests/test_a.py::test_one"] == {"src/a.py", "src/b.py", "tests/test_a.py"}
    assert found["tests/test_a.py::test_three"] == {"src/c.py", "tests/test_a.py"}
    assert found["tests/test_a.py"] >= {"src/a.py", "src/c.py"}
    assert {path.name for path in tree.rglob("*")} - before <= {".git"}  # the cell's own empty folder


def test_unittest_tells_the_files_of_all_that_ran(cells: Cells, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    case = "import unittest, a, c\n\n\nclass T(unittest.TestCase):\n"
    case += "    def test_one(self):\n        self.assertEqual(a.one(), 3)\n"
    files = {"src/a.py": FILES["src/a.py"], "src/b.py": FILES["src/b.py"], "src/c.py": "", "test_a.py": case}
    tree = make_tree(tmp_path / "tree", {**files, "test_b.py": case.replace("one", "two")})
    cells.own(tree)
    suite = Suite("PYTHONPATH=src${PYTHONPATH:+:$PYTHONPATH} python3 -m unittest discover", "unittest", "x")
    found = covered(cells.on(tree), suite, ["test_a.T.test_one"])
    assert found.keys() == {"test_a.T.test_one"}
    assert found["test_a.T.test_one"] >= {"src/a.py", "src/b.py", "test_a.py"}


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_node_tells_the_files_whose_functions_ran(cells: Cells, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    tree = make_tree(tmp_path / "tree", SCRIPTS)
    cells.own(tree)
    found = covered(cells.on(tree), Suite("node --test", "node", "x"), ["test/a.test.js > one"])
    assert found == {"test/a.test.js": {"test/a.test.js", "lib/a.js", "lib/b.js"}}


def test_where_nothing_can_be_had_nothing_is_claimed(cells: Cells, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    tree = make_tree(tmp_path / "tree", {"x": ""})
    cells.own(tree)
    assert covered(cells.on(tree), Suite("sleep 5", "other", "x"), ["x"], cap_s=1) == {}
    assert covered(cells.on(tree), Suite("true", "unittest", "x"), ["x.T.test"]) == {}
    assert covered(cells.on(tree), Suite("true", "other", "x"), []) == {}
