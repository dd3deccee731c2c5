"""Control groups: one for each command, of version 2 or 1, where this machine lets us make them."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jobs.sandbox.limits import Limits

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "patchwright-"  # then the process that made it and a number
_GONE_S = 1.0  # how long a group's last processes may take to leave it


@dataclass(frozen=True)
class Groups:
    """Where groups can be made. `version` is 2, 1 or 0 (none: the watchdog alone bounds memory); `parents` holds
    one folder (version 2) or one for each controller (version 1). `spare` holds groups between two commands."""

    version: int
    parents: tuple[Path, ...] = ()
    spare: dict[Limits, Group] = field(default_factory=dict, compare=False)

    @contextlib.contextmanager
    def group(self, name: str, limits: Limits) -> Iterator[Group]:
        """A group called `name` that bounds memory and processes; removed at the end, with all that is in it.
        Without any kind of group this does nothing."""
        made = self._make(name, limits)
        try:
            yield made
        finally:
            made.remove()

    @contextlib.contextmanager
    def reused(self, limits: Limits) -> Iterator[Group]:
        """A group that nothing is in, as `group` gives it; it serves again unless something was killed in it for
        memory, or is left in it. `clear` removes those that are kept."""
        group = self.spare.pop(limits, None) or self._make(new_name(), limits)
        try:
            yield group
        finally:
            if group.out_of_memory or group.busy or self.spare.setdefault(limits, group) is not group:
                group.remove()

    def clear(self) -> None:
        """Removes the groups that are kept."""
        while self.spare:
            self.spare.popitem()[1].remove()

    def _make(self, name: str, limits: Limits) -> Group:
        folders = tuple(parent / name for parent in self.parents)
        for folder in folders:
            folder.mkdir(exist_ok=True)
            _bound(folder, limits)
        counts = (folder / file for folder in folders for file in ("memory.events", "memory.oom_control"))
        return Group(folders, self.version, tuple(file for file in counts if file.exists()))


@dataclass(frozen=True)
class Group:
    """One command's group. `kills` are the files that count what was killed for memory."""

    folders: tuple[Path, ...]
    version: int
    kills: tuple[Path, ...] = ()

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """What this thread starts meanwhile is in the group from its first moment on, where groups of version 1 allow
        it: there a thread may move itself, and the kernel, which stops everything for a moved process, waits for
        nobody. Where they don't, `add` does it."""
        if self.version != 1:
            yield
            return
        try:
            for folder in self.folders:
                (folder / "tasks").write_text("0")
            yield
        finally:
            for folder in self.folders:
                (folder.parent / "tasks").write_text("0")

    def add(self, pid: int) -> None:
        """Moves `pid` in, unless it was started in here; what it starts from then on stays in."""
        if self.version == 1:
            return
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid))

    @property
    def out_of_memory(self) -> bool:
        """True if the kernel killed something here for memory."""
        return any(_killed(file) for file in self.kills)

    @property
    def busy(self) -> bool:
        """True if a process is in it."""
        return any((folder / "cgroup.procs").read_text() for folder in self.folders)

    def remove(self) -> None:
        """Kills what is left (version 2) and removes the folders; a group that stays busy is left behind."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                (folder / "cgroup.kill").write_text("1")
            _remove(folder)


_numbers = itertools.count(1)


def new_name() -> str:
    """A name that no other group of this machine has."""
    return f"{_PREFIX}{os.getpid()}-{next(_numbers)}"


def find() -> Groups:
    """What this machine offers, found by making a group and bounding it."""
    for groups in (_unified(), _legacy()):
        if groups and _works(groups):
            _sweep(groups)
            return groups
    return Groups(0)


def _unified() -> Groups | None:
    own = next((line[3:] for line in _memberships() if line.startswith("0::")), None)
    if own is None or not (_ROOT / "cgroup.controllers").exists():
        return None
    here = _ROOT / own.strip("/")
    # A group with processes of its own can't hand controllers on, but its parent may.
    for parent in (here, here.parent):
        with contextlib.suppress(OSError):
            if {"memory", "pids"} <= set((parent / "cgroup.subtree_control").read_text().split()):
                return Groups(2, (parent,))
    return None


def _legacy() -> Groups | None:
    found: dict[str, Path] = {}
    for line in _memberships():
        _, names, path = line.split(":", 2)
        for name in {"memory", "pids"} & set(names.split(",")):
            found[name] = _ROOT / names / path.strip("/")
    return Groups(1, (found["memory"], found["pids"])) if len(found) == 2 else None


def _memberships() -> list[str]:
    try:
        return Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []


def _works(groups: Groups) -> bool:
    """Makes a group, bounds it and moves a waiting process in, as a command would be."""
    try:
        with (
            groups.group(f"{_PREFIX}{os.getpid()}-probe", Limits()) as group,
            group.entered(),
            subprocess.Popen(["/bin/sh", "-c", "read -r go"], stdin=subprocess.PIPE, env={}) as waiting,
        ):
            group.add(waiting.pid)
            if str(waiting.pid) not in (group.folders[0] / "cgroup.procs").read_text().split():
                return False
    except OSError:
        return False
    return True


def _sweep(groups: Groups) -> None:
    """Removes what processes of ours that were killed have left."""
    for parent in groups.parents:
        for folder in parent.glob(f"{_PREFIX}*"):
            owner = folder.name.removeprefix(_PREFIX).split("-")[0]
            if not Path("/proc", owner).exists():
                _empty(folder)
                _remove(folder)


def _empty(folder: Path) -> None:
    """Kills what a killed owner left in its group. Bubblewrap's process 1 may be there: it arms the signal of its
    parent's death only after it was given leave to go on, and sleeps for ever if the parent dies before."""
    with contextlib.suppress(OSError):
        for pid in (folder / "cgroup.procs").read_text().split():
            os.kill(int(pid), signal.SIGKILL)


def _bound(folder: Path, limits: Limits) -> None:
    """Writes the limits that exist in `folder`; memory and process bounds must be accepted."""
    for name, value, needed in (
        ("memory.max", limits.memory, True),
        ("memory.swap.max", 0, False),
        ("memory.oom.group", 1, False),
        ("memory.limit_in_bytes", limits.memory, True),
        ("memory.memsw.limit_in_bytes", limits.memory, False),
        ("pids.max", limits.processes, True),
    ):
        file = folder / name
        if not file.exists():
            continue
        try:
            file.write_text(str(value))
        except OSError:
            if needed:
                raise


def _killed(file: Path) -> bool:
    with contextlib.suppress(OSError):
        words = file.read_text().split()
        return "oom_kill" in words and words[words.index("oom_kill") + 1] != "0"
    return False


def _remove(folder: Path) -> None:
    until = time.monotonic() + _GONE_S
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > until:
                return
            time.sleep(0.005)
        else:
            return
