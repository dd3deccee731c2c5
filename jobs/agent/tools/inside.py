"""Asks the scripts that are mounted in every cell, and reads their answers."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.agent.tools.paths import LOCKS
from jobs.errors import EnvironmentFault
from jobs.sandbox.base import Cell, Command

_PYTHON = ("/opt/patchwright/bin/python3", "-I", "-S")
_WIRE = "/opt/patchwright/wire.py"
ROOT = "/src"
_MOST = 256 << 20  # bytes of one answer


@dataclass(frozen=True)
class FileView:
    """One file as it is now. `state` is text, binary, huge, special, refused, lock or unread (the last two
    where a glob found it); `data` is there for text."""

    path: str
    state: str
    size: int = 0
    sha256: str = ""
    data: bytes = b""
    error: str = ""


@dataclass(frozen=True)
class Listed:
    """One line of a folder's listing; `lines` is None where not text, a guess by size where not `counted`."""

    path: str
    size: int
    lines: int | None
    counted: bool = True


@dataclass(frozen=True)
class Shown:
    """What stands at an asked path. `kind` is file, dir, glob, missing or refused."""

    asked: str
    kind: str
    files: tuple[FileView, ...] = ()
    listing: tuple[Listed, ...] = ()
    near: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Written:
    """How one write went: `error` is empty if it landed; `syntax` names a syntax error that was not there before;
    `ignored` says that git's rules leave the new file out."""

    path: str
    error: str
    sha256: str = ""
    syntax: str = ""
    ignored: bool = False


def script(cell: Cell, name: str, request: Mapping[str, Any], *, timeout_s: float = 120.0) -> Any:
    """Has a script that is mounted in every cell answer `request`. Raises EnvironmentFault if it can't."""
    stdin = json.dumps(request).encode()
    done = cell.run(Command((*_PYTHON, _WIRE, name), timeout_s=timeout_s, stdin=stdin, max_output=_MOST))
    if not done.ok:
        raise EnvironmentFault(
            f"The sandbox's own {name} script ended with {done.ended} ({done.exit_code}): {done.text[-500:]}"
        )
    return json.loads(done.output)


def show(cell: Cell, paths: Sequence[str]) -> tuple[Shown, ...]:
    """What stands at each of `paths` (files, folders, globs), in one cell."""
    ops = [{"op": "show", "path": path, "skip": LOCKS} for path in paths]
    return tuple(_shown(row) for row in script(cell, "files", {"root": ROOT, "ops": ops})["results"])


def write(cell: Cell, files: Mapping[str, tuple[bytes, str | None]]) -> tuple[Written, ...]:
    """Writes each path's bytes if the file still has the given sha256 (None: does not exist), in one cell."""
    ops = [
        {"op": "write", "path": path, "data": base64.b64encode(data).decode(), "expect": expect}
        for path, (data, expect) in files.items()
    ]
    rows = script(cell, "files", {"root": ROOT, "ops": ops})["results"]
    return tuple(
        Written(path, r["error"] or "", r.get("sha256") or "", r.get("syntax") or "", bool(r.get("ignored")))
        for path, r in zip(files, rows, strict=True)
    )


def _shown(row: Mapping[str, Any]) -> Shown:
    kind = row["kind"]
    return Shown(
        asked=row["asked"],
        kind=kind,
        files=() if kind == "dir" else tuple(_view(f) for f in row.get("files", ())),
        listing=tuple(Listed(**f) for f in row["files"]) if kind == "dir" else (),
        near=tuple(row.get("near", ())),
        error=row.get("error", ""),
    )


def _view(row: Mapping[str, Any]) -> FileView:
    return FileView(
        path=row["path"],
        state=row["state"],
        size=row.get("size", 0),
        sha256=row.get("sha256", ""),
        data=base64.b64decode(row.get("data", "")),
        error=row.get("error", ""),
    )
