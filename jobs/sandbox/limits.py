"""How much a cell may use, and the kernel's per-process share of it."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Bounds of one command. Sizes in bytes, `cpu_s` in seconds of processor time for each process.

    `memory` bounds all processes together: by a control group where there is one, else by the watchdog, which
    sees resident pages only. `disk` bounds what one command may add to the tree, /out and a home on disk.
    """

    memory: int = 4096 * MIB
    processes: int = 256
    file: int = 512 * MIB
    open_files: int = 4096
    cpu_s: int = 900
    disk: int = 4096 * MIB
    entries: int = 400_000
    tmp: int = 512 * MIB
    home: int = 256 * MIB
    shared: int = 64 * MIB
    out_file: int = 64 * MIB
    out_total: int = 128 * MIB


SETUP = Limits(cpu_s=1800, disk=8192 * MIB, file=2048 * MIB, tmp=2048 * MIB)


def restrain(pid: int, limits: Limits, *, processes: int) -> None:
    """Puts the per-process limits on `pid`, which has not run anything of the command yet; its children inherit
    them. `processes` counts everything of its uid. There is no bound on address space: Node reserves far more
    than it uses and does not start under any sane one."""
    for kind, value in (
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_FSIZE, limits.file),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_CPU, limits.cpu_s),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_NICE, 0),
        (resource.RLIMIT_RTPRIO, 0),
    ):
        _lower(pid, kind, value)


def _lower(pid: int, kind: int, value: int) -> None:
    """An ordinary user can't go above the hard limit that is there already."""
    _, hard = resource.prlimit(pid, kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.prlimit(pid, kind, (value, value))


def tasks_of(uid: int) -> int:
    """Threads that `uid` runs now, as the kernel counts them for RLIMIT_NPROC."""
    return sum(_threads(entry, uid) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def _threads(entry: Path, uid: int) -> int:
    try:
        if entry.stat().st_uid != uid:
            return 0
        return len(list((entry / "task").iterdir()))
    except OSError:  # gone meanwhile
        return 0
