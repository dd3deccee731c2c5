"""What is run after a change, and what is said of it, over real suites in a real cell."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agent_tree import bench_on, make_tree
from suite_project import layer_with_pytest

from jobs.agent.checks import Checked, Checks
from jobs.agent.tools.registry import call
from jobs.agent.tools.spec import Bench, RunTests
from jobs.sandbox.cell import Cells
from jobs.suite.run import run_suite
from jobs.suite.suite import Suite

UNITTEST = Suite("python3 -m unittest discover -s . -t .", "unittest", "here")
PYTEST = Suite("python -m pytest", "pytest", "here")
CASE = "import unittest\n\nfrom {module} import {name}\n\n\nclass T(unittest.TestCase):\n"
FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "text.py": "def up(a):\n    return a.upper()\n",
    "slow.py": "def wait():\n    return 1\n",
    "test_calc.py": CASE.format(module="calc", name="add")
    + "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n\n"
    + "    def test_zero(self):\n        self.assertEqual(add(1, 0), 1)\n",
    "test_text.py": CASE.format(module="text", name="up")
    + "    def test_up(self):\n        self.assertEqual(up('a'), 'A')\n",
    "test_slow.py": CASE.format(module="slow", name="wait")
    + "    def test_wait(self):\n        self.assertEqual(wait(), 1)\n",
}
TARGET = "test_calc.T.test_add"


@dataclass
class Work:
    """A bench over a tree, with its checks."""

    bench: Bench
    checks: Checks

    def write(self, path: str, content: str) -> Checked | None:
        """Writes a file as the agent does and checks it."""
        result = call("write_file", {"files": [{"path": path, "content": content}]}, self.bench)
        assert result.ok, result.content
        return self.checks.after(result.changed_files, told=True)


def work(cells: Cells, folder: Path, suite: Suite = UNITTEST, files: dict[str, str] = FILES, **more: Any) -> Work:
    folder.chmod(0o755)
    bench = bench_on(cells, make_tree(folder / "tree", files))
    if suite.runner == "pytest":
        (folder / "layer").mkdir(mode=0o755)
        bench.cell = cells.on(folder / "tree", layer_with_pytest(folder / "layer"))

    def within(seconds: float) -> RunTests:
        return lambda tests: run_suite(bench.cell, suite, timeout_s=seconds, tests=tests)

    bench.run_tests = within(60)
    baseline = bench.run_tests(None)
    bench.learn(baseline, whole=True)
    targets = more.pop("targets", frozenset({TARGET}))
    return Work(bench, Checks(bench, targets, baseline=baseline, limited=within, **more))


def test_a_session_with_checks(cells: Cells, tmp_path: Path) -> None:
    at = work(cells, tmp_path, quick_s=0)
    wrong = at.write("calc.py", "def add(a, b):\n    return a * b\n")
    assert wrong is not None
    assert not wrong.green
    head, *rows = wrong.text.split("\n")
    assert head.startswith("checks: 2 tests that matter: 1 newly red; exit code 1; ")
    assert "NEWLY RED (green on the base): test_calc.T.test_zero" in rows
    assert f"target still red: {TARGET}" in rows
    assert "AssertionError: 2 != 3" in wrong.text
    assert "2 others of the suite not run" in head
    again = at.write("calc.py", "def add(a, b):\n    return b * a\n")
    assert again is not None
    assert again.text.startswith("checks: same as before: 2 tests that matter: ")
    assert "\n" not in again.text
    right = at.write("calc.py", "def add(a, b):\n    return a + b\n")
    assert right is not None
    assert (right.green, right.ran) == (True, 2)
    assert right.text.startswith("checks: 2 tests that matter, all green in ")
    assert f"(target {TARGET} green); 2 others of the suite not run" in right.text
    new = at.write("test_new.py", FILES["test_calc.py"].replace("3", "4"))
    assert new is not None
    assert not new.green
    assert "RED, not known on the base: test_new.T.test_add" in new.text
    assert "AssertionError: 3 != 4" in new.text


def test_a_syntax_error_is_told_and_no_test_is_run(cells: Cells, tmp_path: Path) -> None:
    files = {name: text for name, text in FILES.items() if "slow" not in name}
    at = work(cells, tmp_path, files=files)
    tree = tmp_path / "tree"
    (tree / "text.py").write_text("def up(a:\n")
    done = at.checks.after(["text.py"])
    assert done is not None
    assert done.text.startswith("checks: SYNTAX ERROR in text.py, line 1: ")
    assert done.text.endswith("\nno tests were run: mend the syntax of text.py first")
    still = at.checks.after(["text.py"], told=True)  # perhaps it is meant
    assert still is not None
    assert still.text.endswith("\nsyntax error still in text.py")
    assert "RED, not known on the base: test_text" in still.text
    (tree / "text.py").write_text(files["text.py"])
    (tree / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    whole = at.checks.after(["text.py", "calc.py"])
    assert whole is not None
    assert whole.green
    assert whole.text.startswith("checks: the whole suite (3 tests), all green in ")


def test_what_an_edit_told_itself_is_not_told_again(cells: Cells, tmp_path: Path) -> None:
    at = work(cells, tmp_path, files={name: FILES[name] for name in ("calc.py", "test_calc.py")})
    done = at.write("calc.py", "def add(\n")
    assert done is not None
    assert done.text == "checks: no tests were run: mend the syntax of calc.py first"
    data = at.write("data.json", "{,}")
    assert data is not None
    assert "SYNTAX ERROR" not in data.text


def test_a_file_of_tests_that_is_gone_is_not_asked_for(cells: Cells, tmp_path: Path) -> None:
    at = work(cells, tmp_path, quick_s=0)
    (tmp_path / "tree" / "test_calc.py").unlink()
    (tmp_path / "tree" / "text.py").write_text("def up(a):\n    return a.upper() or ''\n")
    done = at.checks.after(["test_calc.py", "text.py"])
    assert done is not None
    assert not done.green
    assert done.ran == 1
    assert f"target did not run (renamed, left out, or no time): {TARGET}" in done.text


def test_a_failure_that_was_told_is_not_told_again(cells: Cells, tmp_path: Path) -> None:
    at = work(cells, tmp_path, files={name: FILES[name] for name in ("calc.py", "test_calc.py")})
    same = at.write("calc.py", "def add(a, b):\n    # no change\n    return a - b\n")
    assert same is not None
    assert same.text.split("\n")[1:] == [
        f"target still red: {TARGET}",
        f"{TARGET} fails as before: AssertionError: -1 != 3",
    ]


def test_many_failures_are_cut_and_kept(cells: Cells, tmp_path: Path) -> None:
    case = CASE.format(module="calc", name="add") + "".join(
        f"    def test_{n}(self):\n        self.assertEqual(add({n}, 0), {n}, 'x' * 1000)\n\n" for n in range(20)
    )
    at = work(cells, tmp_path, files={"calc.py": FILES["calc.py"], "test_calc.py": case}, targets=frozenset())
    done = at.write("calc.py", "def add(a, b):\n    return str(a)\n")
    assert done is not None
    assert len(done.text) < 10_000
    assert done.text.startswith("checks: the whole suite (20 tests): 20 newly red; exit code 1; ")
    kept = at.bench.outputs.lines(1)
    assert kept is not None
    assert sum(line.startswith("RED test_calc.T.test_") for line in kept) == 20


def test_nothing_is_run_for_documents_or_without_tests(cells: Cells, tmp_path: Path) -> None:
    at = work(cells, tmp_path, files={name: FILES[name] for name in ("calc.py", "test_calc.py")})
    assert at.write("README.md", "# Calc\n") is None
    at.bench.run_tests = None
    assert at.write("calc.py", "def add(a, b):\n    return a + b\n") is None


def test_a_suite_without_ids_is_run_whole_where_it_is_quick(cells: Cells, tmp_path: Path) -> None:
    plain = Suite("sh check.sh", "other", "here")
    at = work(cells, tmp_path, plain, {"check.sh": "echo wrong; test -e good\n"}, targets=frozenset())
    done = at.write("other.c", "int x;\n")
    assert done is not None
    assert not done.green
    assert done.text.startswith("checks: the whole suite: no single tests reported; exit code 1; ")
    assert done.text.endswith("wrong")
    green = at.write("good", "")
    assert green is not None
    assert green.green
    at.checks.baseline = None
    assert at.write("other.c", "int y;\n") is None


def test_a_run_beyond_the_cap_is_ended_and_said(cells: Cells, tmp_path: Path) -> None:
    slow = FILES["test_slow.py"].replace("        self.", "        import time; time.sleep(2); self.")
    at = work(cells, tmp_path, files={**FILES, "test_slow.py": slow}, cap_s=1.2, quick_s=0)
    done = at.write("slow.py", "def wait():\n    return 1.0\n")
    assert done is not None
    assert not done.green
    assert "ended by timeout: what did not run is not known" in done.text
    assert at.bench.run_tests is not None


def test_a_suite_that_can_not_be_narrowed_is_run_whole_from_then_on(cells: Cells, tmp_path: Path) -> None:
    case = "from {0} import up\n\n\ndef test_{0}():\n    assert up('a') == 'A'\n"
    files = dict.fromkeys(("one.py", "two.py"), FILES["text.py"])
    files |= {f"test_{name}.py": case.format(name) for name in ("one", "two")}
    suite = Suite("true && python -m pytest -p no:cacheprovider", "pytest", "here")
    at = work(cells, tmp_path, suite, files, quick_s=0, targets=frozenset())
    first = at.write("one.py", "def up(a):\n    return str(a).upper()\n")
    assert first is not None
    assert first.text.startswith("checks: 1 test that matters, all green in ")
    second = at.write("one.py", "def up(a):\n    return a\n")
    assert second is not None
    assert second.text.startswith("checks: the whole suite (2 tests): 1 green, 1 newly red; exit code 1; ")
    at.checks.cap_s = 0.0
    assert at.write("one.py", "def up(a):\n    return 'A'\n") is None


def test_pytest_ids_and_a_new_file(cells: Cells, tmp_path: Path) -> None:
    files = {
        "calc.py": FILES["calc.py"],
        "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
        "test_slow.py": "import time\n\n\ndef test_slow():\n    pass\n",
    }
    at = work(cells, tmp_path, PYTEST, files, quick_s=0, targets=frozenset({"test_calc.py::test_add"}))
    done = at.write("calc.py", "def add(a, b):\n    return a + b\n")
    assert done is not None
    assert done.green
    assert done.text.startswith("checks: 1 test that matters, all green in ")
    assert done.text.endswith("(target test_add green); 1 other of the suite not run")
    new = at.write("test_more.py", "from calc import add\n\n\ndef test_more():\n    assert add(2, 2) == 5\n")
    assert new is not None
    assert "RED, not known on the base: test_more.py::test_more" in new.text
    assert "assert 4 == 5" in new.text
    assert (new.ran, new.green) == (2, False)


def test_once_new_tests_are_green_it_is_said_where_they_are_run_on_the_old_code(cells: Cells, tmp_path: Path) -> None:
    at = work(cells, tmp_path, targets=frozenset())
    wrong = at.write("test_new.py", FILES["test_calc.py"].replace("test_add", "test_sum"))
    assert wrong is not None
    assert "old code" not in wrong.text
    fixed = at.write("calc.py", "def add(a, b):\n    return a + b\n")
    assert fixed is not None
    assert fixed.text.splitlines()[-1].startswith("new tests: verification runs them on the old code by itself")
    again = at.write("calc.py", "def add(a, b):\n    return b + a\n")
    assert again is not None
    assert "old code" not in again.text


def test_a_fix_without_new_tests_hears_nothing_of_them(cells: Cells, tmp_path: Path) -> None:
    at = work(cells, tmp_path)
    fixed = at.write("calc.py", "def add(a, b):\n    return a + b\n")
    assert fixed is not None
    assert fixed.green
    assert "old code" not in fixed.text


def test_tests_that_are_all_skipped_or_red_before_are_not_green(cells: Cells, tmp_path: Path) -> None:
    red = FILES["test_calc.py"].split("\n    def test_zero")[0]
    skipped = red.replace("    def test_add", "    @unittest.skip('x')\n    def test_add")
    at = work(cells, tmp_path, files={"calc.py": FILES["calc.py"], "test_calc.py": red}, targets=frozenset())
    same = at.write("calc.py", "def add(a, b):\n    return a * 3 - b\n")
    assert same is not None
    assert (same.green, same.ran) == (False, 1)
    none = at.write("test_calc.py", skipped)
    assert none is not None
    assert (none.green, none.ran) == (False, 0)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_javascript_is_checked_for_syntax(cells: Cells, tmp_path: Path) -> None:
    package = json.dumps({"name": "x"})
    at = work(
        cells,
        tmp_path,
        UNITTEST,
        {"package.json": package, "a.js": "", "test_a.py": FILES["slow.py"]},
        targets=frozenset(),
    )
    bad = at.write("a.js", "function a( {\n")
    assert bad is not None
    assert bad.text.startswith("checks: SYNTAX ERROR in a.js, line 2: SyntaxError: ")
    at.bench.run_tests = None
    assert at.write("a.js", "import b from './b.js';\nexport default b;\n") is None
    assert at.write("a.js", "with (a) { return }\n") is None


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_scripts_that_require_the_change_are_run(cells: Cells, tmp_path: Path) -> None:
    case = "const test = require('node:test'), assert = require('node:assert'), own = require('{way}');\n"
    case += "test('{name}', () => assert.equal(own(1), 2));\n"
    files = {
        "package.json": json.dumps({"name": "own", "main": "./lib/main"}),
        "lib/main.js": "module.exports = require('./add');\n",
        "lib/add.js": "module.exports = (n) => n - 1;\n",
        "lib/other.js": "module.exports = (n) => n * 2;\n",
        "test/main.test.js": case.format(way="..", name="adds"),
        "test/other.test.js": case.format(way="../lib/other.js", name="doubles"),
    }
    target = "test/main.test.js > adds"
    at = work(cells, tmp_path, Suite("node --test", "node", "here"), files, quick_s=0, targets=frozenset({target}))
    done = at.write("lib/add.js", "module.exports = (n) => n + 1;\n")
    assert done is not None
    assert done.green
    assert done.text.startswith("checks: 1 test that matters, all green in ")
    assert done.text.endswith(" s (target adds green); 1 other of the suite not run")
