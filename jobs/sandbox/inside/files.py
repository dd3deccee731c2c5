"""Lists, reads, writes and fingerprints files from inside a cell: JSON in, JSON out, standard library only.

    python3 -I -S files.py            one JSON object on stdin: {"root": "/src", "also": ["/env"], "ops": [{"op": ...}]}
    python3 -I -S files.py snapshot [ROOT]      the fingerprints of every file, as `{"op": "snapshot"}` gives them

`root` may be written below (never in `.git`), `also` only read. Symbolic links that lead out of them are refused.
Answers `{"results": [...]}`, one object an operation; what an operation can't do stands in its `error`.
"""

# Paths are handled by os alone: pathlib would double the start-up of a script that runs at every call.

from __future__ import annotations

import base64
import fnmatch
import hashlib
import json
import os
import stat
import subprocess
import sys
import tempfile
import warnings

TYPE_CHECKING = False  # importing typing would double the start-up of a script that runs at every call
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

RG = "/opt/patchwright/bin/rg"
# Tool output that no one edits by hand; walking it would cost more than the rest of the tree.
SKIPPED = {".git", "node_modules", "__pycache__", ".venv", ".tox", ".nox", ".hypothesis"}
SKIPPED |= {".mypy_cache", ".pytest_cache", ".ruff_cache"}
MADE = "*.egg-info"  # folders that installing a project leaves beside its code; not listed
HUGE = 10 << 20  # bytes; above this a file is named, not read
COUNTED = 4000  # files of a listing whose lines are counted


class Refused(Exception):
    """The path or the operation is not allowed; the text says why."""


class Place:
    """Where paths lead: `root` for reading and writing, `also` for reading."""

    def __init__(self, root: str, also: list[str]) -> None:
        self.root = os.path.realpath(root)
        self.also = [os.path.realpath(a) for a in also]

    def find(self, path: str, *, writing: bool = False) -> str:
        """The real path behind `path` (relative to the root, or absolute)."""
        if not path or "\0" in path:
            raise Refused("the path is empty")
        full = os.path.normpath(os.path.join(self.root, path))
        real = os.path.realpath(full)
        homes = [self.root] if writing else [self.root, *self.also]
        if not any(_below(full, h) for h in homes):
            raise Refused(f"is outside {' and '.join(homes)}")
        if not any(_below(real, h) for h in homes):
            raise Refused("is a symbolic link that leads out of the tree")
        if any(".git" in p.lower().split("/") for p in (full, real)):
            raise Refused("is inside .git, which is not yours to touch")
        return real

    def name(self, real: str) -> str:
        """The path as people write it: relative below the root, absolute elsewhere."""
        return os.path.relpath(real, self.root) if _below(real, self.root) else real


def _below(path: str, home: str) -> bool:
    return path == home or path.startswith(home.rstrip("/") + "/")


def listing(folder: str) -> list[str]:
    """Every file below `folder` that an editor would show (ignored and generated folders left out), sorted."""
    globs = [part for name in [*sorted(SKIPPED), MADE] for part in ("-g", f"!**/{name}")]
    command = [RG, "--no-config", "--files", "--hidden", "--null", *globs, folder]
    try:
        out = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL).stdout
    except OSError:
        return sorted(p for p, _ in walk(folder) if not fnmatch.fnmatchcase(p[len(folder) :], f"*/{MADE}/*"))
    return sorted(os.fsdecode(p) for p in out.split(b"\0") if p)


