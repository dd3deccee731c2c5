"""`patchwright tool` and `patchwright cell`: one tool call, or one command, as the agent would, on a copy."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.local.copy import Copy, copied
from app.local.here import Here, Output, at
from jobs.agent.tools.registry import TOOLS, call
from jobs.agent.tools.spec import Bench
from jobs.errors import UserError
from jobs.prepare import Prepared, prepare
from jobs.repo.workspace import open_workspace
from jobs.sandbox import hosts, setup
from jobs.sandbox.base import Command, Result
from jobs.sandbox.cell import Cells
from jobs.sandbox.interpreters import choose
from jobs.suite.run import run_suite
from jobs.trace.listen import Silent

_QUIET = Output(json=None, trace=None, quiet=True)
COULD_NOT_START = 125
_LONGEST_S = 3600.0


def call_here(name: str, repo: Path, arguments: str) -> int:
    """Calls tool `name` with JSON `arguments` on a copy of `repo`, writes changed files back, prints the result.

    Returns 0 or 1. Raises UserError for an unknown tool and for arguments that are no JSON object.
    """
    if name not in TOOLS:
        raise UserError(f"There is no tool '{name}': the tools are {', '.join(TOOLS)}.")
    try:
        given = json.loads(arguments or "{}")
    except ValueError as bad:
        raise UserError(f"The arguments on stdin are not JSON: {bad}.") from None
    here = at(repo, "HEAD", None, _QUIET)
    with _bench(here) as (bench, copy):
        result = call(name, given, bench)
        written = copy.write_back()
    changed = sorted({*result.changed_files, *written})
    _print({"ok": result.ok, "content": result.content, "changed_files": changed, "error": result.error})
    return 0 if result.ok else 1


def run_in_cell(repo: Path, command: list[str], *, online: bool) -> int:
    """Runs `command` on a copy of `repo` as the agent would, or as set-up would (`online`); returns its exit code."""
    here = at(repo, "HEAD", None, _QUIET)
    with Cells.open(here.settings.data) as cells, copied(here.repository, here.settings.data) as copy:
        if online:
            result = _as_setup(here, cells, copy, tuple(command))
        else:
            with _prepared(here, cells) as ready:
                result = ready.open(copy.folder).run(Command(tuple(command), timeout_s=_LONGEST_S))
    sys.stdout.buffer.write(result.output)
    sys.stdout.flush()
    if result.reason:
        sys.stderr.write(f"patchwright: {result.reason}\n")
    return COULD_NOT_START if result.exit_code is None else result.exit_code


def _as_setup(here: Here, cells: Cells, copy: Copy, command: tuple[str, ...]) -> Result:
    chosen = choose(copy.folder)
    allowed = hosts.find(copy.folder, chosen, uv=cells.programs.uv, more=here.policy.hosts)
    store = here.settings.data / "layers" / here.key
    return setup.try_out(cells, copy.folder, command, store=store, hosts=allowed, timeout_s=_LONGEST_S)


@contextmanager
def _bench(here: Here) -> Iterator[tuple[Bench, Copy]]:
    """A session's tools over a copy; read-before-edit is off, since nothing was read before."""
    with (
        Cells.open(here.settings.data) as cells,
        copied(here.repository, here.settings.data) as copy,
        _prepared(here, cells) as ready,
    ):
        cell = ready.open(copy.folder)
        limit_s = here.policy.budget.verify_minutes * 60
        yield Bench(cell, lambda tests: run_suite(cell, ready.suite, timeout_s=limit_s, tests=tests)), copy


@contextmanager
def _prepared(here: Here, cells: Cells) -> Iterator[Prepared]:
    runs = here.settings.data / "runs"
    with open_workspace(runs, here.run, here.repository.objects, here.base_sha) as workspace:
        yield prepare(workspace, cells, here.policy, key=here.key, data=here.settings.data, trace=Silent())


def _print(result: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(result, ensure_ascii=False) + "\n")
