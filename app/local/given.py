"""What a command was given on its line, checked before anything heavy is loaded."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from jobs.errors import UserError


def trace_lines(trace: Path) -> list[str]:
    """The lines of a trace file. Raises UserError for what is none."""
    if not trace.is_file():
        raise UserError(f"{trace} is not a file: give the trace that --trace wrote.")
    lines = trace.read_text(encoding="utf-8", errors="replace").split("\n")
    if not any(line.startswith("{") and '"type"' in line and '"run"' in line for line in lines):
        raise UserError(f"{trace} is not a trace: give the file that --trace wrote.")
    return lines


def request_text(issue: Path | None, text: str | None) -> str:
    """The request, given in a file or as text. Raises UserError unless it is given once and says something."""
    if (issue is None) == (text is None):
        raise UserError("Give the request once: --issue FILE or --text TEXT.")
    if issue is not None and not issue.is_file():
        raise UserError(f"{issue} is not a file (--issue).")
    request = issue.read_text(encoding="utf-8", errors="replace") if issue is not None else text or ""
    if not request.strip():
        raise UserError("The request is empty: say in a sentence what is wrong (--issue or --text).")
    return request


def writable(name: str, path: Path) -> None:
    """Raises UserError where the file that the option `name` gives can't be written."""
    if not path.parent.is_dir():
        raise UserError(f"The folder of {path} does not exist ({name}).")
    if path.is_dir():
        raise UserError(f"{path} is a folder: give a file ({name}).")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UserError(f"{path} can't be written to ({name}).")


def started(repo: Path, quiet: bool) -> None:
    """Says that the command goes on. Raises UserError if `repo` is no folder."""
    if not repo.is_dir():
        raise UserError(f"{repo} is not a folder (--repo).")
    if not quiet:
        typer.echo("starting …", err=True)
