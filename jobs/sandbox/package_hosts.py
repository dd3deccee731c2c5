"""Which hosts the package tools of other languages use, asked from those tools as they are installed here."""

from __future__ import annotations

import functools
import json
import mmap
import re
import subprocess
import urllib.request
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from jobs.sandbox.interpreters import Interpreters
from jobs.sandbox.programs import on_path
from jobs.settings import child_environment

_PAGE = 1 << 20
_PASSED = (
    "GOPROXY",
    "GOSUMDB",
    "GONOSUMDB",
    "GOPRIVATE",
    "CARGO_HOME",
    "GEM_HOME",
    "BUNDLE_USER_CONFIG",
    "COMPOSER_HOME",
)
_SPARSE = re.compile(rb"sparse\+(https://[a-z0-9.-]+\.[a-z]+/)")


def addresses(chosen: Interpreters) -> tuple[str, ...]:
    """Web addresses of the registries that the tools of the languages beside Python and Node use here."""
    found = (_ASKED[one.name](one.executable) for one in chosen.others if one.name in _ASKED)
    return tuple(dict.fromkeys(address for many in found for address in many))


@functools.cache
def _go(go: Path) -> tuple[str, ...]:
    """The proxies of modules, and the database of their sums, which is named by its host."""
    told = _lines([str(go), "env", "GOPROXY", "GOSUMDB"])
    proxies = re.split(r"[,|]", told[0]) if told else []
    sums = told[1].split()[-1] if len(told) > 1 and told[1].strip() not in ("", "off") else ""
    return (*_web(proxies), *([sums if sums.startswith("http") else f"https://{sums}"] if sums else []))


@functools.cache
def _cargo(cargo: Path) -> tuple[str, ...]:
    """The index that cargo was built with, and where that one says packages lie; what configuration puts in its
    place comes with `hosts:`."""
    try:
        with cargo.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            named = _SPARSE.search(text)
            index = bytes(named.group(1)).decode() if named else ""
    except (OSError, ValueError):
        return ()
    return (index, *_files_of(index)) if index else ()


def _files_of(index: str) -> list[str]:
    try:
        with urllib.request.urlopen(f"{index}config.json", timeout=10) as page:
            told = json.loads(page.read(_PAGE))
    except (OSError, ValueError):
        return []
    return _web(str(told.get(key, "")) for key in ("dl", "api")) if isinstance(told, dict) else []


@functools.cache
def _maven(_java: Path) -> tuple[str, ...]:
    """The repositories in the model that every Maven project inherits from."""
    for program in on_path(("mvn",)):
        for jar in sorted(program.resolve().parent.parent.glob("lib/maven-model-builder*.jar")):
            try:
                with zipfile.ZipFile(jar) as inside:
                    model = inside.read("org/apache/maven/model/pom-4.0.0.xml").decode("utf-8", "replace")
            except (OSError, KeyError, zipfile.BadZipFile):
                continue
            return tuple(dict.fromkeys(re.findall(r"<url>\s*(https?://[^<\s]+)", model)))
    return ()


@functools.cache
def _ruby(ruby: Path) -> tuple[str, ...]:
    """The sources of gems; a registry's index is at a host of its own, by Bundler's convention."""
    sources = _web(_lines([str(ruby), "-S", "gem", "sources", "--list"]))
    return (*sources, *(re.sub(r"^(https?://)", r"\1index.", source) for source in sources))


@functools.cache
def _php(_php: Path) -> tuple[str, ...]:
    told = [line for program in on_path(("composer",))[:1] for line in _lines([str(program), "config", "-g", "--list"])]
    return tuple(_web(word for line in told if line.startswith("[repositories") for word in line.split()))


@functools.cache
def _dotnet(dotnet: Path) -> tuple[str, ...]:
    return tuple(_web(word for line in _lines([str(dotnet), "nuget", "list", "source"]) for word in line.split()))


_ASKED: dict[str, Callable[[Path], tuple[str, ...]]] = {
    "go": _go,
    "rust": _cargo,
    "java": _maven,
    "ruby": _ruby,
    "php": _php,
    "dotnet": _dotnet,
}


def _web(words: Iterable[str]) -> list[str]:
    return [word.strip() for word in words if re.match(r"\s*https?://", word)]


def _lines(argv: list[str]) -> list[str]:
    """What a tool of this machine prints; nothing if it does not start or fails."""
    try:
        done = subprocess.run(
            argv,
            capture_output=True,
            timeout=30,
            stdin=subprocess.DEVNULL,
            env=child_environment(_PASSED),
            cwd="/",
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.decode("utf-8", "replace").splitlines()
