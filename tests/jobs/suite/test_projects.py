from __future__ import annotations

from jobs.suite.detect import detect
from jobs.suite.named_projects import Named
from jobs.suite.projects import concerned
from jobs.suite.suite import Toolchain

PYTEST = "def test_a():\n    pass\n"
WEB = '{"name": "web", "scripts": {"test": "vitest run"}, "dependencies": {"ui": "workspace:*"}}'
TREE = {
    "README.md": "",
    "api/pyproject.toml": '[project]\nname = "api"\nversion = "1"\ndependencies = ["pytest"]\n',
    "api/tests/test_a.py": PYTEST,
    "web/package.json": WEB,
    "web/package-lock.json": "{}",
    "web/a.test.ts": "",
    "libs/ui/package.json": '{"name": "ui", "scripts": {"test": "node --test"}}',
    "libs/ui/a.test.js": "",
    "worker/go.mod": "module w\n\nreplace example.com/lib => ../libs/core\n",
    "worker/a_test.go": "",
    "libs/core/go.mod": "module core\n",
    "libs/core/a_test.go": "",
    "examples/demo/package.json": '{"scripts": {"test": "jest"}}',
}


def found(files: dict[str, str], named: tuple[Named, ...] = ()) -> Toolchain:
    return detect(tuple(sorted(files)), lambda path: files[path].encode() if path in files else None, None, None, named)


def test_a_monorepo_is_found_to_be_one() -> None:
    toolchain = found(TREE)
    assert {one.path: (one.language, one.depends) for one in toolchain.projects} == {
        "api": ("python", ()),
        "libs/core": ("go", ()),
        "libs/ui": ("node", ()),
        "web": ("node", ("libs/ui",)),
        "worker": ("go", ("libs/core",)),
    }
    assert toolchain.suite is not None
    assert [part.command for part in toolchain.suite.parts] == [
        "cd api && python -m pytest",
        "cd libs/core && go test ./...",
        "cd libs/ui && npm test",
        "cd web && npm test",
        "cd worker && go test ./...",
    ]
    assert [part.runner for part in toolchain.suite.parts] == ["pytest", "go", "node", "vitest", "go"]
    assert "(cd web && npm ci --no-audit --no-fund)" in toolchain.setup
    assert any(why.startswith("5 projects lie below the top, each tested by itself") for why in toolchain.why)


def test_a_change_concerns_what_it_touches_and_what_depends_on_it() -> None:
    projects = found(TREE).projects
    named = [[one.path for one in concerned(projects, paths)] for paths in (
        ["api/a.py"], ["libs/ui/a.js"], ["libs/core/x.go", "api/b.py"], ["README.md", "api/a.py"],
    )]  # fmt: skip
    assert named == [
        ["api"],
        ["libs/ui", "web"],
        ["api", "libs/core", "worker"],
        ["api", "libs/core", "libs/ui", "web", "worker"],  # what lies in no project may concern all
    ]


def test_a_single_project_below_the_top_is_tested_there() -> None:
    toolchain = found({"server/pyproject.toml": "", "server/test_a.py": PYTEST, "docs/conf.py": ""})
    assert toolchain.suite is not None
    assert (toolchain.suite.command, toolchain.suite.folder) == ("cd server && python -m pytest", "server")
    own = found({"server/go.mod": "module m\n", "server/a_test.go": ""})
    assert own.suite is not None
    assert (own.suite.command, own.suite.folder, own.suite.parts) == ("cd server && go test ./...", "server", ())


def test_another_languages_project_is_tested_too_where_ci_does() -> None:
    files = {
        "pyproject.toml": '[project]\nname = "a"\nversion = "1"\n',
        "tests/test_a.py": PYTEST,
        "frontend/package.json": '{"scripts": {"test": "jest"}}',
        "tools/package.json": '{"scripts": {"test": "jest"}}',
    }
    workflow = (
        "on: push\njobs:\n  py:\n    runs-on: ubuntu-latest\n    steps: [{run: pytest}]\n"
        "  js:\n    runs-on: ubuntu-latest\n    defaults: {run: {working-directory: frontend}}\n"
        "    steps: [{run: npm ci}, {run: npm test}]\n"
    )
    assert not found(files).projects
    toolchain = found({**files, ".github/workflows/ci.yml": workflow})
    assert toolchain.suite is not None
    assert [(part.command, part.folder) for part in toolchain.suite.parts] == [
        ("python -m pytest", ""),
        ("cd frontend && npm test", "frontend"),
    ]


def test_python_projects_share_one_environment() -> None:
    files = {
        "a/requirements.txt": "attrs\n",
        "a/test_a.py": PYTEST,
        "b/requirements.txt": "mock\n",
        "b/test_b.py": PYTEST,
    }
    named = (Named("a"), Named("b"))
    setup = found(files, named).setup
    assert sum("uv venv" in line for line in setup) == 1
    assert "(cd b && uv pip install --python /env/venv/bin/python -r requirements.txt pytest)" in setup


def test_the_repositorys_own_list_of_projects_is_what_counts() -> None:
    named = (Named("web", ("npm ci",), "npm run unit"), Named("libs/core"), Named("docs"))
    toolchain = found({**TREE, "docs/index.md": ""}, named)
    assert toolchain.suite is not None
    assert [part.command for part in toolchain.suite.parts] == [
        "cd web && npm run unit",
        "cd libs/core && go test ./...",
    ]
    assert toolchain.setup == ("(cd web && npm ci)",)
    assert "No test command was found in docs: name it under `projects:`." in toolchain.why
