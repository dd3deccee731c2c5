"""Tries to get out of the cell it runs in, by every way it knows, and says what happened, as JSON.

`probe.py TARGETS`, TARGETS being a JSON object with what must be out of reach: {"port": a listening TCP port of
the machine, "abstract": an abstract socket's name, "socket": a socket's path, "files": paths}, and
"names", the variables that may be there. Prints
{wall: [held, detail]}. Standard library only; leaves one empty file in /src, and changes nothing where it gets
through.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import socket
import struct
import sys

_NUMBERS = {
    # x86_64, aarch64
    "unshare": (272, 97),
    "mount": (165, 40),
    "setns": (308, 268),
    "ptrace": (101, 117),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "process_vm_readv": (310, 270),
    "open_by_handle_at": (304, 265),
    "clone3": (435, 435),
    "pidfd_getfd": (438, 438),
}
_COLUMN = 1 if platform.machine() == "aarch64" else 0
_TIOCSTI = 0x5412
_NEW_USER = 0x10000000
_ODD_FAMILIES = {"packet": 17, "alg": 38, "vsock": 40, "xdp": 44, "bluetooth": 31, "can": 29}

libc = ctypes.CDLL(None, use_errno=True)

Finding = tuple[bool, str]


def call(name: str, *arguments: object) -> int:
    """The error number that a system call fails with; 0 if it succeeds."""
    ctypes.set_errno(0)
    result = libc.syscall(_NUMBERS[name][_COLUMN], *arguments)
    return ctypes.get_errno() if result == -1 else 0


def status() -> dict[str, str]:
    """/proc/self/status."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def refused_call(name: str, *arguments: object) -> Finding:
    """Held if the call is refused by the filter or is not there at all."""
    error = call(name, *arguments)
    return error in (errno.EPERM, errno.ENOSYS, errno.ENOSPC), errno.errorcode.get(error, "it worked")


def ordinary_user() -> Finding:
    """Not user 0 in here. Who it is outside shows in whose a file is that it makes: the harness looks."""
    with open("/src/made-by-probe", "w", encoding="ascii"):
        return 0 not in (os.getuid(), os.geteuid(), os.getgid(), *os.getgroups()), f"uid {os.getuid()}"


def no_capabilities() -> Finding:
    """All five sets empty."""
    sets = {name: value for name, value in status().items() if name.startswith("Cap")}
    return all(int(value, 16) == 0 for value in sets.values()), " ".join(f"{n} {v}" for n, v in sets.items())


def no_new_privileges() -> Finding:
    """Set-id programs stay without effect."""
    return status().get("NoNewPrivs") == "1", f"NoNewPrivs {status().get('NoNewPrivs')}"


def filtered() -> Finding:
    """The system call filter is on."""
    return status().get("Seccomp") == "2", f"Seccomp {status().get('Seccomp')}"


def own_network(port: int) -> Finding:
    """Neither the machine's loopback nor any other interface."""
    names = sorted(name for _, name in socket.if_nameindex())
    with socket.socket() as client:
        client.settimeout(1)
        error = client.connect_ex(("127.0.0.1", port))
    return names == ["lo"] and error != 0, f"interfaces {names}, connect {errno.errorcode.get(error, error)}"


def no_way_outside() -> Finding:
    """No route to a public address or to cloud metadata; sends nothing, since there is no route."""
    reached = []
    for address in ("169.254.169.254", "192.0.2.1"):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            if probe.connect_ex((address, 80)) == 0:
                reached.append(address)
    return not reached, f"routes to {reached}" if reached else "no route"


def no_names() -> Finding:
    """No name resolves but the cell's own."""
    try:
        socket.getaddrinfo("patchwright.invalid.example", 80)
    except OSError as error:
        return not os.path.exists("/etc/resolv.conf"), str(error)
    return False, "a name was resolved"


def no_unix_socket(address: str) -> Finding:
    """A socket of the machine, by path or (with a leading NUL) by name."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1)
        try:
            client.connect(address)
        except OSError as error:
            return True, errno.errorcode.get(error.errno or 0, str(error))
    return False, "connected"


def no_odd_sockets() -> Finding:
    """Families that reach past the network name space, or into little-used kernel code."""
    made = []
    for name, number in _ODD_FAMILIES.items():
        try:
            socket.socket(number, socket.SOCK_RAW if name == "packet" else socket.SOCK_STREAM, 0).close()
            made.append(name)
        except OSError as error:
            if error.errno != errno.EAFNOSUPPORT:
                made.append(f"{name} ({errno.errorcode.get(error.errno or 0)})")
    return not made, f"reached {made}" if made else "all EAFNOSUPPORT"


def read_only(*places: str) -> Finding:
    """Nothing can be made in `places`, nor can existing files there be opened for writing."""
    opened = []
    for place in places:
        name, flags = (place, os.O_WRONLY) if os.path.isfile(place) else (f"{place}/x", os.O_WRONLY | os.O_CREAT)
        try:
            os.close(os.open(name, flags))
            opened.append(name)
        except OSError:
            continue
    return not opened, f"opened {opened}" if opened else "all refused"


def out_of_reach(files: list[str]) -> Finding:
    """Paths of this machine that exist for the harness do not exist here, whatever way around is taken."""
    ways = [name for path in files for name in (path, f"/proc/1/root{path}", f"/proc/self/root{path}")]
    seen = [name for name in ways if os.path.lexists(name)]
    return not seen, f"seen {seen}" if seen else "none seen"


def no_processes() -> Finding:
    """Only the cell's own processes are visible."""
    pids = [name for name in os.listdir("/proc") if name.isdigit()]
    return len(pids) < 10, f"{len(pids)} processes"


