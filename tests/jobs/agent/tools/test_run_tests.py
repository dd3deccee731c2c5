"""run_tests over real suites in a real cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_tree import bench_on, make_tree
from suite_project import layer_with_pytest

from jobs.agent.tools.registry import call
from jobs.agent.tools.spec import Bench
from jobs.sandbox.cell import Cells
from jobs.suite.run import run_suite
from jobs.suite.suite import Suite

UNITTEST = Suite("python3 -m unittest discover -s . -p 'test_*.py'", "unittest", "here")
PLAIN = Suite("mkdir -p coverage && echo 1 >> coverage/out.txt && seq 30 && sh check.sh", "other", "here")
OLD = "import unittest\n\n\nclass OldTest(unittest.TestCase):\n    def test_old(self):\n        pass\n"
NEW = "\n    def test_new(self):\n        self.fail('not yet')\n"
OTHER = "\n\nclass OtherTest(unittest.TestCase):\n    def test_other(self):\n        self.fail('nor this')\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tmp_path.chmod(0o755)
    return make_tree(tmp_path / "tree", {"test_a.py": OLD, "check.sh": "exit 0\n"})


def bench(cells: Cells, tree: Path, suite: Suite) -> Bench:
    made = bench_on(cells, tree)
    made.run_tests = lambda tests: run_suite(made.cell, suite, timeout_s=60, tests=tests)
    return made


def write(on: Bench, content: str, path: str = "test_a.py") -> None:
    assert call("write_file", {"files": [{"path": path, "content": content}]}, on).ok


def test_a_pattern_finds_tests_that_were_added_since_the_last_report(cells: Cells, tree: Path) -> None:
    on = bench(cells, tree, UNITTEST)
    first = call("run_tests", {"pattern": "old"}, on).content
    assert first.startswith("run_tests (whole suite, as no ids were known): 1 passed;")
    assert on.known_tests == ("test_a.OldTest.test_old",)
    write(on, OLD + NEW)
    told = call("run_tests", {"pattern": "OldTest"}, on).content
    assert told.startswith("run_tests (2 chosen): 1 passed, 1 failed")
    assert told.endswith("Chosen: test_a.OldTest.test_old, test_a.OldTest.test_new")


def test_tests_without_a_known_id_make_the_whole_suite_run(cells: Cells, tree: Path) -> None:
    on = bench(cells, tree, UNITTEST)
    call("run_tests", {}, on)
    write(on, OLD + OTHER)
    told = call("run_tests", {"pattern": "test_o"}, on).content
    assert told.startswith(
        "run_tests (whole suite, as ids of new tests in test_a.py were not known): 1 passed, 1 failed"
    )
    assert "RED test_a.OtherTest.test_other" in told
    assert call("run_tests", {"pattern": "test_o"}, on).content.startswith("run_tests (2 chosen): 1 passed, 1 failed")


def test_a_chosen_test_of_a_suite_that_can_not_be_narrowed(cells: Cells, tree: Path, tmp_path: Path) -> None:
    (tree / "test_b.py").write_text("def test_good():\n    pass\n\n\ndef test_bad():\n    assert 0\n")
    on = bench(cells, tree, Suite("true && python -m pytest", "pytest", "here"))
    (tmp_path / "layer").mkdir(mode=0o755)
    on.cell = cells.on(tree, layer_with_pytest(tmp_path / "layer"))
    call("run_tests", {}, on)
    told = call("run_tests", {"pattern": "good"}, on).content
    head = "run_tests (1 chosen of the whole suite, which ran and whose exit code this is): 1 passed; exit code 1"
    assert told.startswith(head)
    assert told.endswith(" s\n\nChosen: test_b.py::test_good")
    write(on, "def test_better():\n    pass\n", "test_c.py")
    assert "Chosen: test_c.py::test_better" in call("run_tests", {"pattern": "better"}, on).content


def test_a_suite_without_ids_says_how_it_can_be_run(cells: Cells, tree: Path) -> None:
    on = bench(cells, tree, PLAIN)
    first = call("run_tests", {"tests": ["check.sh"]}, on).content
    assert first.startswith("run_tests (whole suite: it reports no single tests): no per-test report; exit code 0")
    whole = call("run_tests", {}, on).content
    assert whole.endswith("\n".join(str(n) for n in range(16, 31)))
    for asked in ({"pattern": "check"}, {"tests": ["check.sh"]}):
        assert "this suite reports no single tests: run it whole, or one file with shell" in (
            call("run_tests", asked, on).content
        )


def test_what_a_test_run_leaves_is_remembered_and_what_the_agent_wrote_is_not(cells: Cells, tree: Path) -> None:
    on = bench(cells, tree, PLAIN)
    write(on, "x = 1\n", "mine.py")
    call("run_tests", {}, on)
    assert on.left_by_tests == {"coverage/out.txt"}
    assert call("shell", {"command": "echo 2 > theirs.txt"}, on).changed_files == ("theirs.txt",)
    call("run_tests", {}, on)
    assert on.left_by_tests == {"coverage/out.txt"}


def test_ids_that_do_not_exist_are_a_failure_that_names_the_nearest(cells: Cells, tree: Path) -> None:
    on = bench(cells, tree, UNITTEST)
    call("run_tests", {}, on)
    wrong = call("run_tests", {"tests": ["test_a.OldTest.test_odl"]}, on)
    assert not wrong.ok
    assert "no test ran: the suite has no test test_a.OldTest.test_odl" in wrong.content
    assert "the nearest known ones are test_a.OldTest.test_old" in wrong.content


def test_an_id_that_does_not_exist_beside_one_that_does_is_told(cells: Cells, tree: Path) -> None:
    on = bench(cells, tree, UNITTEST)
    call("run_tests", {}, on)
    mixed = call("run_tests", {"tests": ["test_a.OldTest.test_old", "test_a.OldTest.test_gone"]}, on)
    assert (mixed.ok, mixed.tests and mixed.tests["ran"]) == (True, 1)
    assert "Not run: the suite has no test test_a.OldTest.test_gone" in mixed.content


def test_what_was_only_skipped_is_not_green(cells: Cells, tree: Path) -> None:
    skipped = OLD.replace("    def", "    @unittest.skip('later')\n    def")
    write(on := bench(cells, tree, UNITTEST), skipped)
    assert call("run_tests", {}, on).tests == {"green": False, "ran": 0}


REWRITES = """import pathlib
import unittest


class GoldenTest(unittest.TestCase):
    def test_golden(self):
        pathlib.Path("golden.txt").write_text("3\\n")
        pathlib.Path("data.bin").unlink()
"""


def test_what_the_tests_rewrite_is_put_back_and_told(cells: Cells, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    files = {"test_a.py": REWRITES, "golden.txt": "1\n", "data.bin": "x"}
    on = bench(cells, make_tree(tmp_path / "golden", files), UNITTEST)
    on.base = lambda path: files[path].encode() if path in files else None
    result = call("run_tests", {}, on)
    assert "The tests rewrote data.bin, golden.txt; put back as before" in result.content
    assert (on.cell.read("golden.txt"), on.cell.read("data.bin")) == (b"1\n", b"x")
    assert result.changed_files == ()
    write(on, "2\n", "golden.txt")  # the agent's own state of it is kept, not the base's
    call("run_tests", {}, on)
    assert on.cell.read("golden.txt") == b"2\n"
    assert "golden.txt" in on.touched