def walk(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """(path, lstat) of every file and link below `folder`, ignored ones too, generated folders left out."""
    stack = [folder]
    while stack:
        try:
            entries = list(os.scandir(stack.pop()))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in SKIPPED:
                    stack.append(entry.path)
                continue
            try:
                yield entry.path, entry.stat(follow_symlinks=False)
            except OSError:
                continue


def snapshot(root: str) -> dict[str, Any]:
    """`{"files": {path: fingerprint}}`: size, modification and change time, mode; no content is read."""
    home = os.path.realpath(root)
    return {
        "files": {
            os.path.relpath(path, home): f"{s.st_size}:{s.st_mtime_ns}:{s.st_ctime_ns}:{s.st_mode}"
            for path, s in walk(home)
        }
    }


def show(place: Place, op: dict[str, Any]) -> dict[str, Any]:
    """What is at a path, a glob or a folder: `{"asked", "kind": file|dir|glob|missing|refused, …}`."""
    asked = op["path"]
    try:
        real = place.find(asked)
    except Refused as no:
        return {"asked": asked, "kind": "refused", "error": str(no)}
    if os.path.isdir(real):
        return {"asked": asked, "kind": "dir", "path": place.name(real), "files": entries(place, listing(real))}
    if os.path.lexists(real):
        return {"asked": asked, "kind": "file", "files": [content(place, real)]}
    if any(c in asked for c in "*?["):
        return {"asked": asked, "kind": "glob", "files": matching(place, asked, op.get("limit", 50))}
    return {"asked": asked, "kind": "missing", "near": near(place, asked)}


def matching(place: Place, pattern: str, limit: int) -> list[dict[str, Any]]:
    """The content of the files whose path matches the glob; those beyond `limit` by name only."""
    pattern = pattern.removeprefix("./").removeprefix(place.root + "/").replace("**/", "*")
    found = [p for p in listing(place.root) if fnmatch.fnmatchcase(place.name(p), pattern)]
    return [content(place, p) if n < limit else {"path": place.name(p), "state": "unread"} for n, p in enumerate(found)]


def near(place: Place, path: str) -> list[str]:
    """Up to three existing paths that the missing one may have meant."""
    name = os.path.basename(path).lower()
    names = [place.name(p) for p in listing(place.root)]
    same = [p for p in names if os.path.basename(p).lower() == name]
    return (same or [p for p in names if name and name in p.lower()])[:3]


def entries(place: Place, paths: list[str]) -> list[dict[str, Any]]:
    """Path, size and line count (None where not text or not counted) of each file."""
    rows = []
    for number, path in enumerate(paths):
        try:
            size = os.lstat(path).st_size
            lines = _lines(path) if number < COUNTED and size <= HUGE and os.path.isfile(path) else None
        except OSError:
            continue
        rows.append({"path": place.name(path), "size": size, "lines": lines})
    return rows


def _lines(path: str) -> int | None:
    with open(path, "rb") as file:
        data = file.read()
    if b"\0" in data[:8192]:
        return None
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def content(place: Place, real: str) -> dict[str, Any]:
    """One file with its bytes in base64, or its name and why it is not shown (`state`)."""
    row: dict[str, Any] = {"path": place.name(real), "state": "text"}
    try:
        place.find(real)
        info = os.stat(real)
        row["size"] = info.st_size
        if not stat.S_ISREG(info.st_mode):
            return {**row, "state": "special"}
        if info.st_size > HUGE:
            return {**row, "state": "huge"}
        with open(real, "rb") as file:
            data = file.read()
    except Refused as no:
        return {**row, "state": "refused", "error": str(no)}
    except OSError as no:
        return {**row, "state": "refused", "error": f"can't be read: {no.strerror}"}
    row["sha256"] = hashlib.sha256(data).hexdigest()
    if b"\0" in data[:8192] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return {**row, "state": "binary"}
    return {**row, "data": base64.b64encode(data).decode("ascii")}


def write(place: Place, op: dict[str, Any]) -> dict[str, Any]:
    """Replaces or creates one file at once, if it still has the expected sha256 (None: must not exist)."""
    row = {"path": op["path"], "error": None}
    try:
        real = place.find(op["path"], writing=True)
        row["path"] = place.name(real)
        old = _current(real)
        have = None if old is None else hashlib.sha256(old).hexdigest()
        if have != op["expect"]:
            raise Refused("was changed by something else in the meantime" if old is not None else "no longer exists")
        data = base64.b64decode(op["data"])
        _replace(real, data)
    except Refused as no:
        return {**row, "error": str(no)}
    except OSError as no:
        return {**row, "error": f"can't be written: {no.strerror}"}
    row["sha256"] = hashlib.sha256(data).hexdigest()
    row["syntax"] = _new_error(real, old, data)
    return row


def _current(real: str) -> bytes | None:
    if not os.path.lexists(real):
        return None
    if not os.path.isfile(real):
        raise Refused("is not a regular file")
    if not os.stat(real).st_mode & stat.S_IWUSR:
        raise Refused("is read-only")
    with open(real, "rb") as file:
        return file.read()


def _replace(real: str, data: bytes) -> None:
    folder = os.path.dirname(real)
    os.makedirs(folder, exist_ok=True)
    mode = stat.S_IMODE(os.stat(real).st_mode) if os.path.exists(real) else 0o644
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".pw-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, real)
    except OSError:
        os.unlink(temporary)
        raise


def digest(place: Place, op: dict[str, Any]) -> dict[str, Any]:
    """`{"sha256": {path: digest}}`, None for what is gone or no regular file."""
    found: dict[str, str | None] = {}
    for path in op["paths"]:
        full = os.path.join(place.root, path)
        if os.path.islink(full):
            found[path] = hashlib.sha256(os.fsencode(os.readlink(full))).hexdigest()
        elif os.path.isfile(full) and os.path.getsize(full) <= HUGE:
            with open(full, "rb") as file:
                found[path] = hashlib.sha256(file.read()).hexdigest()
        else:
            found[path] = None
    return {"sha256": found}


def syntax(path: str, data: bytes) -> str | None:
    """What is wrong with a Python, JSON or TOML file, in one line; None if nothing or not known."""
    try:
        if path.endswith((".py", ".pyi")):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(data, path, "exec", dont_inherit=True)
        elif path.endswith(".json"):
            json.loads(data)
        elif path.endswith(".toml"):
            import tomllib  # noqa: PLC0415   slow to load, and rarely needed

            tomllib.loads(data.decode())
    except SyntaxError as wrong:
        return f"line {wrong.lineno}: {wrong.msg}"
    except (ValueError, ImportError, RecursionError, MemoryError) as wrong:
        return None if isinstance(wrong, ImportError) else str(wrong)
    return None


def _new_error(path: str, old: bytes | None, new: bytes) -> str | None:
    error = syntax(path, new)
    return error if error and (old is None or syntax(path, old) is None) else None


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Runs every operation of `request`, in order."""
    place = Place(request.get("root", "/src"), request.get("also", ["/env"]))
    run = {
        "show": lambda op: show(place, op),
        "write": lambda op: write(place, op),
        "digest": lambda op: digest(place, op),
        "snapshot": lambda op: snapshot(place.root),
    }
    return {"results": [run[op["op"]](op) for op in request["ops"]]}


if __name__ == "__main__":
    if sys.argv[1:2] == ["snapshot"]:
        json.dump(snapshot(sys.argv[2] if len(sys.argv) > 2 else "/src"), sys.stdout)
    else:
        json.dump(answer(json.load(sys.stdin)), sys.stdout)
