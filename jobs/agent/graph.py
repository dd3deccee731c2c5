"""The files of a tree and what imports what, kept up to date while the tree changes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from jobs.agent.imports_python import Modules, Wish
from jobs.agent.imports_script import Scripts
from jobs.agent.tools import inside
from jobs.errors import EnvironmentFault
from jobs.sandbox.base import Cell

_READ_S = 30.0  # seconds that reading a tree may take
_PYTHON = (".py", ".pyi")


class Imports:
    """The import graph of one cell's tree: `{path: paths that it imports}` for every source file."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._wishes: dict[str, Any] | None = None
        self.gone: frozenset[str] = frozenset()  # paths that were changed and are no files any more

    def after(self, changed: Collection[str]) -> dict[str, tuple[str, ...]]:
        """The graph now that `changed` were changed: all is read once, later only these. A file that is gone stays in
        it, as what imported it is what its loss breaks. Empty where the tree can't be read in time."""
        only = None if self._wishes is None else list(changed)
        try:
            answer = inside.script(self._cell, "imports", {"root": inside.ROOT, "only": only}, timeout_s=_READ_S)
        except EnvironmentFault:
            return {}
        kept = {} if self._wishes is None else self._wishes
        files = frozenset(answer["files"])
        self.gone = (self.gone | frozenset(changed)) - files
        self._wishes = {path: w for path, w in {**kept, **answer["found"]}.items() if path in files}
        return linked(files | self.gone, self._wishes, answer["settings"])


def linked(files: Collection[str], wishes: dict[str, Any], settings: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """The graph of `files` by what the script in the cell found in them."""
    asked: dict[str, tuple[Wish, ...]] = {
        path: tuple((module, tuple(names)) for module, names in rows)
        for path, rows in wishes.items()
        if path.endswith(_PYTHON)
    }
    modules, scripts = Modules(files, asked), Scripts(files, settings)
    return {
        path: modules.imports(path) if path in asked else scripts.imports(path, wishes[path]) for path in sorted(wishes)
    }
