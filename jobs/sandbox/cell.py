"""Cells: commands in bubblewrap, each in a fresh sandbox, over one tree."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import platform
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path

from jobs.errors import EnvironmentFault
from jobs.sandbox import argv, files, groups, host, limits, process, programs, slots, walls
from jobs.sandbox.base import Command, Result
from jobs.sandbox.groups import Group, Groups
from jobs.sandbox.interpreters import Interpreters, choose
from jobs.sandbox.layer import Layer
from jobs.sandbox.limits import Limits
from jobs.sandbox.mends import mend
from jobs.sandbox.plan import Ending, Plan, Watch, joined
from jobs.sandbox.programs import Programs
from jobs.sandbox.scratch import collect, cover, sweep
from jobs.sandbox.seccomp import MACHINES, program
from jobs.sandbox.slots import Slot
from jobs.sandbox.view import OFFLINE, PYTHON, VENV, Mount, Skeleton, View
from jobs.sandbox.walls import Wall
from jobs.sandbox.watch import disk_watch, free, memory_watch

_DEFAULT = Limits()
_READ = 10 << 20  # bytes of a file that is read whole
_NAMES = 1 << 16  # a file may have many names here: no command can give one of the tree to a file outside


class Cells:
    """One slot of this machine, from which cells are made. Keep the thread that opened it: cells end with it."""

    def __init__(self, slot: Slot, bounds: Limits, tools: Programs, grouping: Groups, system: View) -> None:
        """`system` is what every cell sees, whatever its tree."""
        self.slot, self.limits, self.programs, self.groups, self.system = slot, bounds, tools, grouping, system
        self.filter = program(platform.machine())
        self.empty = slot.folder / "empty"
        self.empty.mkdir(mode=0o755, exist_ok=True)

    @classmethod
    def open(cls, data: Path, *, slot: int | None = None, limits: Limits = _DEFAULT, wait_s: float = 0.0) -> Cells:
        """Takes a free slot below `data` (or the given one, waiting up to `wait_s`) and proves that a cell starts.

        Raises EnvironmentFault, with one sentence, if there is no bubblewrap, no free slot, or no cell starts.
        """
        kind = slots.mode()
        tools = programs.find()
        if platform.machine() not in MACHINES:
            raise EnvironmentFault(f"The sandbox has no system call filter for {platform.machine()} machines.")
        taken = slots.take(data.absolute(), slot, kind, wait_s=wait_s)
        try:
            system = host.system_view(host.furnish(taken.folder, taken.identity, tools))
            cells = cls(taken, limits, tools, groups.find(), system)
            for folder in (taken.folder, *slots.idle(taken)):  # what killed owners left
                sweep(folder)
            cells._prove()
        except BaseException:
            taken.free()
            raise
        return cells

    def __enter__(self) -> Cells:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees the slot and removes what its cells left."""
        sweep(self.slot.folder)
        self.groups.clear()
        self.slot.free()

    @property
    def mode(self) -> str:
        """`rootful` or `userns`."""
        return self.slot.identity.mode

    @property
    def uid(self) -> int:
        """Whose a tree must be that cells may write to."""
        return self.slot.identity.uid

    @property
    def owner(self) -> tuple[int, int] | None:
        """(uid, gid) of whom checkouts are to belong to; None where that is us."""
        return (self.uid, self.slot.identity.gid) if self.mode == "rootful" else None

    def own(self, tree: Path) -> None:
        """Gives `tree` to the slot's user; links are given, never followed. Does nothing where that is us."""
        if self.mode == "rootful":
            files.give(tree, self.uid, self.slot.identity.gid)

    def bounded(self, limits: Limits) -> Cells:
        """The same slot under other limits; closing either closes both."""
        return Cells(self.slot, limits, self.programs, self.groups, self.system)

    def self_test(self) -> tuple[Wall, ...]:
        """Tries every wall of a cell from inside and outside; some seconds. All must be ok before any work."""
        return walls.self_test(self)

    def on(
        self, tree: Path, layer: Layer | None = None, *, writable: bool = True, git: Skeleton | None = None
    ) -> BubblewrapCell:
        """A cell over `tree` (at /src), with `layer` (at /env, read-only) and `git` (at /src/.git, read-only).

        `tree` must be ours or the slot's, in a folder that no cell can write to.
        """
        chosen = layer.interpreters if layer else choose(tree)
        view = self.view(tree, chosen, writable=writable, git=git)
        environment: dict[str, str] = dict(OFFLINE)
        if layer:
            view = dataclasses.replace(view, mounts=(*view.mounts, Mount(layer.env, "/env")))
            if (layer.env / "venv").is_dir():
                view = dataclasses.replace(view, path=(f"{VENV}/bin", *view.path))
                environment |= PYTHON
        return BubblewrapCell(self, tree, dataclasses.replace(view, env=environment), self.limits)

    def view(self, tree: Path, chosen: Interpreters, *, writable: bool, git: Skeleton | None) -> View:
        """The world of a cell over `tree`, but for its layer and environment."""
        view = host.with_interpreters(self.system, chosen)
        mounts = [Mount(tree.absolute(), "/src", writable)]
        mounts.append(Mount(git.path if git else self.empty, "/src/.git"))
        if git:
            mounts += [Mount(source, inside) for source, inside in git.objects]
            mounts += [Mount(git.nothing, inside) for inside in git.masked]
        return dataclasses.replace(view, mounts=(*view.mounts, *mounts))

    def _prove(self) -> None:
        with tempfile.TemporaryDirectory(prefix="proof-", dir=self.slot.folder) as folder:
            os.chmod(folder, 0o755)  # noqa: PTH101 (a string here)
            view = self.view(Path(folder), Interpreters(None, None), writable=False, git=None)
            try:
                proof = BubblewrapCell(self, Path(folder), view, self.limits).run(Command(("/bin/true",), timeout_s=20))
            except EnvironmentFault as fault:
                raise EnvironmentFault(f"{fault} {mend(str(fault))}".strip()) from None
        if not proof.ok:
            raise EnvironmentFault(f"The sandbox cannot start: {proof.text.strip() or proof.reason or proof.exit_code}")


