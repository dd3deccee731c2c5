"""The self-test: every wall of a cell tried for real, from inside and from outside."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import secrets
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from jobs.errors import EnvironmentFault
from jobs.sandbox.base import Cell, Command, Result
from jobs.sandbox.interpreters import choose
from jobs.sandbox.limits import MIB, Limits
from jobs.sandbox.slots import Slot
from jobs.sandbox.view import CA_BUNDLE, OFFLINE, TOOLS, View

_BY_PROGRAMS = ("PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE")  # variables that shells and Python set themselves
_LATE_S = 2.0  # after its deadline a cell is dead within this
_TINY = 16 * MIB
_SMALL = Limits(memory=256 * MIB, processes=48, file=64 * MIB, disk=64 * MIB, tmp=_TINY, home=_TINY, shared=_TINY)
_PYTHON = (f"{TOOLS}/bin/python3", "-I", "-S")
_HOG = "b=[]\nfor _ in range(64): b.append(bytearray(b'x') * (16 << 20))"
_FORKS = """
import os, time
made = 0
try:
    while made < 500:
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
        made += 1
except OSError:
    pass
print(made, flush=True)
"""
_DEFAULT_MEND = "Do not run jobs here. Update bubblewrap (0.8 or newer) and the kernel (5.11 or newer), or use a VM."
_MENDS = {
    "tools": "Make the interpreter that runs Patchwright readable to all users, or install one below /usr.",
    "certificates": "Name this machine's CA bundle in SSL_CERT_FILE, readable to Patchwright.",
    "memory": "Give Patchwright a control group it can write to (a container with cgroup delegation, or root).",
    "processes": "Run each Patchwright under a user of its own, or as root.",
}


@dataclass(frozen=True)
class Wall:
    """One wall: does it hold, what was seen, and what to do if it does not (empty if it holds)."""

    name: str
    ok: bool
    detail: str
    mend: str = ""


class Source(Protocol):
    """Where cells come from: `jobs.sandbox.cell.Cells`."""

    slot: Slot

    def own(self, tree: Path) -> None: ...

    def on(self, tree: Path) -> Cell: ...

    def bounded(self, limits: Limits) -> Source: ...


def self_test(cells: Source) -> tuple[Wall, ...]:
    """Tries every wall of a cell of `cells`; takes some seconds. What can't be tried does not hold."""
    with tempfile.TemporaryDirectory(prefix="walls-", dir=cells.slot.folder) as folder:
        tree = Path(folder, "tree")
        tree.mkdir(mode=0o755)
        cells.own(tree)
        tight = cells.bounded(_SMALL).on(tree)
        found = _from_inside(cells.on(tree), Path(folder), cells.slot.folder)
        found["ordinary user outside"] = _owner(tree / "made-by-probe", cells.slot.identity.uid)
        found |= {name: _tried(bound, tight) for name, bound in _BOUNDS.items()}
    return tuple(Wall(name, ok, said, "" if ok else mend(name)) for name, (ok, said) in found.items())


def mend(name: str) -> str:
    """What to do where the wall `name` does not hold."""
    return _MENDS.get(name, _DEFAULT_MEND)


Finding = tuple[bool, str]


def _from_inside(cell: Cell, folder: Path, slot: Path) -> dict[str, Finding]:
    """What the probe says of the walls that can be tried from inside."""
    secret = folder / "canary"
    secret.write_text("canary")
    with _listening(folder) as targets:
        targets |= {"files": [str(secret), str(slot), "/etc/shadow", "/run/patchwright"], "ca": CA_BUNDLE}
        targets |= {"tools": _versions(), "names": [*View().environment, *OFFLINE, *_BY_PROGRAMS]}
        result = cell.run(Command((*_PYTHON, "-B", f"{TOOLS}/probe.py", json.dumps(targets)), timeout_s=60))
    try:
        answer = json.loads(result.text)
    except ValueError:
        return {"probe": (False, result.reason or result.text.strip()[-400:] or f"exit {result.exit_code}")}
    return {name: (bool(held), str(said)) for name, (held, said) in answer.items()}


