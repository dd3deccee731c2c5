from __future__ import annotations

import json
import tomllib
from pathlib import Path

import gitrepo
import pytest

from jobs.repo.trees import Trees
from jobs.suite.sections import restore
from jobs.suite.surface import is_surface, is_test, kind, with_tests_of

TESTS = """
tests/test_a.py tests/data/x.bin pkg/tests/helpers.py test_a.py pkg/a_test.py conftest.py pkg/conftest.py pytest.ini
tox.ini src/a.test.ts src/a.spec.jsx __tests__/a.js src/__snapshots__/a.snap test/helper.js jest.config.js
vitest.config.mts .mocharc.yml a_test.go lib/a_spec.rb src/FooTest.java Makefile noxfile.py spec/models/user.rb
sitecustomize.py x.pth test.js
"""
PRODUCT = """
src/a.py pkg/testing.py django/test/client.py lib/contest.js src/latest.ts app/attest.py package.json pyproject.toml
src/protest.go numpy/testing/utils.py setup.py
"""


def test_paths_of_tests() -> None:
    assert [path for path in TESTS.split() if not is_surface(path)] == []
    assert [path for path in PRODUCT.split() if is_surface(path)] == []
    assert [kind(path) for path in ("README.md", "docs/conf.py", "CHANGES", "src/a.py")] == [
        "doc",
        "doc",
        "doc",
        "product",
    ]


def test_only_words_are_documents() -> None:
    words = [
        "CHANGES",
        "NEWS.txt",
        "HISTORY.rst",
        "LICENSE-MIT",
        "LICENSE.BSD",
        "license.md",
        "CHANGELOG.in",
        "a/COPYING",
        "x.adoc",
    ]
    code = ["src/history.py", "src/news.go", "app/license.ts", "notice.rb", "changes.sql", "requirements.txt"]
    assert [path for path in words if kind(path) != "doc"] == []
    assert [path for path in code if kind(path) != "product"] == []


OLD = '[project]\nname = "x"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n\n[tool.ruff]\nline-length = 80\n'


@pytest.mark.parametrize(
    "new",
    [
        OLD.replace("-q", "--deselect x"),
        OLD.replace('[tool.pytest.ini_options]\naddopts = "-q"\n', ""),
        OLD.replace("80", "90") + '\n[tool.coverage.report]\nfail_under = 1\n[[tool.mypy.overrides]]\nmodule = "a"\n',
        OLD.replace("line-length = 80", 'x = """\n[tool.pytest]\n"""') + "[tool.pytest]\nx = 1\n",
    ],
    ids=["changed", "removed", "more", "text like a header"],
)
def test_pyproject_gets_its_test_sections_back(new: str) -> None:
    restored = tomllib.loads(restore("pyproject.toml", new.encode(), OLD.encode()).decode())
    assert restored["tool"].get("pytest") == {"ini_options": {"addopts": "-q"}}
    assert "coverage" not in restored["tool"]


def test_untouched_test_sections_leave_a_file_as_it_is() -> None:
    new = OLD.replace("80", "90   # wide").encode()
    assert restore("a/pyproject.toml", new, OLD.encode()) == new


def test_setup_cfg_and_package_json() -> None:
    cfg = restore("setup.cfg", b"[metadata]\nname = y\n[tool:pytest]\naddopts = --co\n", b"[metadata]\nname = x\n")
    assert cfg.split() == b"[metadata]\nname = y".split()
    old, new = {"scripts": {"test": "jest"}, "version": "1"}, {"scripts": {"test": "true"}, "version": "2", "jest": {}}
    package = restore("package.json", json.dumps(new).encode(), json.dumps(old).encode())
    assert json.loads(package) == {"scripts": {"test": "jest"}, "version": "2"}


def test_broken_file_is_taken_as_a_whole() -> None:
    assert restore("pyproject.toml", b"[tool.pytest", OLD.encode()) == OLD.encode()


def test_tree_gets_the_other_trees_tests(tmp_path: Path) -> None:
    base = {
        "a.py": "1\n",
        "tests/test_a.py": "old\n",
        "tests/gone.py": "x\n",
        "package.json": '{"scripts": {"test": "a"}}\n',
    }
    gitrepo.make(tmp_path, base)
    old = gitrepo.run(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "tests/gone.py").unlink()
    new = {"a.py": "2\n", "tests/test_a.py": "new\n", "tests/test_b.py": "b\n", "conftest.py": "c\n"}
    gitrepo.commit(tmp_path, new | {"package.json": '{"version": "2", "scripts": {"test": "b"}}\n'})
    trees = Trees(tmp_path / ".git")
    head = gitrepo.run(tmp_path, "rev-parse", "HEAD")
    grafted = with_tests_of(trees, head, old, trees.patch(old, head).paths)
    assert trees.paths(grafted) == ("a.py", "package.json", "tests/gone.py", "tests/test_a.py")
    assert (trees.read(grafted, "a.py"), trees.read(grafted, "tests/test_a.py")) == (b"2\n", b"old\n")
    assert json.loads(trees.read(grafted, "package.json") or b"") == {"version": "2", "scripts": {"test": "a"}}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("core/src/test/java/a/Helper.java", True),
        ("app/src/androidTest/kotlin/A.kt", True),
        ("src/main/java/a/Latest.java", False),
        ("test/Calc.Tests/UnitTest1.cs", True),
        ("Calc.Tests/Fakes.cs", True),
        ("src/Calc/Contests/Board.cs", False),
        ("pkg/a_test.go", True),
        ("pkg/testing.go", False),
        ("src/tests.rs", True),
        ("tests/cli.rs", True),
        ("src/lib.rs", False),
        ("spec/models/a_spec.rb", True),
        ("lib/spec.rb", False),
        ("tests/Unit/ATest.php", True),
        ("test/a_test.exs", True),
    ],
)
def test_files_of_tests_are_known_in_every_language(path: str, expected: bool) -> None:
    assert is_test(path) is expected
