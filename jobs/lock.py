"""Resolves the lock file of a manifest that the agent changed: outside its cell, by the allow-list, without running
anything of the packages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from jobs.agent.tools.spec import BadCall
from jobs.locked import difference
from jobs.repo import below
from jobs.repo.workspace import Workspace
from jobs.sandbox import hosts, setup
from jobs.sandbox.ask import HostPort
from jobs.sandbox.base import Command, Result
from jobs.sandbox.cell import Cells
from jobs.sandbox.interpreters import choose

_LARGEST_MANIFEST, _LARGEST_LOCK = 1 << 20, 64 << 20
_SHOWN_LINES, _SHOWN_CHARS = 15, 2_000
_ENV = {"UV_HTTP_RETRIES": "1"}  # a host that is not allowed says so at once
_KEEP = 'lock=$1; shift; "$@" && cp -- "$lock" /out/lock'


@dataclass(frozen=True)
class _Resolver:
    """`argv` writes `lock` from `manifest`, both in one folder; empty where no such tool is in the sandbox."""

    manifest: str
    lock: str
    command: str
    argv: tuple[str, ...] = ()


_RESOLVERS = (
    # --no-build: wheels only, so that nobody's build script runs.
    _Resolver("pyproject.toml", "uv.lock", "uv lock", ("uv", "lock", "--no-build", "--no-progress")),
    _Resolver(
        "package.json",
        "package-lock.json",
        "npm install --package-lock-only",
        ("npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"),
    ),
    _Resolver("pyproject.toml", "poetry.lock", "poetry lock"),
    _Resolver("pyproject.toml", "pdm.lock", "pdm lock"),
    _Resolver("Pipfile", "Pipfile.lock", "pipenv lock"),
    _Resolver("requirements.in", "requirements.txt", "pip-compile"),
    _Resolver("package.json", "yarn.lock", "yarn install --mode update-lockfile"),
    _Resolver("package.json", "pnpm-lock.yaml", "pnpm install --lockfile-only"),
)


@dataclass(frozen=True)
class LockSite:
    """Where to resolve: the agent's worktree `folder`, a checkout of the workspace's base; `store` is where set-up
    keeps its folders, `more` are the repository's own `hosts:`, `registries` the credentials of private ones."""

    cells: Cells
    workspace: Workspace
    folder: Path
    store: Path
    more: tuple[str, ...] = ()
    timeout_s: float = 300.0
    registries: Mapping[HostPort, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class _Due:
    """A lock file (path of the base) whose manifests changed, with their bytes now."""

    resolver: _Resolver
    lock: str
    manifests: dict[str, bytes]


def resolve(site: LockSite) -> str:
    """Resolves every lock file whose manifest differs from the base commit's; only lock files are written back.

    Returns what came of it, for the agent. Raises BadCall where nothing can be resolved, or a resolver failed.
    """
    due = list(_due(site))
    if not due:
        raise BadCall("no manifest beside a lock file differs from the base commit: change one first, then call lock.")
    unable = [one for one in due if not one.resolver.argv]
    if len(unable) == len(due):
        need = ", ".join(f"`{one.resolver.command}` for {one.lock}" for one in unable)
        raise BadCall(f"not available here: {need}. Leave the lock file as it is and say this in your last message.")
    told = [_resolved(site, one) for one in due if one.resolver.argv]
    told += [f"{one.lock} was not resolved: `{one.resolver.command}` is not in this sandbox." for one in unable]
    return "\n".join(told)


def _due(site: LockSite) -> Iterator[_Due]:
    trees, base = site.workspace.trees, site.workspace.base
    paths = trees.paths(base)
    for lock in paths:
        place = PurePosixPath(lock)
        for resolver in _RESOLVERS:
            if place.name != resolver.lock or str(place.with_name(resolver.manifest)) not in paths:
                continue
            same = [p for p in paths if PurePosixPath(p).name == resolver.manifest and _within(p, place.parent)]
            now = {path: _read(site.folder, path) for path in same}
            changed = {p: data for p, data in now.items() if data is not None and data != trees.read(base, p)}
            if changed:
                yield _Due(resolver, lock, changed)


def _within(path: str, folder: PurePosixPath) -> bool:
    return PurePosixPath(path).is_relative_to(folder)


def _read(folder: Path, path: str) -> bytes | None:
    try:
        data = below.read(folder, path.encode("utf-8", "surrogateescape"), _LARGEST_MANIFEST)
    except OSError:
        return None
    return data if len(data) <= _LARGEST_MANIFEST else None


def _resolved(site: LockSite, due: _Due) -> str:
    before = site.workspace.trees.read(site.workspace.base, due.lock) or b""
    result = _run(site, due)
    made = result.files.get("lock")
    if not result.ok or made is None:
        last = "\n".join(result.text.rstrip().splitlines()[-_SHOWN_LINES:])[-_SHOWN_CHARS:]
        why = result.reason or f"`{due.resolver.command}` exited with {result.exit_code}."
        raise BadCall(f"{due.lock} could not be resolved: {why}\n{last}\nChange the manifest, then call lock again.")
    below.write(site.folder, due.lock.encode("utf-8", "surrogateescape"), "100644", made)
    if made == before:
        return f"{due.lock} needs no change."
    news = difference(due.lock, before, made)
    return (
        f"{due.lock} is resolved ({news or 'no other packages'}). New packages are not installed here: "
        "tests that import them fail in this sandbox; say so in your last message."
    )


def _run(site: LockSite, due: _Due) -> Result:
    """Resolves on a clean checkout of the base with the changed manifests, and by the hosts that the base names: no
    other file of the agent's can lead it elsewhere."""
    inside = PurePosixPath("/src", due.lock).parent
    argv = ("bash", "-c", _KEEP, "bash", due.resolver.lock, *due.resolver.argv)
    command = Command(argv, timeout_s=site.timeout_s, cwd=str(inside), collect=("lock",), env=_ENV)
    with site.workspace.fresh(site.workspace.base) as clean:
        chosen = choose(clean)
        allowed = hosts.find(clean, chosen, uv=site.cells.programs.uv, more=site.more, credentials=site.registries)
        for path, data in due.manifests.items():
            below.write(clean, path.encode("utf-8", "surrogateescape"), "100644", data)
        return setup.run_once(site.cells, clean, command, store=site.store, hosts=allowed)