def own_environment(names: list[str]) -> Finding:
    """No variable but `names`, neither ours nor in what process 1 shows of its own."""
    found = set(os.environ)
    try:
        with open("/proc/1/environ", "rb") as file:
            found |= {entry.partition(b"=")[0].decode(errors="replace") for entry in file.read().split(b"\0") if entry}
    except OSError:
        pass
    seen = sorted(found - set(names))
    return not seen, f"seen {seen}" if seen else f"{len(os.environ)} variables, all ours"


def no_typing() -> Finding:
    """Nothing can be typed into a terminal, with the flag's high half set either."""
    error = []
    for request in (_TIOCSTI, _TIOCSTI | 1 << 32):
        ctypes.set_errno(0)
        result = libc.ioctl(0, ctypes.c_ulong(request), b"x")
        error.append(ctypes.get_errno() if result == -1 else 0)
    return set(error) == {errno.EPERM}, " ".join(errno.errorcode.get(number, "it worked") for number in error)


def usable(*commands: list[str]) -> Finding:
    """The tools that work needs do run here."""
    import subprocess  # noqa: PLC0415 (slow to load, and only this needs it)

    said = []
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, timeout=20, check=False)
        except OSError as error:
            return False, f"{command[0]}: {error.strerror}"
        if done.returncode:
            return False, f"{command[0]}: {done.stderr.decode(errors='replace').strip()[-200:]}"
        said.append(f"{command[0]} {done.stdout.decode(errors='replace').split()[-1]}")
    return True, ", ".join(said)


def readable(path: str) -> Finding:
    """A file that set-up needs can be read."""
    try:
        with open(path, "rb") as file:
            return bool(file.read(1)), f"{path} read"
    except OSError as error:
        return False, f"{path}: {error.strerror}"


def probe(targets: dict[str, object]) -> dict[str, Finding]:
    """Every wall."""
    files = [str(path) for path in targets["files"]]  # type: ignore[attr-defined] # from JSON
    return {
        "ordinary user": ordinary_user(),
        "no capabilities": no_capabilities(),
        "no new privileges": no_new_privileges(),
        "system call filter": filtered(),
        "own network": own_network(int(str(targets["port"]))),
        "no way outside": no_way_outside(),
        "no name service": no_names(),
        "no abstract socket": no_unix_socket("\0" + str(targets["abstract"])),
        "no socket file": no_unix_socket(str(targets["socket"])),
        "no vsock or odd sockets": no_odd_sockets(),
        "kernel settings": read_only(
            "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/vm/drop_caches"
        ),
        "root and devices": read_only("", "/dev", "/etc", "/usr", "/opt/patchwright", "/var", "/home", "/run"),
        "git and layer": read_only("/src/.git", "/env"),
        "other trees": out_of_reach(files),
        "other processes": no_processes(),
        "environment": own_environment([str(name) for name in targets["names"]]),  # type: ignore[attr-defined] # from JSON
        "no nested name space": refused_call("unshare", _NEW_USER),
        "no mount": refused_call("mount", b"none", b"/tmp", b"tmpfs", 0, None),
        "no typing into terminals": no_typing(),
        "no keyring": refused_call("keyctl", 0, -3, 0),
        "no io_uring": refused_call("io_uring_setup", 1, b"\0" * 256),
        "no tracing": refused_call("ptrace", 0, 0, 0, 0),
        "no reading of memory": refused_call("process_vm_readv", os.getppid(), None, 0, None, 0, 0),
        "no bpf": refused_call("bpf", 0, struct.pack("16I", *[0] * 16), 64),
        "no perf events": refused_call("perf_event_open", b"\0" * 128, 0, -1, -1, 0),
        "certificates": readable(str(targets["ca"])),
        "tools": usable(*targets["tools"]),  # type: ignore[misc] # from JSON
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(probe(json.loads(sys.argv[1]))))
