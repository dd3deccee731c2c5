"""Syntax errors that a change brought, as its result tells them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from jobs.agent.tools import inside
from jobs.errors import EnvironmentFault
from jobs.sandbox.base import Cell

CODE = (".py", ".pyi", ".js", ".mjs", ".cjs")
_TOLD = (".py", ".pyi", ".json", ".toml")  # what an edit's own result tells of
_CHECKED = (*CODE, ".json", ".toml")
_SHOWN = 10


def errors(cell: Cell, paths: Collection[str]) -> Mapping[str, str]:
    """`{path: "line 3: what is wrong"}` for those of `paths` whose last commit had no such error. Empty where the cell
    can't answer."""
    asked = sorted(path for path in paths if path.endswith(_CHECKED))
    if not asked:
        return {}
    try:
        answer = inside.script(cell, "syntax", {"root": inside.ROOT, "paths": asked})
    except EnvironmentFault:
        return {}
    return dict(answer["errors"])


def lines(fresh: Mapping[str, str], *, told: bool) -> str:
    """What is said of errors that were not there after the change before; `told` says that an edit's own result has
    told of Python, JSON and TOML. Empty if there is nothing to say."""
    said = {path: error for path, error in fresh.items() if not (told and path.endswith(_TOLD))}
    rows = [f"SYNTAX ERROR in {path}, {error}" for path, error in sorted(said.items())]
    more = [f"and {len(rows) - _SHOWN} more files with syntax errors"] if len(rows) > _SHOWN else []
    stopped = [path for path in sorted(fresh) if path.endswith(CODE)]
    end = f"no tests were run: mend the syntax of {', '.join(stopped[:_SHOWN])} first"
    return "\n".join([*rows[:_SHOWN], *more, *([end] if stopped else [])])
