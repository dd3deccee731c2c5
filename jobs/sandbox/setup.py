"""Set-up: runs a repository's own preparation with a narrow way out, and keeps the result as a layer."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from jobs.errors import EnvironmentFault
from jobs.sandbox import files, host, shelf
from jobs.sandbox.authority import Authority
from jobs.sandbox.base import Command, Result
from jobs.sandbox.cell import BubblewrapCell, Cells
from jobs.sandbox.hosts import Hosts
from jobs.sandbox.interpreters import Interpreters, choose
from jobs.sandbox.layer import Layer, LayerKey, lay, load
from jobs.sandbox.limits import SETUP, Limits
from jobs.sandbox.proxy import Credentials, Log, Proxy
from jobs.sandbox.view import CA_BUNDLE, EGRESS, ONLINE, PROXY_PORT, PYTHON, TOOLS, VENV, Mount
from jobs.trace.events import Trace

__all__ = ["Layer", "LayerKey", "SetupFailed", "build", "lay"]

_BUILDING = ".build-"
_FORWARDER = (f"{TOOLS}/bin/python3", "-I", "-S", f"{TOOLS}/forwarder.py", str(PROXY_PORT), EGRESS)
_SHOWN_LINES = 25
_SHOWN_CHARS = 4000


class SetupFailed(EnvironmentFault):
    """A set-up command did not succeed. `output` are its last lines; `blocked` maps hosts that were asked for in
    vain (host:port) to the command that asked."""

    def __init__(self, command: str, why: str, output: str, blocked: dict[str, str]) -> None:
        hosts = "".join(f"\n{host} was asked for by `{asked}` and is not allowed." for host, asked in blocked.items())
        super().__init__(f"Set-up failed: `{command}` {why}\n{output}{hosts}".rstrip())
        self.command, self.why, self.output, self.blocked = command, why, output, blocked


def build(  # noqa: PLR0913 (every value is named at the call, none can be guessed)
    cells: Cells,
    tree: Path,
    commands: tuple[str, ...],
    *,
    store: Path,
    key: LayerKey,
    hosts: Hosts,
    timeout_s: float = 1800.0,
    trace: Trace | None = None,
    limits: Limits = SETUP,
) -> Layer:
    """The layer for `key` in `store`: the one that is there, else made by `commands` on a copy of `tree`.

    `timeout_s` is for all commands together. Two that want the same layer make it once. Raises SetupFailed.
    """
    started = time.monotonic()
    store.mkdir(mode=0o755, parents=True, exist_ok=True)
    with _alone(store, key.digest):
        found = load(store / key.digest)
        reused = found is not None
        if found is None:
            with _workplace(store) as work:
                found = _Build(cells, work, tree, hosts, limits).make(commands, key, started + timeout_s)
            shelf.weighed(found.path)
            shelf.prune(store.parent)
        shelf.used(found.path)
    if trace:
        seconds = round(time.monotonic() - started, 3)
        shown = {"layer": key.digest, "reused": reused, "blocked": list(found.blocked), "tools": dict(found.tools)}
        trace.emit("stage.finished", stage="layer", seconds=seconds, commands=list(commands), **shown)
    return found


def try_out(cells: Cells, tree: Path, argv: tuple[str, ...], *, store: Path, hosts: Hosts, timeout_s: float) -> Result:
    """Runs one command on a copy of `tree` as set-up would, and keeps nothing of it; blocked hosts are told."""
    return run_once(cells, tree, Command(argv, timeout_s=timeout_s), store=store, hosts=hosts)


def run_once(cells: Cells, tree: Path, command: Command, *, store: Path, hosts: Hosts) -> Result:
    """Like `try_out`, with all that a command can ask for: what it wants kept, it leaves in /out."""
    store.mkdir(mode=0o755, parents=True, exist_ok=True)
    with _workplace(store) as work:
        result, blocked = _Build(cells, work, tree, hosts, SETUP).once(command)
    told = "".join(f"\n{host} is not allowed." for host in blocked)
    return dataclasses.replace(result, output=result.output + told.encode())


class _Build:
    """One layer in the making, in a folder that nobody uses until it is renamed."""

    def __init__(self, cells: Cells, work: Path, tree: Path, hosts: Hosts, limits: Limits) -> None:
        self.cells, self.work, self.hosts, self.limits = cells, work, hosts, limits
        self.chosen: Interpreters = choose(tree)
        self.checkout, self.env, self.home = work / "checkout", work / "env", work / "home"
        files.copy(tree, self.checkout)
        self.before = {path for path, _ in files.paths(self.checkout, skip=(".git",))}
        for folder in (self.env, self.home):
            folder.mkdir()
        for folder in (self.checkout, self.env, self.home):
            cells.own(folder)

    def make(self, commands: tuple[str, ...], key: LayerKey, deadline: float) -> Layer:
        with self._way_out() as proxy:
            cell = self._cell(proxy)
            for line in commands:
                proxy.command = line
                result = cell.run(self._command(line, max(1.0, deadline - time.monotonic())))
                if not result.ok:
                    raise SetupFailed(line, _why(result), _last(result.text), proxy.log.blocked)
        return self._keep(key, proxy.log)

    def once(self, command: Command) -> tuple[Result, tuple[str, ...]]:
        """One command, and the hosts that it asked for in vain."""
        with self._way_out() as proxy:
            proxy.command = " ".join(command.argv)
            command = dataclasses.replace(command, argv=(*_FORWARDER, *command.argv))
            return self._cell(proxy).run(command), tuple(proxy.log.blocked)

    def _way_out(self) -> Proxy:
        added = Credentials(self.hosts.credentials, host.ca_bundle()) if self.hosts.credentials else None
        return Proxy(self.work / "egress.sock", self.hosts.allowed, credentials=added)

    def _cell(self, way_out: Proxy) -> BubblewrapCell:
        view = self.cells.view(self.checkout, self.chosen, writable=True, git=None)
        mounts = [*view.mounts, Mount(self.env, "/env", writable=True), Mount(way_out.path, EGRESS)]
        if way_out.authority is not None:
            mounts.append(Mount(self._believed(way_out.authority), CA_BUNDLE))
        env = {**ONLINE, **self.hosts.env}
        if self.chosen.python:
            env |= PYTHON
        view = dataclasses.replace(
            view, mounts=tuple(mounts), home=self.home, path=(f"{VENV}/bin", *view.path), env=env
        )
        return BubblewrapCell(self.cells, self.checkout, view, self.limits)

    def _believed(self, authority: Authority) -> Path:
        """This machine's certificates, and the authority that speaks for hosts with credentials."""
        bundle = host.ca_bundle()
        path = self.work / "believed.pem"
        path.write_bytes((bundle.read_bytes() if bundle else b"") + b"\n" + authority.certificate)
        path.chmod(0o644)
        return path

    def _command(self, line: str, timeout_s: float) -> Command:
        inner = Command.shell(line, timeout_s=timeout_s)
        return dataclasses.replace(inner, argv=(*_FORWARDER, *inner.argv))

    def _keep(self, key: LayerKey, log: Log) -> Layer:
        """Takes the result from the slot's user, for everybody to read, and puts it in its place in one step."""
        src, place = self.work / "src", self.work.parent / key.digest
        src.mkdir()
        for folder in (self.checkout, self.env):
            files.take_back(folder, os.geteuid(), os.getegid())
        _move_new(self.checkout, src, Path(), self.before)
        for scratch in (self.checkout, self.home):
            files.clear(scratch)
        src.chmod(0o755)
        self.work.chmod(0o755)
        Layer(self.work, key.digest, key.tools, self.chosen, tuple(log.blocked)).record()
        files.clear(place)  # a layer whose interpreter has left this machine
        self.work.rename(place)
        made = load(place)
        assert made is not None, "what was just written can be read"
        return made


