"""Detects Python projects: which runner, which command, which set-up. Pure but for reading."""

from __future__ import annotations

import re

from jobs.suite import python_needs
from jobs.suite.ci.installs import Installs
from jobs.suite.found import Found
from jobs.suite.python_needs import Needs
from jobs.suite.source import Source, table
from jobs.suite.suite import Suite

_TESTS = r"(.*/)?(test_[^/]*|[^/]*_test|tests?)\.py"
_MANY = 60  # files of tests that are read
_PYTEST_USE = re.compile(r"^\s*(import|from) pytest\b|^(async )?def test_\w*\(", re.MULTILINE)
_UNITTEST_USE = re.compile(r"^\s*(import|from) unittest\b|\(.*TestCase\)|^\s*from django\.test\b", re.MULTILINE)


def find(source: Source, asked: Installs | None = None, options: str = "") -> Found | None:
    """The Python side of a repository, None if there is none. `asked` is what the repository's own workflow installs,
    `options` are those that it gives to the runner."""
    manifest = source.first("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile")
    tests = source.matching(_TESTS)
    if manifest is None and not tests:
        return None
    needs = python_needs.find(source, asked or Installs())
    runner, because = _runner(source, tests, needs)
    if runner is None:
        return Found("python", python_needs.setup(needs, ()), None, (*needs.why, because), len(tests))
    setup = python_needs.setup(needs, _plugins(source, options) if runner == "pytest" else ())
    suite, how = _suite(source, tests, runner, installed=bool(setup) and needs.itself in ("yes", "along"))
    done = f"Set-up: {len(setup)} commands." if setup else "Set-up: none, the tests need nothing but Python."
    return Found("python", setup, suite, (*needs.why, done, because, how), len(tests))


def _runner(source: Source, tests: list[str], needs: Needs) -> tuple[str | None, str]:
    settings = _pytest_settings(source)
    if settings is not None:
        return "pytest", f"Runner: pytest, since {settings} configures it."
    texts = [(path, source.text(path)) for path in tests[:_MANY]]
    used = next((path for path, text in texts if _PYTEST_USE.search(text)), None)
    if used is not None:
        return "pytest", f"Runner: pytest, since {used} is written for it."
    if tests and needs.names("pytest"):
        return "pytest", "Runner: pytest, since the dependencies name it."
    used = next((path for path, text in texts if _UNITTEST_USE.search(text)), None)
    if used is not None:
        return "unittest", f"Runner: unittest, since {used} uses it and nothing asks for pytest."
    return None, "No test command: no file of tests uses pytest or unittest."


def _pytest_settings(source: Source) -> str | None:
    """The file that configures pytest, if any; a conftest.py counts."""
    if table(source.toml("pyproject.toml").get("tool")).get("pytest"):
        return "pyproject.toml"
    for path, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        if source.ini(path).has_section(section):
            return path
    return source.first(
        "pytest.ini", ".pytest.ini", "pytest.toml", "conftest.py", "tests/conftest.py", "test/conftest.py"
    )


def pytest_options(source: Source) -> str:
    """All that the configuration of pytest says, as one text."""
    tool = table(table(source.toml("pyproject.toml").get("tool")).get("pytest"))
    parts = [repr(tool), source.text("pytest.ini"), source.text(".pytest.ini"), source.text("pytest.toml")]
    for path, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        reader = source.ini(path)
        parts += [f"{k} = {v}" for k, v in reader[section].items()] if reader.has_section(section) else []
    return "\n".join(parts)


_PLUGINS = (
    (r"--cov\b|--no-cov\b", "pytest-cov"),
    (r"(^|[\s'\"=])-n[ =]?(\d|auto|logical)|--numprocesses|--dist\b", "pytest-xdist"),
    (r"\basyncio_(default_\w+|mode)\b|--asyncio-mode", "pytest-asyncio"),
    (r"--timeout\b|^\s*timeout\s*=|'timeout'", "pytest-timeout"),
    (r"--reruns\b", "pytest-rerunfailures"),
    (r"--randomly|\brandomly\b", "pytest-randomly"),
    (r"--benchmark-", "pytest-benchmark"),
    (r"DJANGO_SETTINGS_MODULE|--ds\b", "pytest-django"),
    (r"--mypy\b", "pytest-mypy"),
    (r"--forked\b", "pytest-forked"),
)


def _plugins(source: Source, given: str) -> tuple[str, ...]:
    """pytest itself and the plugins without which the options that are configured or given are unknown."""
    options = f"{pytest_options(source)}\n{given}"
    return ("pytest", *(name for rule, name in _PLUGINS if re.search(rule, options, re.MULTILINE)))


def _suite(source: Source, tests: list[str], runner: str, *, installed: bool) -> tuple[Suite, str]:
    if runner == "pytest":
        module = not installed or _says_module(source)
        before = "" if installed or not _has_sources(source) else "PYTHONPATH=src "
        command = f"{before}python -m pytest" if module else "pytest"
        return Suite(command, "pytest", "detected"), f"Test command: `{command}`."
    if "manage.py" in source:
        return Suite(
            "python manage.py test", "unittest", "manage.py"
        ), "Test command: Django's, since there is manage.py."
    command = _discover(source, tests, installed=installed)
    return Suite(command, "unittest", "detected"), f"Test command: `{command}`."


def _has_sources(source: Source) -> bool:
    return any(path.startswith("src/") and path.endswith(".py") for path in source.paths)


def _says_module(source: Source) -> bool:
    """True if the repository's own automation starts pytest as a module (the working folder is then importable)."""
    places = source.matching(r"\.github/workflows/[^/]+\.ya?ml|tox\.ini|noxfile\.py|Makefile")
    return any("-m pytest" in source.text(path) for path in places)


def _discover(source: Source, tests: list[str], *, installed: bool) -> str:
    """unittest's discovery from each folder that its tests are importable from."""
    using = [path for path in tests if _UNITTEST_USE.search(source.text(path))] or tests
    roots = sorted({_root(source, path) for path in using})
    pattern = "" if any(re.match(r"tests?[^/]*\.py", p.rsplit("/", 1)[-1]) for p in using) else " -p '*_test.py'"
    sources = not installed and _has_sources(source)
    before = "PYTHONPATH=src${PYTHONPATH:+:$PYTHONPATH} " if sources else ""
    if roots == ["."]:
        return f"{before}python -m unittest discover{pattern}"
    lines = [f"{before}python -m unittest discover -s {root}{pattern}" for root in roots]
    return " && ".join(lines)


def _root(source: Source, path: str) -> str:
    """The nearest folder above `path` that is no package."""
    folder = path.rpartition("/")[0]
    while folder and f"{folder}/__init__.py" in source:
        folder = folder.rpartition("/")[0]
    return folder or "."
