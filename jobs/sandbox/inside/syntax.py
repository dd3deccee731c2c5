"""Tells which files have a syntax error that their last commit had not; started by wire.py, standard library only.

    {"root": "/src", "paths": [path, …]}

Answers `{"errors": {path: "line 3: what is wrong"}}`. Python, JSON, TOML and JavaScript are checked.
A Python file that is wrong for us is asked of the tree's own Python too, which may be newer.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

TYPE_CHECKING = False  # importing typing would double the start-up of a script that runs at every call
if TYPE_CHECKING:
    from typing import Any

    from jobs.sandbox.inside.files import syntax
else:
    from files import syntax

MOST_BYTES = 2 << 20  # of a file that is checked
MOST_PATHS = 200
SCRIPT = (".js", ".mjs", ".cjs")
PYTHON = (".py", ".pyi")
_SECONDS = 10
_COMPILE = "import sys; compile(sys.stdin.buffer.read(), 'file', 'exec', dont_inherit=True)"
_WRONG = re.compile(r"^(?:SyntaxError|IndentationError|TabError):[^\n]*", re.MULTILINE)
_MODULE = re.compile(r"\bimport statement\b|'export'|'import.meta'")
_LINE = re.compile(r":(\d+)$", re.MULTILINE)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """See above."""
    root = os.path.realpath(request.get("root", "/src"))
    errors = {}
    for path in request["paths"][:MOST_PATHS]:
        data = read(root, path)
        error = None if data is None else wrong(root, path, data)
        if error and not was_wrong(root, path):
            errors[path] = error
    return {"errors": errors}


def read(root: str, path: str) -> bytes | None:
    """The bytes of a plain file of the tree that is not too large."""
    full = os.path.realpath(os.path.join(root, path))
    if not full.startswith(f"{root}/") or not os.path.isfile(full) or os.path.getsize(full) > MOST_BYTES:
        return None
    try:
        with open(full, "rb") as file:
            return file.read()
    except OSError:
        return None


def wrong(root: str, path: str, data: bytes) -> str | None:
    """What is wrong with the file, in one line; None if nothing or not known."""
    if path.endswith(SCRIPT):
        return script(path, data)
    error = syntax(path, data)
    if error and path.endswith(PYTHON) and run(["python", "-I", "-S", "-c", _COMPILE], data, root) == "":
        return None
    return error


def script(path: str, data: bytes) -> str | None:
    """What node says of JavaScript. Only its bundler may know if a `.js` is a module: it must be wrong both ways."""
    if b"@flow" in data[:2000] or re.search(rb"^\s*<\w", data, re.MULTILINE):  # types or JSX, which node does not read
        return None
    kinds = [os.path.splitext(path)[1]] if path.endswith((".mjs", ".cjs")) else [".cjs", ".mjs"]
    found = [checked(kind, data) for kind in kinds]
    if None in found:
        return None
    return next((error for error in found if error and not _MODULE.search(error)), found[-1])


def checked(kind: str, data: bytes) -> str | None:
    """What node says of the text as a file with the ending `kind`."""
    place = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"checked-{os.getpid()}{kind}")
    with open(place, "wb") as file:
        file.write(data)
    complaint = run(["node", "--check", place], b"", "/")
    os.unlink(place)
    return said(complaint) if complaint else None


def said(complaint: str) -> str | None:
    """node's complaint in one line; None if it is about something else than syntax."""
    found = _WRONG.search(complaint)
    if found is None:
        return None
    line = _LINE.search(complaint[: found.start()])
    return f"line {line[1]}: {found[0]}" if line else found[0]


def run(argv: list[str], stdin: bytes, cwd: str) -> str | None:
    """What a program complains about, empty if it is content; None if it can't be asked."""
    env = {key: value for key, value in os.environ.items() if key != "NODE_OPTIONS"}
    try:
        done = subprocess.run(
            argv, input=stdin, env=env, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            timeout=_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stderr.decode("utf-8", "replace") if done.returncode else ""


def was_wrong(root: str, path: str) -> bool:
    """True if the file had an error in the last commit already; False where that can't be known."""
    try:
        done = subprocess.run(
            ["git", "-C", root, "show", f"HEAD:./{path}"], capture_output=True, check=False, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    if done.returncode:
        return False
    return wrong(root, path, done.stdout) is not None


if __name__ == "__main__":
    sys.exit("Ask wire.py for it: python3 -I -S wire.py syntax")
