"""Asks the scripts that are mounted in every cell, and reads their answers."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.errors import EnvironmentFault
from jobs.sandbox.base import Cell, Command

PYTHON = ("/opt/patchwright/bin/python3", "-I", "-S")
FILES = "/opt/patchwright/files.py"
SEARCH = "/opt/patchwright/search.py"
ROOT = "/src"
_MOST = 256 << 20  # bytes of one answer


@dataclass(frozen=True)
class FileView:
    """One file as it is now. `state` is text, binary, huge, special, refused or unread; `data` is there for text."""

    path: str
    state: str
    size: int = 0
    sha256: str = ""
    data: bytes = b""
    error: str = ""


@dataclass(frozen=True)
class Listed:
    """One line of a folder's listing; `lines` is None where not text."""

    path: str
    size: int
    lines: int | None


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
    """How one write went: `error` is empty if it landed; `syntax` names a syntax error that was not there before."""

    path: str
    error: str
    sha256: str = ""
    syntax: str = ""


def script(cell: Cell, path: str, request: Mapping[str, Any], *, timeout_s: float = 60.0) -> Any:
    """Runs one of the mounted scripts with `request` on stdin. Raises EnvironmentFault if it can't answer."""
    stdin = json.dumps(request).encode()
    done = cell.run(Command((*PYTHON, path), timeout_s=timeout_s, stdin=stdin, max_output=_MOST))
    if not done.ok:
        raise EnvironmentFault(
            f"The sandbox's own {path} ended with {done.ended} ({done.exit_code}): {done.text[-500:]}"
        )
    return json.loads(done.output)


def show(cell: Cell, paths: Sequence[str]) -> tuple[Shown, ...]:
    """What stands at each of `paths` (files, folders, globs), in one cell."""
    ops = [{"op": "show", "path": path} for path in paths]
    return tuple(_shown(row) for row in script(cell, FILES, {"root": ROOT, "ops": ops})["results"])


def write(cell: Cell, files: Mapping[str, tuple[bytes, str | None]]) -> tuple[Written, ...]:
    """Writes each path's bytes if the file still has the given sha256 (None: does not exist), in one cell."""
    ops = [
        {"op": "write", "path": path, "data": base64.b64encode(data).decode(), "expect": expect}
        for path, (data, expect) in files.items()
    ]
    rows = script(cell, FILES, {"root": ROOT, "ops": ops})["results"]
    return tuple(
        Written(path, r["error"] or "", r.get("sha256") or "", r.get("syntax") or "")
        for path, r in zip(files, rows, strict=True)
    )


def snapshot(cell: Cell) -> Mapping[str, str]:
    """The fingerprint of every file."""
    answer = script(cell, FILES, {"root": ROOT, "ops": [{"op": "snapshot"}]})
    return dict(answer["results"][0]["files"])


def digests(cell: Cell, paths: Sequence[str]) -> Mapping[str, str | None]:
    """The sha256 of each path's bytes, None for what is gone."""
    answer = script(cell, FILES, {"root": ROOT, "ops": [{"op": "digest", "paths": list(paths)}]})
    return dict(answer["results"][0]["sha256"])


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
