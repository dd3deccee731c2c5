"""What the kernel shares between a cell and its machine: system calls, socket families, keys, terminals, identities."""

from __future__ import annotations

import json
import os
import platform
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.errors import EnvironmentFault
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells

ROOT = Path(__file__).parents[2]
PYTHON = "/opt/patchwright/bin/python3"
# name: number on x86_64, on aarch64, arguments. Each does nothing where it succeeds, or undoes it by ending.
CALLS = {
    "ptrace": (101, 117, [0, 0, 0, 0]),
    "process_vm_readv": (310, 270, ["pid", 0, 0, 0, 0, 0]),
    "process_vm_writev": (311, 271, ["pid", 0, 0, 0, 0, 0]),
    "kcmp": (312, 272, ["pid", "pid", 0, 0, 0]),
    "keyctl": (250, 219, [0, -3, 1]),
    "io_uring_setup": (425, 425, [1, "buffer"]),
    "unshare": (272, 97, [0x10000000]),
    "bpf": (321, 280, [5, "buffer", 64]),
    "userfaultfd": (323, 282, [1]),
    "perf_event_open": (298, 241, ["buffer", 0, -1, -1, 0]),
    "setns": (308, 268, [0, 0]),
    "mount": (165, 40, [0, 0, 0, 0, 0]),
    "open_by_handle_at": (304, 265, [-100, "buffer", 0]),
    "personality": (135, 92, [0xFFFFFFFF]),
    "clone3": (435, 435, ["buffer", 0]),
}
TRY = """
import ctypes, errno, json, os, sys
column, calls = json.loads(sys.argv[1])
libc, answers = ctypes.CDLL(None, use_errno=True), {}
for name, row in calls.items():
    if os.fork() == 0:
        words = {"pid": os.getppid(), "buffer": ctypes.create_string_buffer(256)}
        arguments = [words.get(a, a) if isinstance(a, str) else ctypes.c_long(a) for a in row[2]]
        ctypes.set_errno(0)
        result = libc.syscall(row[column], *arguments)
        os._exit(ctypes.get_errno() if result == -1 else 0)
    answers[name] = os.waitstatus_to_exitcode(os.wait()[1])
print(json.dumps({name: errno.errorcode.get(code, code) for name, code in answers.items()}))
"""
FAMILIES = """
import errno, json, socket
answers = {}
for name, family, kind in (("unix", 1, 1), ("inet", 2, 1), ("inet6", 10, 1), ("netlink", 16, 3), ("packet", 17, 3),
                           ("bluetooth", 31, 1), ("can", 29, 3), ("alg", 38, 5), ("vsock", 40, 1), ("xdp", 44, 3)):
    for how in (socket.socket, socket.socketpair):
        try:
            made = how(family, kind)
            answers[name] = "made"
        except OSError as error:
            answers.setdefault(name, errno.errorcode[error.errno])
print(json.dumps(answers))
"""
# A harness that has a terminal, and a command that wants to type into it.
TERMINAL = """
import os, sys
from pathlib import Path
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells
slave = os.open(sys.argv[1], os.O_RDWR)  # the first terminal of a new session is its own
tree = Path(sys.argv[2], "tree")
tree.mkdir()
with Cells.open(Path(sys.argv[2], "data")) as cells:
    cells.own(tree)
    code = (
        "import fcntl, os, errno\\n"
        "for path in ('/dev/tty', '/proc/1/fd/0', '/dev/stdin', '/dev/console', '/dev/pts/0'):\\n"
        "  for number in (0x5412, 0x541C, 0x5412 | 1 << 32):\\n"
        "    try:\\n"
        "      fcntl.ioctl(os.open(path, os.O_RDWR), number, b'#'); print('typed into', path)\\n"
        "    except (OSError, OverflowError) as e: print(path, e)\\n"
    )
    print(cells.on(tree).run(Command(("/opt/patchwright/bin/python3", "-c", code))).text)
os.write(slave, b"over")
"""


def tried(cells: Cells, tree: Path) -> tuple[dict[str, str], dict[str, str]]:
    """What every call says here, and in a cell."""
    told = json.dumps([{"x86_64": 0, "aarch64": 1}[platform.machine()], CALLS])
    here = subprocess.run([sys.executable, "-c", TRY, told], capture_output=True, text=True, check=True).stdout
    there = cells.on(tree).run(Command((PYTHON, "-c", TRY, told))).text
    return json.loads(here), json.loads(there)


