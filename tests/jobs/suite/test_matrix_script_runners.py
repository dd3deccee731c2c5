"""jest, vitest and mocha as their registry publishes them, prepared by the product's own set-up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from suite_project import Project, project

from jobs.outcome import Level, Outcome
from jobs.sandbox import hosts
from jobs.sandbox.cell import Cells
from jobs.sandbox.interpreters import choose
from jobs.sandbox.setup import Layer, LayerKey, build
from jobs.suite.detect import detect

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
    "vitest": 'import { describe, it, expect } from "vitest";\nimport calc from "../calc.js";\nconst { add, twice } = calc;\n'
    + BODY,
    "mocha": (
        'const assert = require("assert");\nconst { add, twice } = require("../calc.js");\n'
        "const expect = (x) => ({ toBe: (y) => assert.equal(x, y) });\n" + BODY
    ),
}
ADDS, DOUBLES = "test/calc.test.js > calc > adds (two) things", "test/calc.test.js > calc > doubles"


def manifest(script: str) -> str:
    return json.dumps({"name": "calc", "version": "1.0.0", "scripts": {"test": script}, "devDependencies": VERSIONS})


@pytest.fixture(scope="module")
def layer_with_runners(cells: Cells, tmp_path_factory: pytest.TempPathFactory) -> Layer:
    folder = tmp_path_factory.mktemp("runners")
    tree = folder / "tree"
    tree.mkdir()
    (tree / "package.json").write_text(manifest("jest"))
    setup = detect(("package.json",), lambda path: (tree / path).read_bytes(), None, None).setup
    key = LayerKey.of(tree, repository="runners", trust="test", commands=setup, tools={})
    return build(cells, tree, setup, store=folder / "store", key=key, hosts=hosts.find(tree, choose(tree)))


@pytest.fixture(params=["jest", "jest test", "vitest", "mocha", "mocha test/*.js"])
def buggy(request: pytest.FixtureRequest, tmp_path: Path, cells: Cells, layer_with_runners: Layer) -> Iterator[Project]:
    files = {
        "package.json": manifest(request.param),
        "calc.js": CALC,
        "test/calc.test.js": TESTS[request.param.split()[0]],
    }
    suite = detect(tuple(sorted(files)), lambda path: files[path].encode(), None, None).suite
    assert suite is not None
    with project(tmp_path, cells, files, suite, layer_with_runners) as made:
        yield made


def test_fix_is_fixed_and_broken_code_is_not(buggy: Project) -> None:
    base = buggy.runs(buggy.base)
    assert base.counts == {"passed": 1, "failed": 1, "errors": 0, "skipped": 1}
    assert "5" in base.failures[ADDS]
    fixed = buggy.verdict({"calc.js": FIXED})
    assert (fixed.outcome, fixed.level, fixed.fixed) == (Outcome.FIXED, Level.A, (ADDS,))
    broken = buggy.verdict({"calc.js": FIXED + "oops(\n"})
    assert broken.outcome is Outcome.NOT_FIXED
    assert "SyntaxError" in broken.reason or "oops" in broken.reason
    assert buggy.runs(buggy.base, (DOUBLES,)).tests == {DOUBLES: "passed"}
