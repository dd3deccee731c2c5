"""Where cells can't be had, one sentence says why and what to do, before anything else is done."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from sandbox_parts import STRANGER, readable_copy, system_python

from jobs.sandbox.mends import mend

# Makes a name space of users in which no further one may be made, becomes an ordinary user there, and tries a cell.
_WITHOUT = f"""
import ctypes, os, sys
from pathlib import Path
ready, told = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    ctypes.CDLL(None).unshare(0x10000000)
    os.write(ready[1], b"1")
    os.read(told[0], 1)
    Path("/proc/sys/user/max_user_namespaces").write_text("0")
    os.setgroups([])
    os.setgid({STRANGER})
    os.setuid({STRANGER})
    os.execv(sys.executable, [sys.executable, "-c", sys.argv[1], sys.argv[2]])
os.read(ready[0], 1)
for name in ("uid_map", "gid_map"):
    Path(f"/proc/{{child}}/{{name}}").write_text("0 0 65536")
os.write(told[1], b"1")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
_TRIES = """
import sys
from pathlib import Path
from jobs.errors import EnvironmentFault
from jobs.sandbox.cell import Cells
try:
    Cells.open(Path(sys.argv[1], "data"))
except EnvironmentFault as fault:
    print(fault)
    sys.exit(3)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="makes a name space of all users")
def test_an_ordinary_user_without_user_name_spaces_is_told_so() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        env = readable_copy(folder / "code")
        place = folder / "place"
        place.mkdir()
        os.chown(place, STRANGER, STRANGER)
        argv = [system_python(), "-c", _WITHOUT, _TRIES, str(place)]
        done = subprocess.run(argv, env=env, cwd="/", capture_output=True, text=True, timeout=60, check=False)
    if done.returncode not in (0, 3):
        pytest.skip(f"no such name space here: {done.stderr.splitlines()[-1:]}")
    assert done.returncode == 3, done.stderr
    assert done.stdout.startswith("The sandbox could not be started: bwrap: ")
    assert "user name spaces" in done.stdout.lower()
    assert done.stdout.count("\n") <= 2


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("bwrap: Unknown option --size", "This bubblewrap is too old"),
        ("bwrap: setting up uid map: Permission denied", "AppArmor"),
        ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "AppArmor"),
        ("bwrap: No permissions to create new namespace", "kernel.unprivileged_userns_clone"),
        ("bwrap: something else", ""),
    ],
)
def test_what_bubblewrap_says_is_answered_with_a_mend(words: str, what: str) -> None:
    assert (what in mend(words)) if what else mend(words) == ""
