"""Writes one JSON line for each finished unittest test; narrows a run to named tests. Standard library only.

Python imports this at start because its folder is on PYTHONPATH. It changes nothing until `unittest` itself is
imported, and hands over to the sitecustomize that it hides. It runs on the repository's Python, from 3.8 on.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))
_REPORT = os.environ.get("PATCHWRIGHT_UNITTEST_REPORT", "")
_NAMES = os.environ.get("PATCHWRIGHT_UNITTEST_NAMES", "")
_FAILED_IMPORT = "unittest.loader._FailedTest."
_WORSE = {"passed": 0, "skipped": 1, "failed": 2, "error": 3}


class _Recorder:
    """Follows the tests of one process by wrapping the methods that every result class calls through to."""

    def __init__(self, base: Any) -> None:
        self.base = base
        self.owner = os.getpid()
        self.running: dict[int, tuple[str | None, list[str]]] = {}

    def watch(self) -> None:
        self.wrap("startTest", lambda result, test: self.start(test))
        self.wrap("stopTest", lambda result, test: self.stop(test))
        self.wrap("addSuccess", lambda result, test: self.settle(test, "passed"))
        self.wrap("addError", lambda result, test, err: self.settle(test, "error", _told(result, err, test)))
        self.wrap("addFailure", lambda result, test, err: self.settle(test, "failed", _told(result, err, test)))
        self.wrap("addSkip", lambda result, test, reason: self.settle(test, "skipped", reason))
        self.wrap("addExpectedFailure", lambda result, test, err: self.settle(test, "skipped", "expected failure"))
        self.wrap("addUnexpectedSuccess", lambda result, test: self.settle(test, "failed", "unexpected success"))
        self.wrap("addSubTest", self.part)

    def wrap(self, name: str, after: Callable[..., None]) -> None:
        original = getattr(self.base, name)

        def method(result: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return original(result, *args, **kwargs)
            finally:
                after(result, *args, **kwargs)

        setattr(self.base, name, method)

    def start(self, test: Any) -> None:
        self.running[id(test)] = (None, [])
        os.environ.pop("PATCHWRIGHT_UNITTEST_REPORT", None)  # a suite that a test starts is not this suite

    def settle(self, test: Any, state: str, text: str = "") -> None:
        if id(test) not in self.running:  # a failed set-up of a class or module has no start
            self.write(test, state, text)
            return
        seen, texts = self.running[id(test)]
        worse = seen is None or _WORSE[state] > _WORSE[seen]
        self.running[id(test)] = (state if worse else seen, [*texts, text])

    def part(self, result: Any, test: Any, subtest: Any, error: Any) -> None:
        if error is not None:
            state = "failed" if issubclass(error[0], test.failureException) else "error"
            self.settle(test, state, f"{subtest.id()}\n{_told(result, error, test)}")

    def stop(self, test: Any) -> None:
        state, texts = self.running.pop(id(test), (None, []))
        if state is not None:
            self.write(test, state, "\n".join(text for text in texts if text))

    def write(self, test: Any, state: str, text: str) -> None:
        if os.getpid() != self.owner:
            return
        name = test.id()
        # A module that can't be imported is reported under a made-up class; its own name is what stays the same.
        name = name[len(_FAILED_IMPORT) :] if name.startswith(_FAILED_IMPORT) else name
        line = json.dumps({"id": name, "state": state, "message": text}) + "\n"
        handle = os.open(_REPORT, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, line.encode("utf-8", "backslashreplace"))
        finally:
            os.close(handle)


def _told(result: Any, error: Any, test: Any) -> str:
    return str(result._exc_info_to_string(error, test)) if isinstance(error, tuple) else str(error)


def _record(module: Any) -> None:
    _Recorder(module.TestResult).watch()


def _narrow(module: Any) -> None:
    """Lets the loader find the named tests only; a command's own -k overrides it."""
    names = _NAMES.split("\n")
    module.TestLoader.testNamePatterns = [f"*{name}{end}" for name in names for end in ("", ".*")]


class _Hook:
    """Finds the modules to change with the ordinary machinery and changes them right after they were run."""

    def __init__(self, changes: dict[str, Callable[[Any], None]]) -> None:
        self.changes = changes

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in self.changes:
            return None
        change = self.changes.pop(name)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        loader: Any = spec.loader
        run = loader.exec_module

        def exec_module(module: Any) -> None:
            run(module)
            change(module)

        loader.exec_module = exec_module
        return spec


def _run_hidden() -> None:
    """Runs the sitecustomize that would have been found without this one."""
    folders = [folder for folder in sys.path if os.path.abspath(folder or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", folders)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def _install() -> None:
    changes: dict[str, Callable[[Any], None]] = {"unittest.result": _record}
    if _NAMES:
        changes["unittest.loader"] = _narrow
    sys.meta_path.insert(0, _Hook(changes))


if __name__ == "sitecustomize":
    if _REPORT:
        _install()
    _run_hidden()
