"""Suites below the top, of several parts, and of runners inside other commands, run in real cells."""

from __future__ import annotations

from pathlib import Path

import pytest
from suite_project import project

from jobs.sandbox.cell import Cells
from jobs.suite.parts import concerned, inner_ids, joined
from jobs.suite.report import Report
from jobs.suite.suite import Suite

PY = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_{0}(self):\n        self.assertEqual({1}, 1)\n"
JS = 'import test from "node:test";\nimport assert from "node:assert";\ntest("{0}", () => assert.equal({1}, 1));\n'


def ran(
    folder: Path, cells: Cells, files: dict[str, str], suite: Suite, tests: tuple[str, ...] | None = None
) -> Report:
    with project(folder, cells, files, suite) as made:
        return made.runs(made.base, tests)


def test_parts_are_run_one_after_the_other_and_paths_seen_from_the_top(tmp_path: Path, cells: Cells) -> None:
    files = {
        "web/a.test.mjs": JS.format("adds", 1),
        "api/test_a.py": PY.format("a", 2),
        "ui/b.test.mjs": JS.format("b", 2),
    }
    parts = (
        Suite("cd web && node --test", "node", "x", folder="web"),
        Suite("cd api && python -m unittest", "unittest", "x", folder="api"),
        Suite("cd ui && node --test", "node", "x", folder="ui"),
    )
    whole = Suite("(all of them)", "parts", "x", parts=parts)
    report = ran(tmp_path / "a", cells, files, whole)
    assert report.tests == {
        "web/a.test.mjs > adds": "passed",
        "test_a.T.test_a": "failed",
        "ui/b.test.mjs > b": "failed",
    }
    assert (report.exit_code, report.green) == (1, False)
    assert report.output.count("$ cd ") == 3
    one = ran(tmp_path / "b", cells, files, whole, ("web/a.test.mjs > adds",))
    assert one.tests == {"web/a.test.mjs > adds": "passed"}
    assert "$ cd api" not in one.output


TAP = 'echo 1..2\necho "ok 1 - one"\necho "not ok 2 - two"\nexit 1\n'


@pytest.mark.parametrize(
    ("files", "command", "tests"),
    [
        ({"check.sh": TAP}, "sh check.sh", {"one": "passed", "two": "failed"}),
        (
            {"Makefile": "check:\n\techo first && node --test\n", "a.test.mjs": JS.format("adds", 1)},
            *("make check", {"a.test.mjs > adds": "passed"}),
        ),
        (
            {
                "run.sh": "python -m unittest; node --test",
                "test_a.py": PY.format("a", 1),
                "a.test.mjs": JS.format("b", 2),
            },
            *("bash run.sh", {"test_a.T.test_a": "passed", "a.test.mjs > b": "failed"}),
        ),
        ({"check.sh": "echo fine\n"}, "sh check.sh", None),
    ],
)
def test_ids_come_out_of_commands_that_start_a_runner_inside(
    tmp_path: Path, cells: Cells, files: dict[str, str], command: str, tests: dict[str, str] | None
) -> None:
    assert ran(tmp_path, cells, files, Suite(command, "other", "x")).tests == tests


JUNIT = '<?xml version="1.0"?><testsuite name="a"><testcase classname="m.ATest" name="adds"/></testsuite>'
RED = (
    '<testsuite><testcase classname="m.BTest" name="subs"><failure message="no">trace</failure></testcase>'
    '<testcase classname="m.BTest" name="later"><skipped/></testcase></testsuite>'
)


def test_reports_in_folders_of_a_build_are_taken_together(tmp_path: Path, cells: Cells) -> None:
    place = "target/surefire-reports"
    script = (
        f"mkdir -p {place} sub/{place}\ncat > {place}/TEST-a.xml <<'X'\n{JUNIT}\nX\n"
        f"cat > sub/{place}/TEST-b.xml <<'X'\n{RED}\nX\nexit 1\n"
    )
    stale = JUNIT.replace("adds", "stale")
    files = {"build.sh": script, f"old/{place}/TEST-c.xml": stale}
    line = f"touch -d '1 hour ago' old/{place}/TEST-c.xml; bash build.sh"
    # what lay there before this command is no report of it
    aged = "find . -name TEST-c.xml -exec touch -d '1 hour ago' {} +"
    report = ran(tmp_path, cells, files, Suite(f"{aged}; {line}", "maven", "x"))
    assert report.tests == {"m.ATest > adds": "passed", "m.BTest > subs": "failed", "m.BTest > later": "skipped"}
    assert report.failures == {"m.BTest > subs": "trace"}
    assert report.exit_code == 1


def report(code: int, tests: dict[str, str] | None) -> Report:
    return Report("x", code, "exit", 1.0, "", tests, {}, "")  # type: ignore[arg-type]


def test_a_part_that_failed_without_ids_leaves_no_ids_to_trust() -> None:
    assert joined("x", [report(0, {"a": "passed"}), report(1, None)]).tests is None
    assert joined("x", [report(0, {"a": "passed"}), report(0, None)]).tests == {"a": "passed"}
    assert joined("x", [report(1, {"a": "failed"}), report(0, {"a": "passed"})]).tests == {"a": "failed"}
    assert joined("x", [report(0, None), report(3, None)]).exit_code == 3


def test_only_parts_that_may_hold_the_named_tests_run() -> None:
    web, api, top = (
        Suite(name, "node", "x", folder=folder) for name, folder in (("w", "web"), ("a", "api"), ("t", ""))
    )
    assert concerned((web, api), ("web/a > b",)) == (web,)
    assert concerned((web, api, top), ("test_a.T.x",)) == (web, api, top)
    assert inner_ids(web, ("web/a.js > b", "c")) == ("a.js > b", "c")
