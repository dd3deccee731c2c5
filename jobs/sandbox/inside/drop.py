"""Becomes an ordinary user without any privilege, then the given command: `drop.py UID GID COMMAND…`.

Runs inside a cell, where util-linux has no setpriv. Standard library only.
"""

from __future__ import annotations

import ctypes
import os
import sys

_PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _CLEAR_ALL = 24, 38, 47, 4

_CAPABILITY_VERSION = 0x20080522


def drop(uid: int, gid: int) -> None:
    """Gives up groups, bounding set and ids; no later program can get any of it back."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    libc.prctl(_PR_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    for capability in range(64):
        if libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):
            break  # beyond the last one that this kernel knows
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    # What could be inherited survives a change of ids; two words of each of three sets, for this process.
    if libc.capset((ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()):
        raise OSError(ctypes.get_errno(), "capset")


def main(argv: list[str]) -> None:
    """Never returns: becomes the command, or exits with 127 if there is none such."""
    drop(int(argv[1]), int(argv[2]))
    try:
        os.execvp(argv[3], argv[3:])
    except OSError as missing:
        sys.stderr.write(f"{argv[3]}: {missing.strerror}\n")
        sys.exit(127)


if __name__ == "__main__":
    main(sys.argv)
