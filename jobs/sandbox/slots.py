"""Slots: who a job's cells run as, and the folder their scratch lies in; one job a slot at a time."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jobs.errors import EnvironmentFault
from jobs.sandbox.view import Identity, Mode

FIRST_UID = 20001  # of slot 0; slots' users need no entry in any list of this machine
SLOTS = 64
_AGAIN_S = 0.2
_SHOWN = 1000  # ids that a command sees in user-namespace mode
_MACHINE = Path("/run/patchwright")  # users are the machine's, so their locks are too, whatever the data folder


@dataclass(frozen=True)
class Slot:
    """A taken slot. `locks` are held open; closing them frees it, and so does the death of this process."""

    number: int
    identity: Identity
    folder: Path
    locks: tuple[int, ...]

    def free(self) -> None:
        """Lets others take it."""
        for lock in self.locks:
            os.close(lock)


def mode() -> Mode:
    """Rootful for root that may mount, else user name spaces.

    Raises EnvironmentFault for root without CAP_SYS_ADMIN: no cell is ever started as the kernel's user 0.
    """
    if os.geteuid() != 0:
        return "userns"
    if _capabilities() & 1 << 21:
        return "rootful"
    raise EnvironmentFault(
        "The sandbox cannot start: root without CAP_SYS_ADMIN. Run Patchwright as an ordinary user, or give its "
        "container that capability."
    )


def take(data: Path, number: int | None, kind: Mode, *, wait_s: float = 0.0) -> Slot:
    """Slot `number` of `data`, or the first free one. Raises EnvironmentFault if none is free within `wait_s`."""
    folder = data / "slots"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as failed:
        raise EnvironmentFault(f"The data folder cannot be used: {failed}.") from failed
    deadline = time.monotonic() + wait_s
    while (slot := _free(folder, number, kind)) is None:
        if time.monotonic() >= deadline:
            which = "Every slot" if number is None else f"Slot {number}"
            raise EnvironmentFault(f"{which} for cells below {folder} is in use by another running Patchwright.")
        time.sleep(_AGAIN_S)
    return slot


def idle(slot: Slot) -> Iterator[Path]:
    """The folders of the other slots beside `slot` that nobody works in; each stays taken while it is looked at."""
    for entry in slot.folder.parent.iterdir():
        if not entry.name.isdigit() or entry == slot.folder:
            continue
        locks = _lock([entry.with_name(f"{entry.name}.lock")])
        if locks is not None:
            try:
                yield entry
            finally:
                os.close(locks[0])


def _free(folder: Path, number: int | None, kind: Mode) -> Slot | None:
    # With one user for all, a second job could reach the first through the kernel's accounting: one slot.
    count = SLOTS if kind == "rootful" else 1
    for candidate in range(count) if number is None else (number,):
        locks = _lock([*_machine_lock(kind, candidate), folder / f"{candidate}.lock"])
        if locks is not None:
            own = folder / str(candidate)
            own.mkdir(mode=0o700, exist_ok=True)
            return Slot(candidate, _identity(kind, candidate), own, locks)
    return None


def _identity(kind: Mode, number: int) -> Identity:
    if kind == "rootful":
        return Identity(kind, FIRST_UID + number, FIRST_UID + number, FIRST_UID + number)
    return Identity(kind, os.getuid(), os.getgid(), _SHOWN)


def _machine_lock(kind: Mode, number: int) -> Iterator[Path]:
    if kind != "rootful":
        return
    try:
        _MACHINE.mkdir(mode=0o700, exist_ok=True)
    except OSError:  # no writable /run: then nobody else here has it either
        return
    yield _MACHINE / f"{FIRST_UID + number}.lock"


def _lock(files: list[Path]) -> tuple[int, ...] | None:
    """All of `files` or none."""
    held: list[int] = []
    for file in files:
        held.append(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
        try:
            fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            for lock in held:
                os.close(lock)
            return None
    return tuple(held)


def _capabilities() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next((int(line.split()[1], 16) for line in lines if line.startswith("CapEff:")), 0)
