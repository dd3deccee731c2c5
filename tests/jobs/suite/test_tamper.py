from __future__ import annotations

from pathlib import Path

import gitrepo
import pytest

from jobs.repo.trees import Trees
from jobs.suite.tamper import Finding, findings

PY = (
    "import calc\n\n\ndef test_a():\n    assert calc.a() == 1\n    assert calc.b() == 2\n\n\n"
    "def test_b():\n    assert calc.b()\n"
)
JS = (
    'const { add } = require("./calc");\ntest("adds", () => {\n  expect(add(1)).toBe(2);\n});\n'
    'test("more", () => {\n  expect(1).toBe(1);\n});\n'
)
BASE = {
    "calc.py": "def a():\n    return 1\n",
    "calc.js": "exports.add = (a) => a + 1;\n",
    "test_calc.py": PY,
    "calc.test.js": JS,
    "pyproject.toml": '[project]\nname = "x"\n[tool.pytest.ini_options]\naddopts = ""\n',
    "package.json": '{"scripts": {"test": "jest"}}\n',
    "__snapshots__/a.snap": "1\n",
}


def of(folder: Path, files: dict[str, str | None]) -> tuple[Finding, ...]:
    gitrepo.make(folder, BASE)
    base = gitrepo.run(folder, "rev-parse", "HEAD")
    for name, text in files.items():
        if text is None:
            (folder / name).unlink()
    gitrepo.commit(folder, {name: text for name, text in files.items() if text is not None})
    trees, head = Trees(folder / ".git"), gitrepo.run(folder, "rev-parse", "HEAD")
    patch = trees.patch(base, head)
    return findings(patch, lambda path: trees.read(base, path), lambda path: trees.read(head, path))


def skipped(mark: str) -> str:
    return "import pytest\n" + PY.replace("def test_b", f"{mark}\ndef test_b")


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"test_calc.py": None}, "test_deleted"),
        ({"test_calc.py": PY[: PY.index("\n\n\ndef test_b")] + "\n"}, "test_removed"),
        ({"test_calc.py": skipped("@pytest.mark.skip")}, "skip_added"),
        ({"test_calc.py": skipped("@pytest.mark.xfail(reason='later')")}, "skip_added"),
        ({"test_calc.py": skipped("@pytest.mark.skipif(True, reason='x')")}, "skip_added"),
        ({"test_calc.py": "import pytest\npytestmark = pytest.mark.skip\n" + PY}, "skip_added"),
        ({"test_calc.py": PY.replace("def test_b():\n", "def test_b():\n    pytest.skip('x')\n")}, "skip_added"),
        ({"test_calc.py": PY.replace("assert calc.b()\n", "pass\n")}, "test_emptied"),
        ({"test_calc.py": PY.replace("def test_b():\n", "def test_b():\n    return\n")}, "test_emptied"),
        ({"test_calc.py": PY.replace("assert calc.b()\n", "assert True\n")}, "test_emptied"),
        ({"calc.test.js": JS.replace('test("more"', 'test.skip("more"')}, "skip_added"),
        ({"calc.test.js": JS.replace('test("more"', 'xtest("more"')}, "skip_added"),
        ({"calc.test.js": JS.replace('test("adds"', 'test.only("adds"')}, "skip_added"),
        ({"calc.test.js": JS.replace('"adds", ', '"adds", { skip: true }, ')}, "skip_added"),
        ({"calc.test.js": JS[: JS.index('test("more"')]}, "test_removed"),
        ({"calc.test.js": JS.replace("expect(1).toBe(1);", "// expect(1).toBe(1);")}, "test_emptied"),
        ({"conftest.py": "collect_ignore = ['test_calc.py']\n"}, "runner_bent"),
        ({"package.json": '{"scripts": {"test": "jest || true"}}\n'}, "runner_bent"),
        ({"pytest.py": "print('1 passed')\n"}, "runner_shadowed"),
        ({"sitecustomize.py": "import os\n"}, "runner_shadowed"),
        ({"pytest/__main__.py": "print('1 passed')\n"}, "runner_shadowed"),
        ({"calc.py": "import os\nX = os.environ.get('PYTEST_CURRENT_TEST')\n"}, "test_aware"),
        ({"calc.py": "import sys\nif 'pytest' in sys.modules:\n    X = 1\n"}, "test_aware"),
        ({"calc.py": "import unittest\nunittest.TestCase.assertEqual = print\n"}, "runner_patched"),
        ({"calc.js": "exports.add = (a) => process.env.JEST_WORKER_ID ? 2 : a;\n"}, "test_aware"),
        ({"calc.js": 'const assert = require("assert");\nassert.equal = () => {};\n'}, "runner_patched"),
    ],
)
def test_cheat_blocks(tmp_path: Path, files: dict[str, str | None], kind: str) -> None:
    found = of(tmp_path, files)
    assert {finding.kind for finding in found if finding.blocks} == {kind}
    assert found[0].file == next(iter(files))


