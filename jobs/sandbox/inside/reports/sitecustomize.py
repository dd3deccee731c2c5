"""Writes one JSON line for each finished unittest test; narrows a run to named tests. Standard library only.

Python imports this at start because its folder is on PYTHONPATH. It changes nothing until `unittest` itself is
imported, and hands over to the sitecustomize that it hides.
"""

import importlib.machinery
import importlib.util
import json
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_REPORT = os.environ.get("PATCHWRIGHT_UNITTEST_REPORT", "")
_NAMES = os.environ.get("PATCHWRIGHT_UNITTEST_NAMES", "")


def _write(record):
    data = (json.dumps(record) + "\n").encode("utf-8", "backslashreplace")
    handle = os.open(_REPORT, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(handle, data)
    finally:
        os.close(handle)


def _name(test):
    # A module that can't be imported is reported under a made-up class; the module's name is what stays the same.
    return test.id().removeprefix("unittest.loader._FailedTest.")


def _record_results(module):
    """Wraps the base class that every result class of a runner calls through to."""
    base, owner, running = module.TestResult, os.getpid(), {}

    def message(result, error, test):
        return result._exc_info_to_string(error, test) if isinstance(error, tuple) else str(error)

    def settle(test, state, text=""):
        worse = {"passed": 0, "skipped": 1, "failed": 2, "error": 3}
        if os.getpid() != owner:
            return
        if id(test) not in running:  # a failed set-up of a class or module has no start
            _write({"id": _name(test), "state": state, "message": text})
            return
        seen, texts = running[id(test)]
        running[id(test)] = (state if seen is None or worse[state] > worse[seen] else seen, [*texts, text])

    def wrap(name, after):
        original = getattr(base, name)

        def method(self, *args, **kwargs):
            try:
                return original(self, *args, **kwargs)
            finally:
                after(self, *args, **kwargs)

        setattr(base, name, method)

    def started(self, test):
        running[id(test)] = (None, [])
        os.environ.pop("PATCHWRIGHT_UNITTEST_REPORT", None)  # a suite that a test starts is not this suite

    def stopped(self, test):
        state, texts = running.pop(id(test), (None, []))
        if state is not None and os.getpid() == owner:
            _write({"id": _name(test), "state": state, "message": "\n".join(t for t in texts if t)})

    def sub_test(self, test, subtest, error):
        if error is not None:
            failed = issubclass(error[0], test.failureException)
            settle(test, "failed" if failed else "error", f"{subtest.id()}\n{message(self, error, test)}")

    wrap("startTest", started)
    wrap("stopTest", stopped)
    wrap("addSuccess", lambda self, test: settle(test, "passed"))
    wrap("addError", lambda self, test, err: settle(test, "error", message(self, err, test)))
    wrap("addFailure", lambda self, test, err: settle(test, "failed", message(self, err, test)))
    wrap("addSkip", lambda self, test, reason: settle(test, "skipped", reason))
    wrap("addExpectedFailure", lambda self, test, err: settle(test, "skipped", "expected failure"))
    wrap("addUnexpectedSuccess", lambda self, test: settle(test, "failed", "unexpected success"))
    wrap("addSubTest", sub_test)


def _narrow(module):
    """Lets the loader find the named tests only; a command's own -k overrides it."""
    names = _NAMES.split("\n")
    module.TestLoader.testNamePatterns = [f"*{name}{end}" for name in names for end in ("", ".*")]


class _Hook:
    """Finds the modules to change with the ordinary machinery and changes them right after they were run."""

    def __init__(self, changes):
        self.changes = changes

    def find_spec(self, name, path=None, target=None):
        if name not in self.changes:
            return None
        change = self.changes.pop(name)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            change(module)

        spec.loader.exec_module = exec_module
        return spec


def _hidden():
    """Runs the sitecustomize that would have been found without this one."""
    folders = [f for f in sys.path if os.path.abspath(f or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", folders)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


if _REPORT:
    _changes = {"unittest.result": _record_results}
    if _NAMES:
        _changes["unittest.loader"] = _narrow
    sys.meta_path.insert(0, _Hook(_changes))
_hidden()
