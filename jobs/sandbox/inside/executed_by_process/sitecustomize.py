"""Notes which files of the tree a Python process executes, whatever it runs. Standard library only.

Python imports this at start because its folder is on PYTHONPATH, before that of the reports, whose own sitecustomize
it runs next. It runs on the repository's Python, from 3.8 on.
"""

from __future__ import annotations

import atexit
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_REPORTS = os.path.join(os.path.dirname(_HERE), "reports")


def _run(name: str, folders: list[str]) -> None:
    """Runs the module `name` that stands first in `folders`, if there is one."""
    spec = importlib.machinery.PathFinder.find_spec(name, folders)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        if name != "sitecustomize":
            sys.modules[name] = module
        spec.loader.exec_module(module)
        if name == "patchwright_executed" and os.environ.get("PATCHWRIGHT_EXECUTED"):
            module.by_process(atexit.register)


if __name__ == "sitecustomize":
    _again = "patchwright_executed" in sys.modules  # that of the reports finds this one in its turn
    if not _again:
        _run("patchwright_executed", [_REPORTS])
    _over = {_HERE, _REPORTS} if _again else {_HERE}
    _run("sitecustomize", [folder for folder in sys.path if os.path.abspath(folder or ".") not in _over])