class BubblewrapCell:
    """A Cell over one tree. `extra` limits and views come from `Cells.on` or from set-up."""

    def __init__(self, cells: Cells, tree: Path, view: View, bounds: Limits) -> None:
        self._cells, self._tree, self._view, self._limits = cells, tree, view, bounds

    def run(self, command: Command) -> Result:
        """Runs `command` in a fresh sandbox; never raises for what it does.

        Raises EnvironmentFault if the sandbox itself can't start.
        """
        with self.grouped() as group, self._out(command) as out:
            ending = process.run(self.plan(command, out, group))
            collected = collect(out, command.collect, self._limits) if out else {}
            return self.result(ending, collected, group)

    @property
    def mode(self) -> str:
        """`rootful` or `userns`."""
        return self._cells.mode

    def grouped(self) -> AbstractContextManager[Group]:
        """A control group under this cell's limits that nothing is in."""
        return self._cells.groups.reused(self._limits)

    @contextlib.contextmanager
    def _out(self, command: Command) -> Iterator[Path | None]:
        """A fresh folder for /out, None where nothing is collected from it."""
        if not command.collect:
            yield None
            return
        out = Path(tempfile.mkdtemp(prefix="out-", dir=self._cells.slot.folder))
        try:
            os.chown(out, self._cells.slot.identity.uid, self._cells.slot.identity.gid)
            yield out
        finally:
            files.clear(out)

    def fingerprints(self) -> Mapping[str, str]:
        """Size, times and mode of every file of the tree by path; see `files.fingerprints`."""
        return files.fingerprints(self._tree)

    def read(self, path: str) -> bytes | None:
        """The bytes of one regular file of the tree, None if there is none, if a link leads there, or above 10 MB."""
        try:
            return files.read_inside(self._tree, path, _READ, names=_NAMES)
        except OSError:
            return None

    def plan(self, command: Command, out: Path | None, group: Group, *, waits: bool = False) -> Plan:
        """How to start `command` with `out` at /out; one that `waits` gets its input when it stands."""
        cover(self._tree)
        cells, identity = self._cells, self._cells.slot.identity
        drop = cells.programs.drop
        watched = [self._tree, *(folder for folder in (out, self._view.home) if folder)]
        started = _Started()
        by_hand = memory_watch(started.pid, self._limits.memory)
        memory = (lambda: self._too_much(group)) if group.folders else by_hand

        def watches() -> tuple[Watch, ...]:
            return disk_watch(tuple(watched), self._limits.disk, self._limits.entries, self._room), memory

        alone = identity.mode == "rootful"  # no one else's processes count

        def limit(pid: int) -> None:
            started.note(pid)
            if alone:
                limits.restrain(pid, self._limits, processes=self._limits.processes)
                group.add(pid)

        def before(pid: int) -> None:
            limits.restrain(pid, self._limits, processes=limits.tasks_of(identity.uid) + self._limits.processes)
            group.add(pid)

        sealed = argv.sealed(str(out) if out else None, self._limits)
        own = [*sealed, *argv.environment(command.env), "--chdir", command.cwd]
        return Plan(
            bubblewrap=str(cells.programs.bubblewrap),
            argv=self._world + joined(own),
            command=[*argv.dropping(identity, str(drop) if drop else None), *command.argv],
            filter=cells.filter,
            limit=limit,
            before=None if alone else before,
            watches=watches,
            timeout_s=command.timeout_s,
            max_output=command.max_output,
            stdin=command.stdin,
            within=group.entered,
            waits=waits,
        )

    @cached_property
    def _room(self) -> tuple[int, int]:
        """What was free when the first command began: all commands on a tree share one bound."""
        return free(self._tree)

    @cached_property
    def _world(self) -> bytes:
        """What is the same for every command on this tree."""
        root = argv.filesystem(self._view, self._limits)
        variables = argv.environment(self._view.environment)
        return joined([*argv.isolation(self._cells.slot.identity), *root, *variables])

    def _too_much(self, group: Group) -> str | None:
        """The kernel ends one process for memory, and with version 1 the others go on without it."""
        return f"It used more memory than {self._limits.memory // limits.MIB} MiB." if group.out_of_memory else None

    def result(self, ending: Ending, collected: Mapping[str, bytes], group: Group) -> Result:
        """What is told of a command that ran in `group`, with the files that it left."""
        too_much = self._too_much(group)
        ended, reason = ending.ended, ending.reason
        # The kernel may have ended bubblewrap itself, which is in the group too.
        if too_much and (ended == "killed" or (ended == "exit" and ending.status != 0)):
            ended, reason = "killed", too_much
        status = ending.status if ended == "exit" else None
        return Result(status, bytes(ending.output), ending.seconds, ended, collected, reason)


class _Started:
    """The process that the memory watch begins at."""

    def __init__(self) -> None:
        self._pid: int | None = None

    def note(self, pid: int) -> None:
        self._pid = pid

    def pid(self) -> int | None:
        return self._pid
