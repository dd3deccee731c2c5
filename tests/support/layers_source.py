"""Reads the product's source as syntax trees: who imports what, where, and how long things are."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("app", "jobs", "action")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Imported:
    """One imported module: `name` is dotted; `inside` that a function does it, `typing` that only types need it."""

    name: str
    line: int
    inside: bool
    typing: bool


@dataclass(frozen=True)
class Source:
    """One Python file. `path` is relative to the repository, `module` its dotted name."""

    path: str
    module: str
    text: str
    tree: ast.Module

    @property
    def imports(self) -> tuple[Imported, ...]:
        """Everything it imports; `from a import b` counts as `a.b` where that is a module of ours, else as `a`."""
        return tuple(_imports(self.tree, self.module, inside=False, typing=False))

    @property
    def functions(self) -> tuple[Function, ...]:
        """Every function and method."""
        return tuple(node for node in ast.walk(self.tree) if isinstance(node, Function))

    def reads_environment(self) -> Iterator[int]:
        """Lines that name the process's environment."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
                if node.attr in ("environ", "environb", "getenv"):
                    yield node.lineno
            elif isinstance(node, ast.ImportFrom) and node.module == "os":
                yield from (node.lineno for name in node.names if name.name in ("environ", "environb", "getenv"))


@cache
def sources(*folders: str) -> tuple[Source, ...]:
    """The Python files below `folders` of the repository."""
    files = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return tuple(read(path.read_text(), path.relative_to(ROOT).as_posix()) for path in files)


def read(text: str, path: str) -> Source:
    """One file's text as a Source."""
    return Source(path, _module(path), text, ast.parse(text, path))


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that is, or would be, in the repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode()
    return tuple(path for name in listing.split("\0") if name and (path := ROOT / name).is_file())


def cycles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Loops among modules, each once, found by walking depth first."""
    found: list[list[str]] = []
    done: set[str] = set()

    def walk(module: str, path: list[str]) -> None:
        if module in path:
            found.append([*path[path.index(module) :], module])
        elif module not in done:
            for other in sorted(edges.get(module, ())):
                walk(other, [*path, module])
            done.add(module)

    for module in sorted(edges):
        walk(module, [])
    return found


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imports(node: ast.AST, module: str, *, inside: bool, typing: bool) -> Iterator[Imported]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield from (Imported(name, child.lineno, inside, typing) for name in _names(child, module))
        else:
            types = typing or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test))
            within = inside or isinstance(child, Function | ast.Lambda)
            yield from _imports(child, module, inside=within, typing=types)


def _names(node: ast.Import | ast.ImportFrom, module: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    base = node.module or ""
    if node.level:
        above = module.split(".")[: -node.level]
        base = ".".join([*above, base] if base else above)
    for alias in node.names:
        whole = f"{base}.{alias.name}"
        yield whole if _ours(whole) else base


def _ours(module: str) -> bool:
    path = ROOT.joinpath(*module.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()
