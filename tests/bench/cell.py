"""How long a cell takes to start, against a plain child process, interleaved: `python tests/bench/cell.py [N]`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def main(rounds: int) -> None:
    """Prints median and 95th percentile of each kind."""
    with tempfile.TemporaryDirectory() as folder, Cells.open(Path(folder, "data")) as cells:
        tree = Path(folder, "tree")
        tree.mkdir()
        cells.own(tree)
        cell = cells.on(tree)
        kinds: dict[str, Callable[[], object]] = {
            "plain true": lambda: subprocess.run(["/bin/true"], capture_output=True, check=True),
            "plain bash": lambda: subprocess.run(["bash", "-c", "true"], capture_output=True, check=True),
            "cell true": lambda: cell.run(Command(("/bin/true",))),
            "cell bash": lambda: cell.run(Command.shell("true")),
        }
        taken: dict[str, list[float]] = {name: [] for name in kinds}
        for _ in range(rounds):
            for name, work in kinds.items():
                taken[name].append(timed(work))
        print(f"{cells.mode}, groups version {cells.groups.version}, load {os.getloadavg()[0]:.1f}, {rounds} rounds")
    for name, times in taken.items():
        cuts = statistics.quantiles(times, n=20)
        print(f"{name:12} min {min(times):6.2f}  median {statistics.median(times):6.2f}  p95 {cuts[18]:6.2f} ms")
    over = statistics.median(taken["cell true"]) - statistics.median(taken["plain true"])
    print(f"a cell costs {over:.2f} ms over a plain child process")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
