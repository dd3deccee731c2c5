"""The system call filter of every cell, as a classic BPF program assembled here. Pure.

A deny list by design: test suites need most of what is left. It closes what name spaces do not: the kernel
keyring, io_uring, vsock and odd socket families, injection into terminals, and entry points whose only use
in a cell would be to get out of it.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable
from dataclasses import dataclass

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data; an argument is 8 bytes

# CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NEW_NAMESPACE = 0x80 | 0x20000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_NETLINK = 16
_FAMILIES = (0, 1, 2, 10)  # unspecified, unix, inet, inet6: harmless in an empty network name space


@dataclass(frozen=True)
class Machine:
    """What the filter must know of an architecture. `refused` fail with EPERM, `absent` with ENOSYS (so that
    libraries fall back), `calls` have their arguments looked at."""

    audit: int
    refused: dict[str, int]
    absent: dict[str, int]
    calls: dict[str, int]
    x32: bool = False


_ABSENT = {
    "clone3": 435,  # its flags are behind a pointer, out of the filter's sight; libc falls back to clone
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "mount_setattr": 442,
}
_SAME_EVERYWHERE = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "pidfd_getfd": 438,
    "quotactl_fd": 443,
}
_X86_64 = _SAME_EVERYWHERE | {
    "ptrace": 101,
    "syslog": 103,
    "uselib": 134,
    "personality": 135,
    "vhangup": 153,
    "modify_ldt": 154,
    "pivot_root": 155,
    "adjtimex": 159,
    "chroot": 161,
    "acct": 163,
    "settimeofday": 164,
    "mount": 165,
    "umount2": 166,
    "swapon": 167,
    "swapoff": 168,
    "reboot": 169,
    "iopl": 172,
    "ioperm": 173,
    "init_module": 175,
    "delete_module": 176,
    "quotactl": 179,
    "nfsservctl": 180,
    "lookup_dcookie": 212,
    "clock_settime": 227,
    "mbind": 237,
    "set_mempolicy": 238,
    "get_mempolicy": 239,
    "kexec_load": 246,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "migrate_pages": 256,
    "unshare": 272,
    "move_pages": 279,
    "perf_event_open": 298,
    "fanotify_init": 300,
    "name_to_handle_at": 303,
    "open_by_handle_at": 304,
    "clock_adjtime": 305,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "finit_module": 313,
    "kexec_file_load": 320,
    "bpf": 321,
    "userfaultfd": 323,
}
_AARCH64 = _SAME_EVERYWHERE | {
    "umount2": 39,
    "mount": 40,
    "pivot_root": 41,
    "nfsservctl": 42,
    "chroot": 51,
    "vhangup": 58,
    "quotactl": 60,
    "acct": 89,
    "personality": 92,
    "unshare": 97,
    "kexec_load": 104,
    "init_module": 105,
    "delete_module": 106,
    "clock_settime": 112,
    "syslog": 116,
    "ptrace": 117,
    "reboot": 142,
    "settimeofday": 170,
    "adjtimex": 171,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "swapon": 224,
    "swapoff": 225,
    "mbind": 235,
    "get_mempolicy": 236,
    "set_mempolicy": 237,
    "migrate_pages": 238,
    "move_pages": 239,
    "perf_event_open": 241,
    "fanotify_init": 262,
    "name_to_handle_at": 264,
    "open_by_handle_at": 265,
    "clock_adjtime": 266,
    "setns": 268,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "kcmp": 272,
    "finit_module": 273,
    "bpf": 280,
    "userfaultfd": 282,
    "kexec_file_load": 294,
}
MACHINES = {
    "x86_64": Machine(
        0xC000003E, _X86_64, _ABSENT, {"ioctl": 16, "socket": 41, "socketpair": 53, "clone": 56}, x32=True
    ),
    "aarch64": Machine(0xC00000B7, _AARCH64, _ABSENT, {"ioctl": 29, "socket": 198, "socketpair": 199, "clone": 220}),
}

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant


def program(machine: str) -> bytes:
    """The filter for `machine` (as `platform.machine()` says it), as the kernel's struct sock_filter array.

    Raises KeyError for an architecture that has no table here.
    """
    return b"".join(struct.pack("=HBBI", *step) for step in instructions(MACHINES[machine]))


def instructions(machine: Machine) -> list[Instruction]:
    """The filter's steps. Each rule is a block that either returns or falls through to the next."""
    steps: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, machine.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine.x32:
        steps += [(_IF_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, _KILL)]
    steps += _refuse(machine.refused.values(), errno.EPERM)
    steps += _refuse(machine.absent.values(), errno.ENOSYS)
    steps += _on(machine.calls["clone"], _no_new_namespace())
    steps += _on(machine.calls["ioctl"], _no_typing())
    steps += _on(machine.calls["socket"], _plain_sockets())
    steps += _on(machine.calls["socketpair"], _plain_sockets())
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


def _refuse(numbers: Iterable[int], error: int) -> list[Instruction]:
    steps: list[Instruction] = []
    for number in sorted(set(numbers)):
        steps += [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | error)]
    return steps


def _on(number: int, block: list[Instruction]) -> list[Instruction]:
    """`block`, which must return on every path, for system call `number` only."""
    return [(_IF_EQUAL, 0, len(block), number), *block]


def _argument(index: int) -> Instruction:
    """Loads the low half of an argument: the kernel ignores the high half of an int, so must the filter."""
    return (_LOAD, 0, 0, _ARGUMENT + 8 * index)


def _no_new_namespace() -> list[Instruction]:
    return [
        _argument(0),
        (_IF_BITS, 0, 1, _NEW_NAMESPACE),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _no_typing() -> list[Instruction]:
    return [
        _argument(1),
        (_IF_EQUAL, 1, 0, _TIOCSTI),
        (_IF_EQUAL, 0, 1, _TIOCLINUX),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _plain_sockets() -> list[Instruction]:
    """The listed families; netlink with its routing protocol only, which libc asks for interface lists."""
    refuse, allow = (_RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT), (_RETURN, 0, 0, _ALLOW)
    tail = [(_IF_EQUAL, 0, 2, _NETLINK), _argument(2), (_IF_EQUAL, 1, 0, 0), refuse, allow]
    families = [(_IF_EQUAL, len(_FAMILIES) - i + 3, 0, family) for i, family in enumerate(_FAMILIES)]
    return [_argument(0), *families, *tail]
