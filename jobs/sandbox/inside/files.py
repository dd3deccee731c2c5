"""Lists, reads and writes files from inside a cell; started by wire.py, standard library only.

    {"root": "/src", "also": ["/env"], "ops": [{"op": "show" | "write", "path", ...}]}

`root` may be written below (never in `.git`), `also` only read. Symbolic links that lead out of them are refused.
Answers `{"results": [...]}`, one object an operation; what an operation can't do stands in its `error`.
"""

# Paths are handled by os alone: pathlib would double the start-up of a script that runs at every call. So would
# base64, hashlib and tempfile together.

from __future__ import annotations

import binascii
import os
import stat

TYPE_CHECKING = False  # importing typing would double the start-up of a script that runs at every call
if TYPE_CHECKING:
    from typing import Any

    from jobs.sandbox.inside import tree
else:
    import tree

HUGE = 10 << 20  # bytes; above this a file is named, not read
COUNTED = 4000  # files of a listing whose lines are counted
COLUMNS = 36  # bytes of a line, where they are not
ROOM = 64 << 20  # bytes of all files that one request reads
GLOB_ROOM = 4 << 20  # of those that a glob finds: far more than a result can show


class Refused(Exception):
    """The path or the operation is not allowed; the text says why."""


class Place:
    """Where paths lead: `root` for reading and writing, `also` for reading."""

    def __init__(self, root: str, also: list[str]) -> None:
        self.root = os.path.realpath(root)
        self.also = [os.path.realpath(a) for a in also]
        self.room = ROOM
        self._names: list[str] | None = None

    def spend(self, size: int) -> bool:
        """Whether `size` more bytes can be read in this request; takes them."""
        self.room -= size
        return self.room >= 0

    def find(self, path: str, *, writing: bool = False) -> str:
        """The real path behind `path` (relative to the root, or absolute)."""
        if not path or "\0" in path:
            raise Refused("the path is empty")
        full = os.path.normpath(os.path.join(self.root, path))
        homes = [self.root] if writing else [self.root, *self.also]
        if not any(_below(full, h) for h in homes):
            raise Refused(f"is outside {' and '.join(homes)}")
        try:
            real = os.path.realpath(full)
        except OSError as no:  # a link through what belongs to another process
            raise Refused(f"can't be reached: {no.strerror}") from None
        if not any(_below(real, h) for h in homes):
            raise Refused("is a symbolic link that leads out of the tree")
        if any(".git" in p.lower().split("/") for p in (full, real)):
            raise Refused("is inside .git, which is not yours to touch")
        return real

    def names(self) -> list[str]:
        """Every file of the tree, by name."""
        if self._names is None:
            self._names = [self.name(path) for path in tree.listing(self.root, self.root)]
        return self._names

    def name(self, real: str) -> str:
        """The path as people write it: relative below the root, absolute elsewhere."""
        return real[len(self.root) :].lstrip("/") or "." if _below(real, self.root) else real


def _below(path: str, home: str) -> bool:
    return path == home or path.startswith(home.rstrip("/") + "/")


def show(place: Place, op: dict[str, Any]) -> dict[str, Any]:
    """What is at a path, a glob or a folder: `{"asked", "kind": file|dir|glob|missing|refused, …}`."""
    asked = op["path"]
    try:
        real = place.find(asked)
    except Refused as no:
        return {"asked": asked, "kind": "refused", "error": str(no)}
    if os.path.isdir(real):
        paths = tree.listing(place.root, real)
        return {"asked": asked, "kind": "dir", "path": place.name(real), "files": entries(place, paths)}
    if os.path.lexists(real):
        return {"asked": asked, "kind": "file", "files": [content(place, real)]}
    if any(c in asked for c in "*?[{"):
        return {"asked": asked, "kind": "glob", "files": matching(place, op)}
    return {"asked": asked, "kind": "missing", "near": tree.near(place.names(), asked)}


