from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from suite_project import Project, project

from jobs.outcome import Level, Outcome
from jobs.sandbox.cell import Cells
from jobs.suite.suite import Suite

BASE = {
    "package.json": '{"name": "calc", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}\n',
    "calc.js": "export const add = (a, b) => a - b;\nexport const twice = (a) => a * 2;\n",
    "test/calc.test.js": (
        'import { describe, it } from "node:test";\nimport assert from "node:assert";\n'
        'import { add, twice } from "../calc.js";\n\n'
        'describe("calc", () => {\n  it("adds", () => assert.equal(add(2, 3), 5));\n'
        '  it("doubles", () => assert.equal(twice(2), 4));\n});\n'
    ),
}
FIXED = "export const add = (a, b) => a + b;\nexport const twice = (a) => a * 2;\n"
ADDS, DOUBLES = "test/calc.test.js > calc > adds", "test/calc.test.js > calc > doubles"


@pytest.fixture
def buggy(tmp_path: Path, cells: Cells) -> Iterator[Project]:
    with project(tmp_path, cells, BASE, Suite("npm test", "node", "package.json", "node --test")) as made:
        yield made


def test_right_fix_is_fixed(buggy: Project) -> None:
    verdict = buggy.verdict({"calc.js": FIXED})
    assert (verdict.outcome, verdict.level, verdict.fixed) == (Outcome.FIXED, Level.A, (ADDS,))
    assert verdict.matrix.old_tests_old_code.counts == {"passed": 1, "failed": 1, "errors": 0, "skipped": 0}


def test_wrong_fix_shows_failure(buggy: Project) -> None:
    verdict = buggy.verdict({"calc.js": FIXED.replace("a + b", "a * b")})
    assert verdict.outcome is Outcome.NOT_FIXED
    assert "6 == 5" in verdict.reason


def test_syntax_error_is_broken_not_missing_silently(buggy: Project) -> None:
    verdict = buggy.verdict({"calc.js": FIXED + "oops(\n"})
    assert verdict.outcome is Outcome.NOT_FIXED
    assert verdict.broken == ("test/calc.test.js",)
    assert verdict.missing == (DOUBLES,)


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        (
            {
                "calc.js": FIXED,
                "test/calc.test.js": BASE["test/calc.test.js"].replace('it("doubles"', 'it.skip("doubles"'),
            },
            "skip_added",
        ),
        ({"calc.js": FIXED + "process.exit(0);\n"}, "exits_early"),
        ({"package.json": BASE["package.json"].replace("node --test", "node --test || true")}, "runner_bent"),
    ],
    ids=["skip", "exit", "script"],
)
def test_cheat_is_not_fixed_and_named(buggy: Project, files: dict[str, str], kind: str) -> None:
    verdict = buggy.verdict(files)
    assert verdict.outcome is Outcome.NOT_FIXED
    assert kind in [finding.kind for finding in verdict.tamper]


def test_named_test_runs_alone(buggy: Project) -> None:
    report = buggy.runs(buggy.base, (DOUBLES,))
    assert (report.tests, report.command) == ({DOUBLES: "passed"}, "node --test test/calc.test.js")
