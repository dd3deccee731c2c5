"""A pytest plugin that notes which files of the tree each test executes. Standard library only.

It runs on the repository's Python, from 3.8 on. Where Python has sys.monitoring (3.12), a function costs its first call
in each test; before that each call costs a little.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

_FOLDER = os.environ.get("PATCHWRIGHT_EXECUTED", "")
_TOOL = 4  # of sys.monitoring: none of the numbers that are kept for debuggers, coverage and profilers
_MOST = 5_000  # tests and files of tests that are told apart
_SKIPPED = ("/node_modules/", "/site-packages/", "/.venv/", "/.tox/")


class _Watch:
    """What was executed, by the test or file of tests at work."""

    def __init__(self) -> None:
        self.root = os.getcwd() + "/"
        self.hits: dict[str, set[str]] = {}
        self.now: set[str] = set()
        self.seen: set[Any] = set()
        self.monitoring: Any = getattr(sys, "monitoring", None)

    def begin(self) -> None:
        if self.monitoring is None:
            sys.setprofile(self.called)
            threading.setprofile(self.called)
            return
        self.monitoring.use_tool_id(_TOOL, "patchwright")
        self.monitoring.register_callback(_TOOL, self.monitoring.events.PY_START, self.started)
        self.monitoring.set_events(_TOOL, self.monitoring.events.PY_START)

    def started(self, code: Any, _: int) -> Any:
        self.now.add(code.co_filename)
        return self.monitoring.DISABLE

    def called(self, frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code not in self.seen:
            self.seen.add(frame.f_code)
            self.now.add(frame.f_code.co_filename)

    def turn(self, name: str) -> None:
        """From here on it is the work of `name`."""
        self.now = self.hits.setdefault(name, set()) if name in self.hits or len(self.hits) < _MOST else set()
        self.seen.clear()
        if self.monitoring is not None:
            self.monitoring.restart_events()

    def write(self) -> None:
        names = {file for files in self.hits.values() for file in files if self.inside(file)}
        numbers = {file: number for number, file in enumerate(sorted(names))}
        tests = {name: sorted(numbers[f] for f in files if f in numbers) for name, files in self.hits.items()}
        files = [self.short(file) for file in sorted(names)]
        os.makedirs(_FOLDER, exist_ok=True)
        with open(os.path.join(_FOLDER, f"{os.getpid()}.json"), "w", encoding="utf-8") as out:
            json.dump({"files": files, "tests": {name: used for name, used in tests.items() if used}}, out)

    def inside(self, file: str) -> bool:
        full = os.path.normpath(os.path.join(self.root, file))
        if file.startswith("<"):  # no file: made by exec, or part of Python itself
            return False
        return full.startswith(self.root) and not any(part in full for part in _SKIPPED)

    def short(self, file: str) -> str:
        return os.path.normpath(os.path.join(self.root, file))[len(self.root) :]


_watch = _Watch()


def by_process(at_end: Callable[[Callable[[], None]], object]) -> None:
    """For a process that is no pytest: all that it executes, under the empty name."""
    _watch.turn("")
    _watch.begin()
    at_end(_watch.write)


def pytest_configure(config: Any) -> None:
    if _FOLDER:
        _watch.begin()


def pytest_collectstart(collector: Any) -> None:
    _watch.turn(collector.nodeid.split("::")[0])


def pytest_runtest_logstart(nodeid: str, location: Any) -> None:
    _watch.turn(nodeid)


def pytest_sessionfinish(session: Any) -> None:
    if _FOLDER:
        _watch.write()