@pytest.mark.parametrize(
    ("files", "kinds"),
    [
        ({"calc.py": "import os\n\n\ndef a():\n    os._exit(0)\n"}, ["exits_early"]),
        ({"calc.py": "import sys\n\nsys.exit(0)\n"}, ["exits_early"]),
        ({"calc.py": "class A:\n    def __eq__(self, other):\n        return True\n"}, ["equal_to_all"]),
        ({"calc.js": "process.exit(0);\n"}, ["exits_early"]),
        ({"test_calc.py": PY.replace("    assert calc.b() == 2\n", "")}, ["asserts_removed"]),
        ({"test_calc.py": PY.replace("== 2", "== 3")}, ["test_changed"]),
        ({"test_calc.py": skipped("@pytest.mark.skipif(WINDOWS, reason='x')")}, ["skip_added"]),
        ({"__snapshots__/a.snap": "2\n"}, ["snapshot_rewritten"]),
        ({"pyproject.toml": BASE["pyproject.toml"].replace('""', '"-q"')}, ["test_config_changed"]),
        ({".github/workflows/ci.yml": "on: push\n"}, ["ci_changed"]),
    ],
)
def test_suspicious_change_is_shown(tmp_path: Path, files: dict[str, str | None], kinds: list[str]) -> None:
    assert [(finding.kind, finding.blocks) for finding in of(tmp_path, files)] == [(kind, False) for kind in kinds]


HONEST: list[dict[str, str | None]] = [
    {"calc.py": "def a():\n    return 2\n", "test_new.py": "def test_new():\n    assert 1\n"},
    {"test_calc.py": None, "tests/test_moved.py": PY},
    {"test_calc.py": PY + "\n\ndef test_c():\n    assert 1\n"},
    {"test_calc.py": PY.replace("    assert", "    # why\n    assert", 1)},
    {"calc.py": "import sys\n\n\ndef main():\n    sys.exit(1)\n\n\nif __name__ == '__main__':\n    sys.exit(main())\n"},
    {"calc.py": "class A:\n    def __eq__(self, other):\n        return isinstance(other, A)\n"},
    {"calc.js": "exports.add = (a) => a + 2;\nif (process.argv[2]) {\n  process.exit(1);\n}\n"},
    {"pyproject.toml": BASE["pyproject.toml"].replace('"x"', '"y"')},
    {"coverage/base.css": "body {}\n", "coverage/sorter.js": "1;\n"},
    {"package.json": '{"version": "2", "scripts": {"test": "jest"}}\n'},
]


@pytest.mark.parametrize("files", HONEST)
def test_honest_change_gives_no_finding(tmp_path: Path, files: dict[str, str | None]) -> None:
    assert of(tmp_path, files) == ()


def test_tests_joined_by_parameters_are_shown_only(tmp_path: Path) -> None:
    joined = "import pytest\n\n\n@pytest.mark.parametrize('x', [1, 2])\ndef test_all(x):\n    assert x\n"
    assert [finding.blocks for finding in of(tmp_path, {"test_calc.py": joined})] == [False, False]
