from __future__ import annotations

import pytest

from jobs.suite.command import append, runner_of, runs_script
from jobs.suite.invoke import invocation
from jobs.suite.suite import Suite


@pytest.mark.parametrize(
    ("command", "script", "runner"),
    [
        ("pytest -q", "", "pytest"),
        ("uv run pytest", "", "pytest"),
        ("poetry run python3.11 -m pytest tests", "", "pytest"),
        ("coverage run -m pytest", "", "pytest"),
        ("python -W error -m unittest discover -s tests", "", "unittest"),
        ("python manage.py test --parallel", "", "unittest"),
        ("FOO=1 npm test", "node --test", "node"),
        ("npm test", "NODE_ENV=test npx jest --coverage", "jest"),
        ("npm run test:unit", "tsc && vitest run", "vitest"),
        ("npm test", "c8 mocha -r ts-node/register", "mocha"),
        ("npm test", "node --experimental-vm-modules node_modules/jest/bin/jest.js", "jest"),
        ("npm test", "mocha && standard", "other"),
        ("make test", "", "other"),
        ("python run_tests.py", "", "other"),
        ("'unclosed", "", "other"),
    ],
)
def test_runner_is_recognised(command: str, script: str, runner: str) -> None:
    assert runner_of(command, script) == runner


def test_script_that_is_run() -> None:
    commands = ["npm test", "npm t", "npm run unit -- --x", "yarn test", "pnpm run e2e", "npm ci", "make test"]
    assert [runs_script(command) for command in commands] == ["test", "test", "unit", "test", "e2e", None, None]


def test_arguments_reach_the_runner() -> None:
    assert append("npm test", ["-t", "a b"]) == "npm test -- -t 'a b'"
    assert append("npm test -- --x", ["--y"]) == "npm test -- --x --y"
    assert append("npx jest", ["--ci"]) == "npx jest --ci"
    assert append("yarn test", ["--ci"]) == "yarn test --ci"


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("python -m pytest", "python -m pytest 'a.py::test_x[1 2]'"),
        ("python -m pytest -q tests", "python -m pytest -q 'a.py::test_x[1 2]'"),
        ("PYTHONPATH=src pytest", "PYTHONPATH=src pytest 'a.py::test_x[1 2]'"),
        ("pytest -k slow tests", "pytest -k slow tests"),
        ("cd sub && pytest", "cd sub && pytest 'a.py::test_x[1 2]'"),
        ("make && pytest", "make && pytest"),
    ],
)
def test_pytest_is_narrowed_only_where_that_is_safe(command: str, line: str) -> None:
    way = invocation(Suite(command, "pytest", "test"), ("a.py::test_x[1 2]",))
    assert (way.line, way.narrowed) == (line, line != command)


def test_many_names_run_the_whole_suite() -> None:
    way = invocation(Suite("pytest", "pytest", "test"), tuple(f"a.py::test_{n}" for n in range(500)))
    assert (way.line, way.narrowed) == ("pytest", False)


def test_unittest_is_narrowed_by_environment() -> None:
    way = invocation(Suite("make check", "unittest", "test"), ("a.T.test_x", "a.T.test_y"))
    assert (way.line, way.env["PATCHWRIGHT_UNITTEST_NAMES"]) == ("make check", "a.T.test_x\na.T.test_y")