def _owner(made: Path, expected: int) -> Finding:
    """Whose a file is that the probe made: the kernel's own view of who it was."""
    try:
        uid = made.lstat().st_uid
    except OSError as error:
        return False, str(error)
    return uid == expected != 0, f"uid {uid}"


@contextlib.contextmanager
def _listening(folder: Path) -> Iterator[dict[str, object]]:
    """Sockets of the three kinds on this machine, which no cell must reach."""
    name = f"patchwright-{secrets.token_hex(8)}"
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0{name}")
        abstract.listen()
        file = stack.enter_context(socket.socket(socket.AF_UNIX))
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pw-", dir="/tmp")), "s")
        file.bind(str(place))
        file.listen()
        yield {"port": port.getsockname()[1], "abstract": name, "socket": str(place)}


def _versions() -> list[list[str]]:
    commands = [[*_PYTHON[:1], "-V"]]
    chosen = choose()
    commands += [[str(one.executable), "--version"] for one in chosen.all]
    return commands


def _tried(bound: Callable[[Cell], Finding], cell: Cell) -> Finding:
    try:
        return bound(cell)
    except EnvironmentFault as fault:
        return False, str(fault)


def _dies(cell: Cell) -> Finding:
    """A command that ignores the polite signals and hides a grandchild in a session of its own."""
    line = "trap '' TERM HUP INT; (setsid sleep 984 &) ; while :; do sleep 1; done"
    started = time.monotonic()
    result = cell.run(Command.shell(line, timeout_s=1.0))
    late = time.monotonic() - started - 1.0
    return result.ended == "timeout" and late <= _LATE_S, f"{late:.2f} s after the deadline"


def _memory(cell: Cell) -> Finding:
    result = cell.run(Command((*_PYTHON, "-c", _HOG), timeout_s=20))
    return result.ended == "killed", result.reason or _said(result)


def _processes(cell: Cell) -> Finding:
    result = cell.run(Command((*_PYTHON, "-c", _FORKS), timeout_s=20))
    words = result.text.split()
    made = int(words[0]) if words and words[0].isdigit() else 500
    return made <= _SMALL.processes, f"{made} processes of {_SMALL.processes}"


def _output(cell: Cell) -> Finding:
    result = cell.run(dataclasses.replace(Command.shell("yes", timeout_s=20), max_output=1 * MIB))
    return result.ended == "output" and len(result.output) == 1 * MIB, result.reason or _said(result)


def _scratch(cell: Cell) -> Finding:
    """Each folder in memory takes what it may, not more."""
    fill = "dd if=/dev/zero of=$f/x bs=1M count=20 2>/dev/null; stat -c %s $f/x; rm $f/x"
    line = f"for f in /tmp $HOME /dev/shm; do {fill}; done"
    sizes = cell.run(Command.shell(line, timeout_s=20)).text.split()
    held = len(sizes) == 3 and all(0 < int(size) <= _TINY for size in sizes)
    return held, f"{' '.join(sizes)} bytes of {_TINY} written to each"


def _disk(cell: Cell) -> Finding:
    line = "for i in $(seq 8); do dd if=/dev/zero of=/src/x$i bs=1M count=40 2>/dev/null; sleep 0.3; done; sleep 20"
    result = cell.run(Command.shell(line, timeout_s=15))
    return result.ended == "killed", result.reason or _said(result)


def _said(result: Result) -> str:
    return f"{result.ended} {result.exit_code}: {result.text.strip()[-200:]}"


_BOUNDS: dict[str, Callable[[Cell], Finding]] = {
    "deadline": _dies,
    "memory": _memory,
    "processes": _processes,
    "output": _output,
    "scratch": _scratch,
    "disk": _disk,
}