def _move_new(checkout: Path, src: Path, where: Path, before: set[str]) -> None:
    """Moves what was not in the checkout before to `src`, at the same place; whole folders where they are new."""
    for entry in sorted((checkout / where).iterdir()):
        path = where / entry.name
        if str(path) == ".git":
            continue
        if str(path) not in before:
            (src / where).mkdir(parents=True, exist_ok=True)
            entry.rename(src / path)
        elif entry.is_dir() and not entry.is_symlink():
            _move_new(checkout, src, path, before)


@contextlib.contextmanager
def _alone(store: Path, digest: str) -> Iterator[None]:
    with (store / f"{digest}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _workplace(store: Path) -> Iterator[Path]:
    """A folder for one build, gone at the end; so are those of builds that were killed."""
    for left in store.glob(f"{_BUILDING}*"):
        if not Path("/proc", left.name.removeprefix(_BUILDING).split("-")[0]).exists():
            files.clear(left)
    work = Path(tempfile.mkdtemp(prefix=f"{_BUILDING}{os.getpid()}-", dir=store))
    try:
        yield work
    finally:
        files.clear(work)


def _why(result: Result) -> str:
    return result.reason or f"exited with {result.exit_code}."


def _last(text: str) -> str:
    return "\n".join(text.rstrip().splitlines()[-_SHOWN_LINES:])[-_SHOWN_CHARS:]
