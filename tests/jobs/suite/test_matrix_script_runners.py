"""jest, vitest and mocha as their registry publishes them, prepared by the product's own set-up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from suite_project import Project, project

from jobs.outcome import Level, Outcome
from jobs.sandbox import hosts
from jobs.sandbox.cell import Cells
from jobs.sandbox.interpreters import choose
from jobs.sandbox.layer import Layer
from jobs.sandbox.setup import LayerKey, build
from jobs.suite.detect import detect
from jobs.suite.suite import Suite

pytestmark = pytest.mark.registry

VERSIONS = {"jest": "^30", "mocha": "^12", "vitest": "^4"}
CALC = "const add = (a, b) => a - b;\nconst twice = (a) => a * 2;\nmodule.exports = { add, twice };\n"
FIXED = CALC.replace("a - b", "a + b")
BODY = (
    'describe("calc", () => {\n  it("adds (two) things", () => expect(add(2, 3)).toBe(5));\n'
    '  it("doubles", () => expect(twice(2)).toBe(4));\n  it.skip("later", () => {});\n});\n'
)
TESTS = {
    "jest": 'const { add, twice } = require("../calc.js");\n' + BODY,
    "vitest": (
        'import { describe, it, expect } from "vitest";\nimport calc from "../calc.js";\n'
        "const { add, twice } = calc;\n" + BODY
    ),
    "mocha": (
        'const assert = require("assert");\nconst { add, twice } = require("../calc.js");\n'
        "const expect = (x) => ({ toBe: (y) => assert.equal(x, y) });\n" + BODY
    ),
}
ADDS, DOUBLES = "test/calc.test.js > calc > adds (two) things", "test/calc.test.js > calc > doubles"


def manifest(runner: str) -> str:
    whole = {
        "name": "calc",
        "version": "1.0.0",
        "scripts": {"test": runner},
        "devDependencies": {runner: VERSIONS[runner]},
    }
    return json.dumps(whole)


@dataclass(frozen=True)
class Ground:
    """A runner's project and its layer."""

    runner: str
    files: dict[str, str]
    suite: Suite
    layer: Layer


@pytest.fixture(params=sorted(VERSIONS))
def ground(request: pytest.FixtureRequest, tmp_path: Path, cells: Cells) -> Ground:
    runner = str(request.param)
    files = {"package.json": manifest(runner), "calc.js": CALC, "test/calc.test.js": TESTS[runner]}
    toolchain = detect(tuple(sorted(files)), lambda path: files[path].encode(), None, None)
    assert toolchain.suite is not None
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "package.json").write_text(files["package.json"])
    key = LayerKey.of(tree, repository="1", trust="test", commands=toolchain.setup, tools={})
    allowed = hosts.find(tree, choose(tree))
    layer = build(cells, tree, toolchain.setup, store=tmp_path / "store", key=key, hosts=allowed)
    return Ground(runner, files, toolchain.suite, layer)


@pytest.fixture
def buggy(ground: Ground, tmp_path: Path, cells: Cells) -> Iterator[Project]:
    with project(tmp_path, cells, ground.files, ground.suite, ground.layer) as made:
        yield made


def test_fix_is_fixed_and_broken_code_is_not(buggy: Project) -> None:
    base = buggy.runs(buggy.base)
    assert base.counts == {"passed": 1, "failed": 1, "errors": 0, "skipped": 1}
    assert "5" in base.failures[ADDS]
    fixed = buggy.verdict({"calc.js": FIXED})
    assert (fixed.outcome, fixed.level, fixed.fixed) == (Outcome.FIXED, Level.A, (ADDS,))
    broken = buggy.verdict({"calc.js": FIXED + "oops(\n"})
    assert broken.outcome is Outcome.NOT_FIXED
    assert "syntax" in broken.reason.lower()
    assert buggy.runs(buggy.base, (DOUBLES,)).tests == {DOUBLES: "passed"}


def test_a_command_around_the_runner_has_its_ids_too(ground: Ground, tmp_path: Path, cells: Cells) -> None:
    line = "vitest run" if ground.runner == "vitest" else ground.runner
    around = Suite(f"true && npx --no-install {line} && echo done", "other", "test")
    with project(tmp_path, cells, ground.files, around, ground.layer) as made:
        report = made.runs(made.base)
    assert report.tests is not None, report.output
    assert (report.tests[ADDS], report.tests[DOUBLES], report.exit_code) == ("failed", "passed", 1)
    assert report.counts == {"passed": 1, "failed": 1, "errors": 0, "skipped": 1}