def matching(place: Place, op: dict[str, Any]) -> list[dict[str, Any]]:
    """The content of the files whose path matches the glob; those whose names end as `skip` says, and those beyond
    `limit` files or our room, by name only."""
    pattern = op["path"].removeprefix("./").removeprefix(f"{place.root}/")
    wanted, skip = tree.globbed(pattern), tuple(op.get("skip", ()))
    home = next((a for a in place.also if _below(pattern, a)), None)
    names = place.names() if home is None else tree.listing(place.root, home)
    rows: list[dict[str, Any]] = []
    limit, room = op.get("limit", 50), GLOB_ROOM
    for name in filter(wanted, names):
        if skip and name.lower().endswith(skip):
            rows.append({"path": name, "state": "lock"})
        elif limit <= 0 or room <= 0:
            rows.append({"path": name, "state": "unread"})
        else:
            row = content(place, os.path.join(place.root, name))
            rows.append(row)
            limit -= 1
            room -= row["size"] if "data" in row else 0
    return rows


def entries(place: Place, paths: list[str]) -> list[dict[str, Any]]:
    """Path, size and line count of each file: None where it is no text; by its size where not `counted`."""
    rows = []
    for number, path in enumerate(paths):
        counted = number < COUNTED
        try:
            info = os.lstat(path)
            plain = stat.S_ISREG(info.st_mode) and info.st_size <= HUGE
            lines = (_lines(path) if counted else info.st_size // COLUMNS + 1) if plain else None
        except OSError:
            continue
        rows.append({"path": place.name(path), "size": info.st_size, "lines": lines, "counted": counted})
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
        if state := _unreadable(place, info):
            return {**row, "state": state}
        with open(real, "rb") as file:
            data = file.read()
    except Refused as no:
        return {**row, "state": "refused", "error": str(no)}
    except OSError as no:
        return {**row, "state": "refused", "error": f"can't be read: {no.strerror}"}
    row["sha256"] = sha256(data)
    if b"\0" in data[:8192] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return {**row, "state": "binary"}
    return {**row, "data": binascii.b2a_base64(data, newline=False).decode("ascii")}


def _unreadable(place: Place, info: os.stat_result) -> str:
    if not stat.S_ISREG(info.st_mode):
        return "special"
    if info.st_size > HUGE:
        return "huge"
    return "" if place.spend(info.st_size) else "unread"


def write(place: Place, op: dict[str, Any]) -> dict[str, Any]:
    """Replaces or creates one file at once, if it still has the expected sha256 (None: must not exist)."""
    row = {"path": op["path"], "error": None}
    try:
        real = place.find(op["path"], writing=True)
        row["path"] = place.name(real)
        old = _current(real)
        have = None if old is None else sha256(old)
        if have != op["expect"]:
            raise Refused("was changed by something else in the meantime" if old is not None else "no longer exists")
        data = binascii.a2b_base64(op["data"])
        _replace(real, data)
    except Refused as no:
        return {**row, "error": str(no)}
    except OSError as no:
        return {**row, "error": f"can't be written: {no.strerror}"}
    row["sha256"] = sha256(data)
    row["syntax"] = _new_error(real, old, data)
    row["ignored"] = old is None and tree.ignored(place.root, row["path"])
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
    temporary = os.path.join(folder, f".pw-{os.urandom(8).hex()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, real)
    except OSError:
        os.unlink(temporary)
        raise


def sha256(data: bytes) -> str:
    """The digest, by what is quick to load where that is quick enough."""
    if len(data) < 1 << 20:
        for name in ("_sha2", "_sha256"):  # where hashlib takes it from, by version
            try:
                return str(__import__(name).sha256(data).hexdigest())
            except ImportError:
                continue
    import hashlib  # noqa: PLC0415   slow to load

    return hashlib.sha256(data).hexdigest()


def syntax(path: str, data: bytes) -> str | None:
    """What is wrong with a Python, JSON or TOML file, in one line; None if nothing or not known."""
    try:
        if path.endswith((".py", ".pyi")):
            import warnings  # noqa: PLC0415   only some writes need it

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(data, path, "exec", dont_inherit=True)
        elif path.endswith(".json"):
            import json  # noqa: PLC0415   slow to load, and rarely needed

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
    run = {"show": show, "write": write}
    return {"results": [run[op["op"]](place, op) for op in request["ops"]]}
