"""What tells that a file of a kept checkout was not touched: its marks, taken before anybody could."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

Mark = tuple[int, int, int, int, int]  # ctime in ns, inode, size, mode, owner

# Where every way to change a file's content, a mapped page included, changes its ctime, which only the kernel sets.
# tmpfs forgets it for mapped pages, XFS lets an owner swap the contents of two files.
_HONEST = frozenset({"ext4", "btrfs"})
_COARSE = 5  # CLOCK_REALTIME_COARSE, which files are stamped by; Python has no name for it
_TICK_S = 0.001
_STEP_NS = 1_000_000  # two readings of two clocks may lie so far apart
_READINGS = 5


def mark(status: os.stat_result) -> Mark:
    """Equal for a file that nothing was done to."""
    return status.st_ctime_ns, status.st_ino, status.st_size, status.st_mode, status.st_uid


def honest(folder: Path) -> bool:
    """Whether marks prove anything on the file system of `folder`."""
    return _kind(folder) in _HONEST


def settle(newest: int) -> None:
    """Waits until the kernel stamps files later than `newest` (ns): a change in the same tick would not show."""
    while time.clock_gettime_ns(_COARSE) <= newest:
        time.sleep(_TICK_S)


@dataclass(frozen=True)
class Clock:
    """How far the clock that files are stamped by is (ns) from the one that nobody sets: set back, it could repeat a
    time."""

    offset: int

    @classmethod
    def now(cls) -> Clock:
        """As it goes at this moment."""
        return cls(_offset())

    def went_on(self) -> bool:
        """True if nobody has set it since."""
        return abs(_offset() - self.offset) < _STEP_NS


def _offset() -> int:
    """Nanoseconds between the wall clock and the one that nobody sets."""
    best, found = 1 << 62, 0
    for _ in range(_READINGS):
        before = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        wall = time.time_ns()
        spread = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - before
        if spread < best:
            best, found = spread, wall - before
    return found


def _kind(folder: Path) -> str:
    """The type of the file system that holds `folder`, empty if it is not known."""
    best: tuple[int, str] = (-1, "")
    place = folder.resolve()
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), left.split()[4]))
        if place.is_relative_to(point) and len(point.parts) >= best[0]:
            best = (len(point.parts), right.split()[0])
    return best[1]
