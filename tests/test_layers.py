"""The rules of the design that can be read off the source: who imports whom, what is pure, how large things are."""

from __future__ import annotations

import ast
import re
import statistics

import pytest
from layers_source import PRODUCT, Source, cycles, read, sources, tracked

# What crosses the queue, and the words that both sides use.
_APP_FROM_JOBS = {
    *("job", "queue", "inbox", "lease", "logs", "redact", "trace", "errors"),
    *("runs", "outcome", "settings", "connection", "keys"),
}
_APP_FROM_GITHUB = {"github", "gate", "policy"}
_MAY_USE_GITHUB = ("app/control", "app/deliveries", "app/schedule", "app/setup", "app/dashboard")
_WIRING = ("app/cli.py", "app/local/")
_AGENT_NEVER = {
    *("app", "action", "jobs.github", "jobs.publish", "jobs.queue", "jobs.inbox", "jobs.lease"),
    *("githubkit", "redis", "rq"),
}

# Files that must be pure; any other whose docstring says "Pure." is held to it too.
_PURE = {
    *("app/command.py", "app/events.py", "app/signature.py", "app/trigger.py"),
    *("jobs/errors.py", "jobs/job.py", "jobs/outcome.py", "jobs/redact.py", "jobs/trace/events.py"),
    *("jobs/agent/attempt.py", "jobs/model/base.py", "jobs/model/usage.py", "jobs/repo/patch.py"),
    *("jobs/sandbox/base.py", "jobs/suite/compare.py", "jobs/suite/report.py", "jobs/suite/verdict.py"),
    *("jobs/suite/suite.py", "jobs/suite/tamper.py", "jobs/tasks/task.py"),
}
_IO = {
    *("asyncio", "glob", "io", "multiprocessing", "os", "pwd", "random", "secrets", "shutil", "signal", "socket"),
    *("subprocess", "sys", "tempfile", "threading", "time", "http", "urllib.request"),
    *("anthropic", "fastapi", "git", "githubkit", "httpx", "openai", "redis", "requests", "rq", "uvicorn"),
}

# Programs of their own, started anew for each call in a cell: what they may not need is imported late, and a cell's
# environment is how they are told things.
_INSIDE = "jobs/sandbox/inside/"

_FILE_LINES, _FUNCTION_LINES = 300, 60
# path, or path:function, and why it is longer
_LONGER: dict[str, str] = {}

_REGISTRY = re.compile(rb"(pypi|pythonhosted|npmjs|debian|golang|crates)\.(org|com|io|net)", re.IGNORECASE)


def top(name: str, *parents: str) -> bool:
    """True if the module `name` is one of `parents` or lies below one."""
    return any(name == parent or name.startswith(f"{parent}.") for parent in parents)


def offences(found: list[str]) -> None:
    """Fails with every offence on a line of its own."""
    assert not found, "\n" + "\n".join(found)


def bad_imports(source: Source) -> list[str]:
    """Imports of `source` that go the wrong way."""
    return [f"{source.path}:{i.line} imports {i.name}" for i in source.imports if not _allowed(source.path, i.name)]


def _allowed(path: str, name: str) -> bool:
    if path.startswith("jobs/agent/"):
        sandbox = top(name, "jobs.sandbox") and not top(name, "jobs.sandbox.base")
        return not (sandbox or top(name, *_AGENT_NEVER))
    if path.startswith("jobs/"):
        return not top(name, "app", "action")
    if path.startswith("action/"):
        return not top(name, "app")
    return not top(name, "jobs") or _app_may(path, name)


def _app_may(path: str, name: str) -> bool:
    words = _APP_FROM_JOBS | (_APP_FROM_GITHUB if path.startswith(_MAY_USE_GITHUB) else set())
    return path.startswith(_WIRING) or top(name, *(f"jobs.{word}" for word in words))


def impurities(source: Source) -> list[str]:
    """Imports of `source` that can do input or output, or tell the time."""
    return [f"{source.path}:{i.line} imports {i.name}" for i in source.imports if top(i.name, *_IO)]


def is_pure(source: Source) -> bool:
    """True for the listed files and for those that say so."""
    return source.path in _PURE or bool(re.search(r"\bPure\.", ast.get_docstring(source.tree) or ""))


def test_imports_go_one_way() -> None:
    offences([line for source in sources(*PRODUCT) for line in bad_imports(source)])


def test_pure_files_do_no_io() -> None:
    offences([line for source in sources(*PRODUCT) if is_pure(source) for line in impurities(source)])


def test_the_listed_pure_files_exist() -> None:
    assert {source.path for source in sources(*PRODUCT)} >= _PURE


