"""How long one command in a cell takes, against a plain child process and against sandbox-runtime, in turns.

    python tests/bench/cell.py [ROUNDS] [--peers FOLDER]

npm's @anthropic-ai/sandbox-runtime is installed below FOLDER (by default a cache folder) if it is not there; it needs
socat. `ahead` is a cell whose sandbox was made while nothing else was to do, as it is between two rounds of a session.
Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from jobs.sandbox import programs
from jobs.sandbox.ahead import ahead
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells

PEER = "@anthropic-ai/sandbox-runtime@0.0.83"
MOST_OVER_MS, LEAST_TIMES = 7.0, 40.0
_THINKS_S = 0.05  # what a model takes at least, so that the next sandbox stands
_PEER_EVERY = 5  # it takes so long that it is run in every fifth round only


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def peer(folder: Path) -> Callable[[], object]:
    """Runs /bin/true in sandbox-runtime as its command line does, nothing but our bubblewrap and ripgrep given."""
    home = folder / "sandbox-runtime"
    command = home / "node_modules/.bin/srt"
    if not command.exists():
        home.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--prefix", str(home), PEER], check=True)
    if shutil.which("socat") is None:
        sys.exit("sandbox-runtime needs socat: apt-get install socat")
    tools, found = home / "bin", programs.find()
    tools.mkdir(exist_ok=True)
    for name, program in (("bwrap", found.bubblewrap), ("rg", found.search)):
        if program and not (tools / name).exists():
            (tools / name).symlink_to(program)
    env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    env["HOME"] = str(home)  # its settings as they come
    return lambda: subprocess.run([command, "/bin/true"], env=env, cwd=tools, capture_output=True, check=True)


def main() -> int:
    """Prints median and 95th percentile of each kind; 1 if a goal is missed."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("rounds", nargs="?", type=int, default=100)
    given.add_argument("--peers", type=Path, default=Path.home() / ".cache/patchwright-bench")
    asked = given.parse_args()
    with tempfile.TemporaryDirectory() as folder, Cells.open(Path(folder, "data")) as cells:
        tree = Path(folder, "tree")
        tree.mkdir()
        cells.own(tree)
        cell = cells.on(tree)
        with ahead(cell) as standing:
            kinds: dict[str, Callable[[], object]] = {
                "plain true": lambda: subprocess.run(["/bin/true"], capture_output=True, check=True),
                "plain bash": lambda: subprocess.run(["bash", "-c", "true"], capture_output=True, check=True),
                "cell true": lambda: cell.run(Command(("/bin/true",))),
                "cell bash": lambda: cell.run(Command.shell("true")),
                "ahead bash": lambda: standing.run(Command.shell("true")),
                "srt true": peer(asked.peers),
            }
            taken: dict[str, list[float]] = {name: [] for name in kinds}
            for number in range(asked.rounds):
                time.sleep(_THINKS_S)
                for name, work in kinds.items():
                    if name != "srt true" or number % _PEER_EVERY == 0:
                        taken[name].append(timed(work))
        print(
            f"{cells.mode}, groups version {cells.groups.version}, load {os.getloadavg()[0]:.1f}, {asked.rounds} rounds"
        )
    return judge(taken)


def judge(taken: dict[str, list[float]]) -> int:
    """Prints the table, each goal and whether it is met."""
    middle = {name: statistics.median(times) for name, times in taken.items()}
    for name, times in taken.items():
        cuts = statistics.quantiles(times, n=20)
        print(f"{name:12} min {min(times):7.2f}  median {middle[name]:7.2f}  p95 {cuts[18]:7.2f} ms")
    over, times_less = middle["cell true"] - middle["plain true"], middle["srt true"] / middle["cell true"]
    goals = {
        f"a cell costs {over:.2f} ms over a plain child process, at most {MOST_OVER_MS:g}": over <= MOST_OVER_MS,
        f"sandbox-runtime takes {times_less:.0f} times as long, at least {LEAST_TIMES:g}": times_less >= LEAST_TIMES,
    }
    for goal, met in goals.items():
        print("ok    " if met else "MISSED", goal)
    return 0 if all(goals.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
