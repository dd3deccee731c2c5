"""What a command was given on its line, checked before anything heavy is loaded or anything is paid for."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal

import typer

from jobs.errors import UserError

_NO_TRACE = "is not a trace: give the file that --trace wrote."
_HEAD = 1 << 16  # characters of a file that tell whether it is a trace


def text_of(path: Path, option: str) -> str:
    """The text of the file that `option` gave, what is no UTF-8 replaced. Raises UserError where it can't be read."""
    where = f" ({option})" if option else ""
    if _kind(path) != "file":
        raise UserError(f"{path} is not a file{where}: name one that is there.")
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as wrong:
        raise UserError(f"{path} can't be read{where}: {wrong.strerror}. Check its permissions.") from None


def trace_lines(trace: Path) -> list[str]:
    """The lines of a trace file. Raises UserError for what is none."""
    if _kind(trace) != "file":
        raise UserError(f"{trace} is not a file: give the trace that --trace wrote.")
    lines = text_of(trace, "").split("\n")
    if not any(map(_of_trace, lines)):
        raise UserError(f"{trace} {_NO_TRACE}")
    return lines


def request_text(issue: Path | None, text: str | None) -> str:
    """The request, given in a file or as text. Raises UserError unless it is given once and says something."""
    if (issue is None) == (text is None):
        raise UserError("Give the request once: --issue FILE or --text TEXT.")
    request = text or "" if issue is None else text_of(issue, "--issue")
    # Bytes of the command line that are no UTF-8, and NUL, can stand neither in a request nor in a commit.
    request = request.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\0", "\ufffd")
    if not request.strip():
        raise UserError("The request is empty: say in a sentence what is wrong (--issue or --text).")
    return request


def writable(name: str, path: Path) -> None:
    """Raises UserError where the file that the option `name` gives can't be written."""
    if _kind(path.parent) != "folder":
        raise UserError(f"The folder of {path} does not exist ({name}): make it, or name another file.")
    kind = _kind(path)
    if kind == "folder":
        raise UserError(f"{path} is a folder: give a file ({name}).")
    if not os.access(path if kind == "file" else path.parent, os.W_OK):
        raise UserError(f"{path} can't be written to ({name}): check its permissions, or name another file.")


def results(json: str | None, trace: Path | None) -> None:
    """Checks where a result (`json`: a file or '-') and a trace are to go. Raises UserError."""
    if json is not None and json != "-":
        writable("--json", Path(json).absolute())
    if trace is not None:
        traceable(trace.absolute())
        if json is not None and Path(json).absolute() == trace.absolute():
            raise UserError(f"{trace} can't hold both the result and the trace: name two files (--json, --trace).")


def traceable(path: Path) -> None:
    """Raises UserError where a trace can't be written to `path`, or would take the place of anything but a trace."""
    writable("--trace", path)
    if not path.is_file() or not path.stat().st_size:
        return
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            old = _of_trace(file.readline(_HEAD))
    except OSError as wrong:
        raise UserError(f"{path} can't be read (--trace): {wrong.strerror}. Name another file.") from None
    if not old:
        raise UserError(f"{path} is there and is no trace, so it is left as it is: name another file (--trace).")


def writable_folder(name: str, path: Path) -> None:
    """Raises UserError where `path`, which the option `name` gives, neither is nor can become a folder to write to."""
    there = next((place for place in (path, *path.parents) if _kind(place) != "none"), path)
    if _kind(there) != "folder":
        raise UserError(f"{there} is a file, and {name} needs a folder: name another one.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UserError(f"{there} can't be written to ({name}): check its permissions, or name another folder.")


def started(repo: Path, quiet: bool) -> None:
    """Says that the command goes on. Raises UserError if `repo` is no folder."""
    if _kind(repo) != "folder":
        raise UserError(f"{repo} is not a folder (--repo): name the one that holds the repository.")
    if not quiet:
        typer.echo("starting …", err=True)


def _of_trace(line: str) -> bool:
    return line.startswith("{") and '"type"' in line and '"run"' in line


def _kind(path: Path) -> Literal["file", "folder", "none"]:
    """What stands at `path`; a file is whatever can be opened as one. None: nothing, or nothing that can be reached."""
    try:
        return "folder" if stat.S_ISDIR(path.stat().st_mode) else "file"
    except OSError:
        return "none"
