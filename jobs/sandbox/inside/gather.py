"""Runs a command and takes the XML reports that it wrote into one file: `gather.py OUT PATTERN… -- COMMAND…`.

Inside a cell, from its working folder. Only files newer than the command's start count: a report of another run says
nothing about this one. Standard library only.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

_MOST_FILES = 20_000
_MOST_BYTES = 30 << 20
_HEAD = re.compile(rb"^\s*(<\?xml[^>]*\?>\s*)?")


def main(argv: list[str]) -> int:
    """The command's own status, 128 and the signal's number where one ended it."""
    split = argv.index("--")
    out, patterns, command = Path(argv[1]), argv[2:split], argv[split + 1 :]
    began = time.time_ns() - 1_000_000_000  # file systems keep coarser times than the clock
    status = subprocess.run(command, check=False).returncode
    found = [path for pattern in patterns for path in sorted(Path().glob(pattern)) if _fresh(path, began)]
    if found:
        out.write_bytes(_together(found[:_MOST_FILES]))
    return status if status >= 0 else 128 - status


def _fresh(path: Path, began: int) -> bool:
    try:
        return path.is_file() and not path.is_symlink() and os.stat(path).st_mtime_ns >= began
    except OSError:
        return False


def _together(paths: list[Path]) -> bytes:
    whole = bytearray(b"<testsuites>\n")
    for path in paths:
        data = path.read_bytes()
        if len(whole) + len(data) > _MOST_BYTES:
            return bytes(whole)  # not closed: a cut report is no report
        whole += _HEAD.sub(b"", data, count=1) + b"\n"
    return bytes(whole + b"</testsuites>\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv))