def test_no_import_hides_in_a_function() -> None:
    bound = [s for s in sources(*PRODUCT) if not s.path.startswith(("app/cli.py", _INSIDE))]
    inside = [(s.path, i) for s in bound for i in s.imports if i.inside]
    offences([f"{path}:{i.line} imports {i.name} inside a function" for path, i in inside])


def test_there_is_no_import_cycle() -> None:
    edges = {s.module: {i.name for i in s.imports if not i.typing and not i.inside} for s in sources(*PRODUCT)}
    offences([" -> ".join(cycle) for cycle in cycles(edges)])


def test_one_file_calls_git() -> None:
    users = [s.path for s in sources(*PRODUCT, "tests") for i in s.imports if top(i.name, "git")]
    assert set(users) <= {"jobs/repo/git.py"}


def test_nothing_is_mocked() -> None:
    offences([s.path for s in sources(*PRODUCT, "tests") for i in s.imports if top(i.name, "unittest.mock", "mock")])


def test_settings_alone_read_the_environment() -> None:
    free = ("app/cli.py", "app/settings.py", "jobs/settings.py", _INSIDE)
    readers = [s for s in sources(*PRODUCT) if not s.path.startswith(free)]
    offences([f"{s.path}:{line} reads the environment" for s in readers for line in s.reads_environment()])


def test_files_are_short() -> None:
    lengths = {source.path: source.text.count("\n") for source in sources(*PRODUCT, "tests")}
    offences([f"{path} has {n} lines" for path, n in lengths.items() if n > _FILE_LINES and path not in _LONGER])


def test_functions_are_short() -> None:
    long = [(f"{s.path}:{f.name}", n) for s in sources(*PRODUCT, "tests") for f, n in _lengths(s)]
    offences([f"{name} has {n} lines" for name, n in long if n > _FUNCTION_LINES and name not in _LONGER])


def test_most_functions_are_very_short() -> None:
    lengths = [n for source in sources(*PRODUCT) for _, n in _lengths(source)]
    assert statistics.median(lengths) <= 10
    assert statistics.quantiles(lengths, n=20)[-1] <= 40


def test_no_file_names_a_package_registry() -> None:
    hits = [(path, _REGISTRY.search(path.read_bytes())) for path in tracked()]
    offences([f"{path}: {hit[0].decode()}" for path, hit in hits if hit])


def _lengths(source: Source) -> list[tuple[ast.FunctionDef | ast.AsyncFunctionDef, int]]:
    return [(f, (f.end_lineno or f.lineno) - f.lineno + 1) for f in source.functions]


# The rules themselves are tried on small sources that break them.


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("jobs/x.py", "import app.main"),
        ("jobs/x.py", "from app import main"),
        ("jobs/sub/x.py", "from ...app import main"),
        ("app/webhook.py", "from jobs.pipeline import run"),
        ("app/webhook.py", "from jobs.github.client import Client"),
        ("jobs/agent/loop.py", "from jobs.sandbox.cell import Cells"),
        ("jobs/agent/tools/x.py", "if True:\n    import redis.asyncio"),
        ("action/x.py", "def f():\n    from app import main"),
    ],
)
def test_a_wrong_import_is_seen(path: str, text: str) -> None:
    assert len(bad_imports(read(text, path))) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app/webhook.py", "from jobs.trace.store import Store\nfrom jobs.job import Job"),
        ("app/dashboard/pages.py", "from jobs.github.client import Client"),
        ("app/local/up.py", "from jobs.worker import main"),
        ("jobs/agent/loop.py", "from jobs.sandbox.base import Cell\nfrom jobs.suite.report import Report"),
        ("action/x.py", "import jobs.pipeline"),
    ],
)
def test_a_right_import_is_allowed(path: str, text: str) -> None:
    assert bad_imports(read(text, path)) == []


def test_the_kinds_of_import_are_told_apart() -> None:
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import redis\ndef f():\n    import rq\n"
    seen = {i.name: (i.inside, i.typing) for i in read(text, "jobs/x.py").imports}
    assert seen == {"typing": (False, False), "redis": (False, True), "rq": (True, False)}


def test_a_pure_file_may_not_tell_the_time() -> None:
    source = read('"""A rule. Pure."""\nfrom time import monotonic\n', "jobs/rule.py")
    assert is_pure(source)
    assert impurities(source) == ["jobs/rule.py:2 imports time"]


def test_a_cycle_is_found_once() -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c", "b"]]


def test_the_environment_is_seen_however_it_is_read() -> None:
    text = "import os\nfrom os import environ\nos.environ['A']\nos.getenv('B')\n"
    assert sorted(read(text, "jobs/x.py").reads_environment()) == [2, 3, 4]
