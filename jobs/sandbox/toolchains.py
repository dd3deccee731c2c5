"""Which tools of other languages a tree gets: real installations of this machine, never a version manager's shims."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from jobs.sandbox.files import read_inside
from jobs.sandbox.programs import is_binary, on_path


@dataclass(frozen=True)
class Tool:
    """One tool of a language: the program, how it tells its version, the files that say a tree is for it, the file
    that names a version, and where version managers keep installations, below the home folder
    unless they begin with a slash."""

    language: str
    program: str
    asked: tuple[str, ...]
    markers: tuple[str, ...]
    named_in: str = ""
    kept_in: tuple[str, ...] = ()


@dataclass(frozen=True)
class Installed:
    """One installation: its language, version, folder, and the program, a real file in it."""

    language: str
    version: str
    prefix: Path
    executable: Path


def _managed(*folders: str, name: str) -> tuple[str, ...]:
    asdf = (f".asdf/installs/{name}/*/bin", f".local/share/mise/installs/{name}/*/bin")
    return (*folders, *asdf)


TOOLS = (
    Tool(
        *("go", "go", ("version",), ("go.mod", "go.work"), ".go-version"),
        kept_in=_managed("sdk/go*/bin", ".goenv/versions/*/bin", ".asdf/installs/golang/*/go/bin", name="go"),
    ),
    Tool(
        *("rust", "cargo", ("--version",), ("Cargo.toml",), "rust-toolchain"),
        kept_in=(".rustup/toolchains/stable-*/bin", ".rustup/toolchains/*/bin"),
    ),
    Tool(
        *("ruby", "ruby", ("--version",), ("Gemfile", "Rakefile"), ".ruby-version"),
        kept_in=_managed(".rbenv/versions/*/bin", ".rubies/*/bin", ".rvm/rubies/*/bin", name="ruby"),
    ),
    Tool(
        *("php", "php", ("--version",), ("composer.json",), ".php-version"),
        kept_in=_managed(".phpenv/versions/*/bin", name="php"),
    ),
    Tool(
        *("java", "java", ("--version",), ("pom.xml", "build.gradle", "build.gradle.kts"), ".java-version"),
        kept_in=_managed("/usr/lib/jvm/*/bin", ".sdkman/candidates/java/*/bin", name="java"),
    ),
    Tool("dotnet", "dotnet", ("--version",), ("global.json", "Directory.Build.props"), "", (".dotnet",)),
    Tool("elixir", "erl", ("-version",), ("mix.exs",), "", _managed(name="erlang")),
    Tool("native", "cmake", ("--version",), ("CMakeLists.txt",)),
)


def tools_of(tree: Path) -> tuple[Installed, ...]:
    """The tools of the languages that `tree`, which may be hostile, has manifests of at its top or one folder down."""
    names = _names(tree)
    wanted = [tool for tool in TOOLS if names.intersection(tool.markers) or _ending(tool, names)]
    found = (choose(tool, _wish(tree, tool)) for tool in wanted)
    return tuple(one for one in found if one is not None)


def choose(tool: Tool, wish: str) -> Installed | None:
    """The installation whose version begins with `wish` if there is one, else the first on PATH, else the newest."""
    there = installations(tool)
    fitting = [one for one in there if wish and f"{one.version}.".startswith(f"{wish}.")]
    return next(iter((*fitting, *there)), None)


@functools.cache
def installations(tool: Tool) -> tuple[Installed, ...]:
    """Every installation of `tool`: those on PATH in its order, then those of version managers, newest first."""
    there = on_path((tool.program,))
    # What version managers put on PATH answers for another file: a script, or a program of another name.
    real = [file.resolve() for file in there if is_binary(file) and file.resolve().name.startswith(tool.program)]
    homes = dict.fromkeys((Path.home(), *(file.parents[2] for file in there if len(file.parents) > 2)))
    managed = [file.resolve() for pattern in tool.kept_in for file in _kept(f"{pattern}/{tool.program}", homes)]
    on = [one for file in dict.fromkeys(real) if (one := _ask(tool, file))]
    kept = [
        one for file in dict.fromkeys(managed) if file not in real and is_binary(file) and (one := _ask(tool, file))
    ]
    return (*on, *sorted(kept, key=_order, reverse=True))


def _kept(pattern: str, homes: Iterable[Path]) -> list[Path]:
    """Below the home folders, and those that the names on PATH lead to: `X/.cargo/bin/cargo` is X's."""
    roots = [Path("/")] if pattern.startswith("/") else list(homes)
    return [file for root in roots for file in root.glob(pattern.removeprefix("/"))]


def _order(one: Installed) -> tuple[bool, Version]:
    """Stable channels before others, then by version."""
    try:
        return "nightly" not in str(one.prefix), Version(one.version)
    except InvalidVersion:
        return False, Version("0")


def _ask(tool: Tool, file: Path) -> Installed | None:
    """`file` as an installation; None if it does not start here or tells no version."""
    try:
        done = subprocess.run(
            [str(file), *tool.asked],
            capture_output=True,
            timeout=20,
            stdin=subprocess.DEVNULL,
            env={"PATH": os.defpath, "LC_ALL": "C", "HOME": "/nonexistent"},
            cwd="/",
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    told = re.search(rb"(?<![\w.])(?:go)?(\d+(?:\.\d+)+)", done.stdout + done.stderr)
    return Installed(tool.language, told.group(1).decode(), _prefix(file), file) if told else None


def _prefix(file: Path) -> Path:
    return file.parent.parent if file.parent.name in ("bin", "sbin") else file.parent


def _names(tree: Path) -> set[str]:
    found: set[str] = set()
    try:
        for entry in os.scandir(tree):
            found.add(entry.name)
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                found |= set(_inside(entry.path))
    except OSError:
        return found
    return found


def _inside(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number > 500:
                    return
                yield entry.name
    except OSError:
        return


def _ending(tool: Tool, names: set[str]) -> bool:
    return tool.language == "dotnet" and any(name.endswith((".sln", ".slnx", ".csproj")) for name in names)


def _wish(tree: Path, tool: Tool) -> str:
    """The version that the tree names for this tool, as far as its small files can be read; empty where it does not."""
    if tool.named_in:
        found = re.search(r"(?:^|\D)(\d+(?:\.\d+)*)", _text(tree, tool.named_in))
        if found:
            return found.group(1)
    if tool.language == "rust":
        found = re.search(r'channel\s*=\s*"(\d+(?:\.\d+)*)', _text(tree, "rust-toolchain.toml"))
        return found.group(1) if found else ""
    return ""


def _text(tree: Path, name: str) -> str:
    try:
        return read_inside(tree, name).decode("utf-8", "replace")
    except OSError:
        return ""
