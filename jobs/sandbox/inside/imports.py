"""Tells what the source files of a tree ask to import; started by wire.py, standard library only.

    {"root": "/src", "only": [path, …] | null}

Answers `{"files": [path, …], "found": {path: [wish, …]}, "settings": {path: object}}`. `files` are the paths of all
files, `found` the wishes of those that were read (`only`, else all), `settings` what package.json and tsconfig.json
say of names and places. A wish of Python is `[module, names]` (`.` in front for relative ones, `names` are what is
taken from it, or used of it), one of JavaScript is its specifier. Statements are found by their form, not by parsing:
that is many times as quick, and one too many (in a text) does no harm.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False  # importing typing would double the start-up of a script that runs at every call
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SKIPPED = {".git", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".hypothesis", "bower_components"}
SKIPPED |= {".mypy_cache", ".pytest_cache", ".ruff_cache", ".eggs", ".cache"}
MOST_BYTES = 512 << 10  # of a file that is read
MOST_READ = 64 << 20  # bytes that are read together
MOST_FILES = 50_000
MOST_SETTINGS = 500
PYTHON = (".py", ".pyi")
SCRIPT = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte")
SETTINGS = ("package.json", "tsconfig.json", "jsconfig.json")

_FROM = re.compile(r"^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|(?:[^\n;#(\\]|\\\r?\n)+)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+(\w[\w.]*(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*\w[\w. \t]*)*)", re.MULTILINE)
_LITERAL = re.compile(r"\b(?:import_module|__import__|importorskip)\(\s*['\"](\.*[\w.]+)['\"]")
_RUN = re.compile(r"['\"]-m['\"]\s*,\s*['\"]([\w.]{1,200})['\"]")
_PATH = re.compile(r"['\"](?:\./)?(\w[\w./-]{0,200})\.py['\"]")
_SCRIPT_PATH = re.compile(r"['\"`](\.{0,2}[\w@./-]{1,200}\.[cm]?[jt]sx?)['\"`]")
_COMMENT = re.compile(r"#[^\n]*")
_SPECIFIER = re.compile(
    r"(?:\bfrom|\bimport|\b(?:require(?:\.resolve)?|import|mock|requireActual|importActual)[ \t]*\()"
    r"\s*(?:/\*[^*]*\*/\s*)?['\"`]([^'\"`\n$]{1,300})['\"`]"
)
_BLOCK = re.compile(r"^\s*//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*\*/", re.MULTILINE)
_SAYS = ("name", "main", "module", "source", "browser", "exports", "imports", "compilerOptions")
_USED = 60  # names of one module that are looked up


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """See above."""
    root = os.path.realpath(request.get("root", "/src"))
    files = list(walk(root))
    only = request.get("only")
    wanted = files if only is None else [path for path in only if path in set(files)]
    tops = {part for path in files if path.endswith(PYTHON) for part in path[:-3].split("/")}
    found: dict[str, Any] = {}
    room = MOST_READ
    for path in wanted:
        text = read(root, path) if path.endswith(PYTHON + SCRIPT) and room > 0 else None
        if text is not None:
            room -= len(text)
            found[path] = python(text, tops) if path.endswith(PYTHON) else script(text)
    named = [path for path in files if os.path.basename(path) in SETTINGS][:MOST_SETTINGS]
    settings = {path: said for path in named if (said := settings_of(read(root, path) or ""))}
    return {"files": files, "found": found, "settings": settings}


def walk(root: str) -> Iterator[str]:
    """The path of every plain file below `root`, at most `MOST_FILES`; links and generated folders are left out."""
    stack, seen = [""], 0
    while stack:
        folder = stack.pop()
        try:
            entries = sorted(os.scandir(os.path.join(root, folder)), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                stack += [path] if entry.name not in SKIPPED else []
            elif entry.is_file(follow_symlinks=False):
                yield path
                seen += 1
                if seen == MOST_FILES:
                    return


def read(root: str, path: str) -> str | None:
    """The text of a plain file that is not too large."""
    try:
        handle = os.open(os.path.join(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError:
        return None
    return None if len(data) > MOST_BYTES else data.decode("utf-8", "replace")


def python(text: str, tops: set[str]) -> list[list[Any]]:
    """The wishes of a Python file; of modules whose first name is not in `tops` nothing is told."""
    wishes: list[list[Any]] = []
    for found in _FROM.finditer(text):
        module, tail = found.groups()
        if module.startswith(".") or module.split(".")[0] in tops:
            wishes.append([module, names_of(tail)])
    for found in _IMPORT.finditer(text):
        for part in found[1].split(","):
            words = part.split()
            if words and words[0].split(".")[0] in tops:
                wishes.append([words[0], used(text, words[-1])])
    wishes += [[module, []] for module in _LITERAL.findall(text)]
    # What a test starts as a program of its own.
    wishes += [[module, ["__main__"]] for module in _RUN.findall(text) if module.split(".")[0] in tops]
    paths = [path.removesuffix("/__init__").replace("/", ".") for path in _PATH.findall(text)]
    wishes += [[module, []] for module in dict.fromkeys(paths) if module.split(".")[0] in tops]
    return wishes


def names_of(tail: str) -> list[str]:
    """What stands behind `import`, by its own names."""
    parts = _COMMENT.sub("", tail).replace("\\", " ").strip("() \t\r\n").split(",")
    return [part.split()[0] for part in parts if part.split()]


def used(text: str, name: str) -> list[str]:
    """What the text takes of the module `name`, as `name.what`."""
    found = re.findall(rf"(?<![\w.]){re.escape(name)}\.([A-Za-z_]\w*)", text)
    return list(dict.fromkeys(found))[:_USED]


def script(text: str) -> list[str]:
    """The specifiers that a JavaScript or TypeScript file names, and the paths of scripts: it may start one."""
    return list(dict.fromkeys([*_SPECIFIER.findall(text), *_SCRIPT_PATH.findall(text)]))


def settings_of(text: str) -> dict[str, Any]:
    """What a package.json or tsconfig.json, comments allowed, says of names and places; empty if it is none."""
    import json  # noqa: PLC0415   slow to load, and not every tree has such files

    for form in (text, re.sub(r",(\s*[}\]])", r"\1", _BLOCK.sub("", text))):
        try:
            data = json.loads(form)
        except (ValueError, RecursionError):
            continue
        return {key: data[key] for key in _SAYS if key in data} if isinstance(data, dict) else {}
    return {}