@pytest.mark.threat(34, 35, 38, 41)
def test_calls_that_reach_past_a_cell_are_refused(cells: Cells, tree: Path) -> None:
    here, there = tried(cells, tree)
    assert 0 in here.values(), "none works here either: it shows nothing"
    assert {name: answer for name, answer in there.items() if answer not in ("EPERM", "ENOSYS")} == {}
    assert there["clone3"] == "ENOSYS"  # and not EPERM: C libraries then use clone


@pytest.mark.threat(38)
def test_only_plain_families_of_sockets_are_made(cells: Cells, tree: Path) -> None:
    """Memory, machine and hypervisor have families of their own, which no network name space holds back."""
    there = json.loads(cells.on(tree).run(Command((PYTHON, "-c", FAMILIES))).text)
    made = {name for name, answer in there.items() if answer == "made"}
    assert made == {"unix", "inet", "inet6", "netlink"}
    assert {answer for name, answer in there.items() if name not in made} == {"EAFNOSUPPORT"}


@pytest.mark.threat(37)
@pytest.mark.timeout(30)
def test_neither_metadata_nor_names_nor_the_world_are_reached(cells: Cells, tree: Path) -> None:
    code = (
        "import socket as s\n"
        "for host in ('169.254.169.254', '192.0.2.1', 'fd00:ec2::254', '100.100.100.200', '10.0.0.1'):\n"
        "  for kind in (1, 2):\n"
        "    try: s.socket(10 if ':' in host else 2, kind).connect((host, 80)); print('reached', host)\n"
        "    except OSError as e: print('refused', host)\n"
        "for name in ('metadata.google.internal', 'example.com', 'redis', 'host.docker.internal'):\n"
        "  try: s.getaddrinfo(name, 80); print('reached', name)\n"
        "  except OSError: print('refused', name)\n"
    )
    result = cells.on(tree).run(Command((PYTHON, "-c", code), timeout_s=20))
    assert result.text.count("refused") == 14, result.text
    assert "reached" not in result.text
    variables = cells.on(tree).run(Command.shell("env")).text.lower().splitlines()
    assert [line for line in variables if "proxy" in line] == ["goproxy=off"]


@pytest.mark.threat(33)
def test_a_command_is_nobody_special_outside(cells: Cells, tree: Path) -> None:
    line = "touch mine; cat /proc/self/uid_map; grep -E 'Cap(Eff|Bnd|Prm|Amb)|NoNewPrivs|Seccomp:' /proc/self/status"
    told = cells.on(tree).run(Command.shell(line)).text
    assert (tree / "mine").stat().st_uid == cells.uid != 0
    rows = dict(row.split(":\t") for row in told.splitlines() if ":\t" in row)
    assert {rows[name] for name in rows if name.startswith("Cap")} == {"0" * 16}
    assert (rows["NoNewPrivs"], rows["Seccomp"]) == ("1", "2")
    host = Path("/proc/sys/kernel/core_pattern").read_text()
    tried = "for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/self/oom_score_adj; do echo -1 > $f; done"
    cells.on(tree).run(Command.shell(tried))
    assert Path("/proc/sys/kernel/core_pattern").read_text() == host


@pytest.mark.threat(39)
@pytest.mark.timeout(30)
def test_nothing_is_typed_into_the_harness_s_terminal(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", TERMINAL, os.ttyname(slave), str(tmp_path)],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            start_new_session=True,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert os.read(master, 100) == b"over"
    finally:
        os.close(master)
        os.close(slave)
    assert "typed into" not in done.stdout
    assert done.stdout.count("No such device or address: '/dev/tty'") == 3


@pytest.mark.threat(50)
@pytest.mark.parametrize("program", ["true", "env", "echo"])
def test_a_machine_without_walls_is_not_worked_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """A bubblewrap that says yes to everything, and holds nothing back."""
    shutil.copy(Path(str(shutil.which(program))).resolve(), tmp_path / "bwrap")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(EnvironmentFault, match="sandbox"):
        Cells.open(tmp_path / "data")
