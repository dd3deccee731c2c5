"""`patchwright tool` and `patchwright cell`: one tool call, or one command, as the agent would, on a copy."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from app.local.copy import Copy, copied
from app.local.here import Here, Output, at, nothing
from app.local.write_back import write_back
from jobs.agent.tools.registry import TOOLS, call
from jobs.agent.tools.spec import Bench
from jobs.errors import UserError
from jobs.order import Means
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
_NAMING = ("edit", "write_file")  # they change what their arguments name, and nothing else
_EXAMPLE = '{"paths": ["README.md"]}'
_SHOWN = 5  # files that are named in a sentence


def call_here(name: str, repo: Path, stdin: BinaryIO | None) -> int:
    """Calls tool `name` with the JSON arguments on `stdin` on a copy of `repo`, writes what it changed back, prints
    the result.

    Returns 0, or 1 where the call failed or a change could not be written back. Raises UserError for an unknown tool
    and for arguments that are no JSON object.
    """
    if name not in TOOLS:
        raise UserError(f"There is no tool '{name}': the tools are {', '.join(TOOLS)}.")
    here = at(repo, "HEAD", None, _QUIET)
    given = _arguments(b"" if stdin is None else stdin.read())
    with _bench(here) as (bench, copy, laid):
        result = call(name, given, bench)
        back = write_back(copy, result.changed_files, laid, named=name in _NAMING)
    if back.left:
        shown = ", ".join(back.left[:_SHOWN]) + (" …" if len(back.left) > _SHOWN else "")
        _warn(f"not written back, since git ignores it: {shown}")
    refused = "; ".join(f"{path} was not written back: {why}" for path, why in back.refused.items())
    refused = refused and f"{refused}. Look at it there, and call the tool again."
    error = " ".join(filter(None, (result.error, refused))) or None
    ok = result.ok and not refused
    _print({"ok": ok, "content": result.content, "changed_files": list(back.written), "error": error})
    return 0 if ok else 1


def _arguments(data: bytes) -> dict[str, Any]:
    try:
        given = json.loads(data.decode() or "{}")
    except (ValueError, RecursionError) as bad:
        raise UserError(f"The arguments on stdin are not JSON: {bad}. Send an object, such as {_EXAMPLE}.") from None
    if not isinstance(given, dict):
        raise UserError(f"The arguments on stdin are no JSON object: send one, such as {_EXAMPLE}.")
    return given


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
        _warn(result.reason)
    return COULD_NOT_START if result.exit_code is None else result.exit_code


def _as_setup(here: Here, cells: Cells, copy: Copy, command: tuple[str, ...]) -> Result:
    chosen = choose(copy.folder)
    allowed = hosts.find(copy.folder, chosen, uv=cells.programs.uv, more=here.policy.hosts, credentials=here.registries)
    store = here.settings.data / "layers" / here.key
    return setup.try_out(cells, copy.folder, command, store=store, hosts=allowed, timeout_s=_LONGEST_S)


@contextmanager
def _bench(here: Here) -> Iterator[tuple[Bench, Copy, Path | None]]:
    """A session's tools over a copy, and the folder with what set-up laid over it; read-before-edit is off, since
    nothing was read before."""
    with (
        Cells.open(here.settings.data) as cells,
        copied(here.repository, here.settings.data) as copy,
        _prepared(here, cells) as ready,
    ):
        cell = ready.open(copy.folder)
        limit_s = here.policy.budget.verify_minutes * 60
        bench = Bench(cell, lambda tests: run_suite(cell, ready.suite, timeout_s=limit_s, tests=tests))
        yield bench, copy, ready.layer_source


@contextmanager
def _prepared(here: Here, cells: Cells) -> Iterator[Prepared]:
    runs = here.settings.data / "runs"
    with open_workspace(runs, here.run, here.repository.objects, here.base_sha) as workspace:
        known = here.redactor.knows
        means = Means(here.settings.data, cells, Silent(), nothing, known, registries=here.registries)
        yield prepare(workspace, means, here.policy, key=here.key)


def _print(result: dict[str, Any]) -> None:
    # Bytes of a name that are no UTF-8 become \udcXX, which JSON takes for the lone surrogate that stands for them.
    line = json.dumps(result, ensure_ascii=False) + "\n"
    sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def _warn(sentence: str) -> None:
    sys.stderr.write(f"patchwright: {sentence}\n")
