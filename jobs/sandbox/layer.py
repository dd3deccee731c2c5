"""Layers: what set-up produced, by key; never written to again."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from jobs.sandbox import files
from jobs.sandbox.interpreters import Interpreter, Interpreters

_VERSION = 1  # of what lies in a layer; raise it when that changes
_RECORD = "layer.json"
_SKIPPED = frozenset({".git", "node_modules", ".venv", "__pycache__"})
_LARGEST = 32 << 20
# What set-up may depend on: manifests, lock files, and sources that it compiles.
_MANIFESTS = re.compile(
    r"(pyproject\.toml|setup\.(py|cfg)|.*requirements.*\.(txt|in)|(uv|poetry|pdm|Pipfile)\.lock|Pipfile|\.python-version"
    r"|package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-(lock|workspace)\.yaml|\.npmrc|\.nvmrc"
    r"|Cargo\.(toml|lock)|go\.(mod|sum|work)|go\.work\.sum|Gemfile(\.lock)?|.*\.gemspec|composer\.(json|lock)|pom\.xml"
    r"|(build|settings)\.gradle(\.kts)?|gradle\.lockfile|libs\.versions\.toml|gradle(-wrapper)?\.properties"
    r"|.*\.(cs|fs|vb)proj|.*\.(sln|slnx)|Directory\.\w+\.props|packages\.lock\.json|global\.json|mix\.(exs|lock)"
    r"|rust-toolchain(\.toml)?|\.(ruby|go|java|php)-version|\.tool-versions|CMakeLists\.txt|meson\.build|binding\.gyp|.*\.(c|cc|cpp|cxx|h|hpp|pyx|pxd|rs))"
)


@dataclass(frozen=True)
class LayerKey:
    """What a layer depends on. `repository` is the repository's id, or a hash of its path in local mode; `trust`
    keeps runs of strangers' code from leaving anything to others; `manifests` maps paths to hashes."""

    repository: str
    trust: str
    manifests: Mapping[str, str]
    commands: tuple[str, ...]
    tools: Mapping[str, str]

    @classmethod
    def of(
        cls, tree: Path, *, repository: str, trust: str, commands: tuple[str, ...], tools: Mapping[str, str]
    ) -> LayerKey:
        """The key for `tree`, from what lies in it."""
        return cls(repository, trust, dict(sorted(_hashes(tree).items())), commands, dict(tools))

    @property
    def digest(self) -> str:
        """32 hexadecimal digits that stand for all of it."""
        parts = [_VERSION, self.repository, self.trust, sorted(self.manifests.items())]
        whole = json.dumps([*parts, self.commands, sorted(self.tools.items())])
        return hashlib.sha256(whole.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Layer:
    """`path` holds env/ (mounted at /env) and src/ (what belongs into a checkout). `blocked` are the hosts that
    set-up asked for in vain, as host:port."""

    path: Path
    key: str
    tools: Mapping[str, str]
    interpreters: Interpreters
    blocked: tuple[str, ...] = field(default_factory=tuple)

    @property
    def env(self) -> Path:
        """What cells see at /env."""
        return self.path / "env"

    @property
    def src(self) -> Path:
        """What `lay` copies into a checkout."""
        return self.path / "src"

    def record(self) -> None:
        """Writes what `load` reads."""
        chosen = [[one.name, one.version, str(one.prefix), str(one.executable)] for one in self.interpreters.all]
        content = {"key": self.key, "tools": dict(self.tools), "interpreters": chosen, "blocked": self.blocked}
        (self.path / _RECORD).write_text(json.dumps(content, indent=1))


def load(path: Path) -> Layer | None:
    """The finished layer at `path`; None if there is none, or its interpreters have left this machine."""
    try:
        content = json.loads((path / _RECORD).read_text())
        rows = [Interpreter(row[0], row[1], Path(row[2]), Path(row[3])) for row in content["interpreters"]]
    except (OSError, ValueError, LookupError):
        return None
    if not all(row.executable.exists() for row in rows):
        return None
    named = {row.name: row for row in rows}
    others = tuple(row for row in rows if row.name not in ("python", "node"))
    chosen = Interpreters(named.get("python"), named.get("node"), others)
    return Layer(path, content["key"], content["tools"], chosen, tuple(content["blocked"]))


def lay(source: Path, tree: Path) -> None:
    """Copies what set-up wrote beside the tracked files (a layer's src) over the checkout `tree`; nothing runs in it.

    What the checkout has itself stays as it is; a link in it is never followed. Raises EnvironmentFault.
    """
    if source.is_dir():
        _lay(source, tree)


def _lay(source: Path, target: Path) -> None:
    for entry in sorted(os.scandir(source), key=lambda one: one.name):
        place = target / entry.name
        if not os.path.lexists(place):
            files.copy(Path(entry.path), place)
        elif entry.is_dir(follow_symlinks=False) and stat.S_ISDIR(os.lstat(place).st_mode):
            _lay(Path(entry.path), place)


def _hashes(tree: Path) -> dict[str, str]:
    found = {}
    for top, folders, names, _ in os.fwalk(tree, follow_symlinks=False):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in names:
            if _MANIFESTS.fullmatch(name):
                path = str(PurePosixPath(top).relative_to(tree) / name)
                found[path] = _hash(tree, path)
    return found


def _hash(tree: Path, path: str) -> str:
    try:
        return hashlib.sha256(files.read_inside(tree, path, _LARGEST)).hexdigest()
    except OSError as unread:
        return f"unread: {type(unread).__name__}"
