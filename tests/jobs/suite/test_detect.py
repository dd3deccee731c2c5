from __future__ import annotations

import pytest

from jobs.suite.detect import detect
from jobs.suite.suite import Toolchain

PYTEST = "import pytest\n\n\ndef test_a():\n    pass\n"
UNITTEST = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n"
BUILD = '[build-system]\nrequires = ["hatchling"]\n[project]\nname = "pkg"\nversion = "1"\n'
CONFIGURED = '[dependency-groups]\ndev = ["pytest-cov"]\n[tool.pytest.ini_options]\naddopts = "--cov=pkg -n auto"\n'
PLACEHOLDER = (
    '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}, "devDependencies": {"mocha": "1"}}'
)
VENV = 'uv venv --python "$(command -v python)" /env/venv'
INTO = "uv pip install --python /env/venv/bin/python"


def found(files: dict[str, str], setup: tuple[str, ...] | None = None, test: str | None = None) -> Toolchain:
    return detect(tuple(sorted(files)), lambda path: files[path].encode() if path in files else None, setup, test)


@pytest.mark.parametrize(
    ("files", "setup", "command"),
    [
        ({"calc.py": "", "test_calc.py": UNITTEST}, (), "python -m unittest discover"),
        ({"tests/test_a.py": UNITTEST}, (), "python -m unittest discover -s tests"),
        (
            {"pkg/__init__.py": "", "pkg/tests/__init__.py": "", "pkg/tests/test_a.py": UNITTEST},
            (),
            "python -m unittest discover",
        ),
        ({"a_test.py": UNITTEST}, (), "python -m unittest discover -p '*_test.py'"),
        (
            {"pyproject.toml": BUILD, "src/pkg/__init__.py": "", "tests/test_a.py": UNITTEST},
            (),
            "PYTHONPATH=src${PYTHONPATH:+:$PYTHONPATH} python -m unittest discover -s tests",
        ),
        ({"test_a.py": PYTEST}, (VENV, f"{INTO} pytest"), "python -m pytest"),
        (
            {"requirements.txt": "attrs\n", "requirements-dev.txt": "pytest==8\n", "test_a.py": PYTEST},
            (VENV, f"{INTO} -r requirements.txt -r requirements-dev.txt"),
            "python -m pytest",
        ),
        (
            {
                "pyproject.toml": BUILD
                + 'dependencies = ["attrs"]\n[project.optional-dependencies]\ntest = ["pytest"]\ndev = ["sphinx"]\n',
                "tests/test_a.py": PYTEST,
            },
            (VENV, f"{INTO} -e '.[test]'"),
            "pytest",
        ),
        (
            {
                "pyproject.toml": BUILD + CONFIGURED,
                "tests/test_a.py": PYTEST,
            },
            (VENV, f"{INTO} -e . --group dev pytest pytest-xdist"),
            "pytest",
        ),
        (
            {
                "pyproject.toml": '[project]\nname = "app"\nversion = "1"\ndependencies = ["attrs"]\n',
                "test_a.py": PYTEST,
            },
            (VENV, f"{INTO} -r pyproject.toml pytest"),
            "python -m pytest",
        ),
        (
            {"pyproject.toml": BUILD + '[dependency-groups]\ntests = ["pytest"]\n', "uv.lock": "", "test_a.py": PYTEST},
            ('UV_PROJECT_ENVIRONMENT=/env/venv uv sync --frozen --python "$(command -v python)" --group tests',),
            "pytest",
        ),
        (
            {
                "setup.py": "from setuptools import setup\nsetup(extras_require={'testing': ['pytest>7']})\n",
                "test_a.py": PYTEST,
            },
            (VENV, f"{INTO} -e '.[testing]'"),
            "pytest",
        ),
        (
            {
                "setup.py": "",
                "tox.ini": "[testenv]\ndeps =\n  pytest\n  mock>2\n  -rx.txt\ncommands = python -m pytest\n",
                "test_a.py": PYTEST,
            },
            (VENV, f"{INTO} -e . pytest 'mock>2'"),
            "python -m pytest",
        ),
    ],
)
def test_python(files: dict[str, str], setup: tuple[str, ...], command: str) -> None:
    toolchain = found(files)
    assert toolchain.suite is not None
    assert (toolchain.language, toolchain.setup, toolchain.suite.command) == ("python", setup, command)
    assert all(sentence.endswith(".") for sentence in toolchain.why)


@pytest.mark.parametrize(
    ("files", "setup", "command", "runner"),
    [
        ({"package.json": '{"scripts": {"test": "node --test"}}', "a.test.js": ""}, (), "npm test", "node"),
        (
            {
                "package.json": '{"scripts": {"test": "jest --ci"}, "devDependencies": {"jest": "1"}}',
                "package-lock.json": "{}",
            },
            ("npm ci --no-audit --no-fund",),
            "npm test",
            "jest",
        ),
        (
            {
                "package.json": PLACEHOLDER,
                "test/a.js": "",
            },
            ("npm install --no-package-lock --no-audit --no-fund",),
            "npx mocha",
            "mocha",
        ),
        ({"test/a.test.mjs": 'import test from "node:test";'}, (), "node --test", "node"),
        ({"package.json": '{"scripts": {"test": "tsc && vitest"}}'}, (), "npm test", "vitest"),
        ({"package.json": '{"scripts": {"test": "mocha && standard"}}'}, (), "npm test", "other"),
    ],
)
def test_node(files: dict[str, str], setup: tuple[str, ...], command: str, runner: str) -> None:
    toolchain = found(files)
    assert toolchain.suite is not None
    assert (toolchain.language, toolchain.setup) == ("node", setup)
    assert (toolchain.suite.command, toolchain.suite.runner) == (command, runner)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"main.c": ""},
        {"a.py": "x = 1\n", "requirements.txt": ""},
        {"package.json": "{"},
        {"package.json": '{"scripts": {"test": 3}}'},
        {"pyproject.toml": "[project", "setup.cfg": "[x\n", "setup.py": "def ("},
        {"tests/test_a.py": "\x00\x01"},
    ],
)
def test_no_test_command_is_said_and_never_invented(files: dict[str, str]) -> None:
    toolchain = found(files)
    assert toolchain.suite is None
    assert toolchain.why


def test_the_repositorys_own_file_wins() -> None:
    files = {"package.json": '{"scripts": {"unit": "vitest run"}}', "test_a.py": PYTEST}
    toolchain = found(files, ("make deps",), "npm run unit")
    assert toolchain.setup == ("make deps",)
    assert toolchain.suite is not None
    assert (toolchain.suite.command, toolchain.suite.runner, toolchain.suite.script) == (
        "npm run unit",
        "vitest",
        "vitest run",
    )
    assert found(files, (), None).setup == ()


def test_of_two_ecosystems_the_other_is_named() -> None:
    files = {
        "package.json": '{"scripts": {"test": "jest"}}',
        "a/a.test.js": "",
        "test_a.py": PYTEST,
        "test_b.py": PYTEST,
    }
    toolchain = found(files)
    assert toolchain.language == "python"
    assert "`npm test` was found too and is not run." in toolchain.why
