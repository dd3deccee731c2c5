"""What one round costs in a harness whose model answers at once: ours, a bare client loop, mini-swe-agent.

    python tests/bench/loop.py [RUNS] [--peers FOLDER]

Each round is one reply with one `true` for the shell; the harness gives the result back. Ours and mini-swe-agent run
it in bubblewrap. The endpoint takes the times, so every contender is measured alike. mini-swe-agent is installed into
a virtual environment below FOLDER (by default a cache folder) if it is not there. Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from jobs.sandbox import programs

HERE = Path(__file__).parent
PEER = "mini-swe-agent==2.4.6"
ROUNDS, LONG = 50, 400
MOST_MS, MOST_RATIO, MOST_MB, MOST_GROWTH = 12.0, 0.5, 130.0, 1.3
_QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "MSWEA_CONFIGURED": "true", "MSWEA_SILENT_STARTUP": "1"}
_END = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


@dataclass(frozen=True)
class Run:
    """One contender's run: milliseconds of each round, peak memory in MB."""

    gaps: list[float]
    megabytes: float

    @property
    def mean(self) -> float:
        """Milliseconds a round."""
        return statistics.mean(self.gaps)

    def around(self, first: int, last: int) -> float:
        """The median of the rounds `first` to `last` (from 1)."""
        return statistics.median(self.gaps[first - 1 : last])


def peer(folder: Path) -> Path:
    """The interpreter of mini-swe-agent's own environment, which is made if it is not there."""
    home = folder / PEER.replace("==", "-")
    python = home / "bin/python"
    if not (home / "bin/mini").exists():
        subprocess.run(["uv", "venv", "-q", "--clear", str(home)], check=True)
        subprocess.run(["uv", "pip", "install", "-q", "--python", str(python), PEER], check=True)
    return python


def run(name: str, rounds: int, python: Path) -> Run:
    """One contender in a fresh process against a fresh endpoint."""
    how = ("plain", "bash", _END) if name == "mini" else ("streamed", "shell", "")
    with tempfile.TemporaryDirectory() as folder:
        port, times = Path(folder, "port"), Path(folder, "times")
        endpoint = [sys.executable, HERE / "loop_endpoint.py", port, times, how[0], str(rounds), *how[1:]]
        with subprocess.Popen(endpoint) as serving:
            try:
                while not port.exists():
                    time.sleep(0.01)
                url = f"http://127.0.0.1:{port.read_text()}"
                command = [python, HERE / "loop_contenders.py", name, url, str(rounds)]
                done = subprocess.run(command, env=_environment(folder), stdout=subprocess.PIPE, check=True)
            except BaseException:
                serving.kill()
                raise
        at = json.loads(times.read_text())
    gaps = [(later - sooner) * 1000 for sooner, later in itertools.pairwise(at)]
    return Run(gaps, int(done.stdout.split()[-1]) / 1024)


def _environment(home: str) -> dict[str, str]:
    shared = {"HOME": home, "PYTHONPATH": str(HERE.parents[1]), "BENCH_BWRAP": str(programs.find().bubblewrap)}
    return {"PATH": os.environ["PATH"], **shared, **_QUIET}


def main() -> int:
    """Prints the figures; 1 if a goal is missed."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("runs", nargs="?", type=int, default=5)
    given.add_argument("--peers", type=Path, default=Path.home() / ".cache/patchwright-bench")
    asked = given.parse_args()
    pythons = {"ours": Path(sys.executable), "bare": Path(sys.executable), "mini": peer(asked.peers)}
    runs: dict[str, list[Run]] = {name: [] for name in pythons}
    for _ in range(asked.runs):  # alternating: other load on the machine meets all alike
        for name, python in pythons.items():
            runs[name].append(run(name, ROUNDS, python))
    ms = {name: statistics.median(one.mean for one in made) for name, made in runs.items()}
    mb = {name: max(one.megabytes for one in made) for name, made in runs.items()}
    print(f"{ROUNDS} rounds, {asked.runs} alternating runs, load {os.getloadavg()[0]:.1f}")
    for name, made in runs.items():
        middle = statistics.median(one.around(1, ROUNDS) for one in made)
        print(f"{name:5} {ms[name]:7.2f} ms a round (median round {middle:.2f}), peak {mb[name]:.0f} MB")
    long = run("ours", LONG, pythons["ours"])
    at = {middle: long.around(first, last) for middle, first, last in ((10, 5, 15), (100, 95, 105), (400, 390, 400))}
    print("ours, around round", ", ".join(f"{middle}: {cost:.2f} ms" for middle, cost in at.items()))
    return judge(ms, mb["ours"], at[400] / at[10])


def judge(ms: dict[str, float], megabytes: float, growth: float) -> int:
    """Prints each goal and whether it is met."""
    goals = {
        f"a round takes {ms['ours']:.2f} ms, at most {MOST_MS:g}": ms["ours"] <= MOST_MS,
        f"ours / mini {ms['ours'] / ms['mini']:.2f}, at most {MOST_RATIO:g}": ms["ours"] <= MOST_RATIO * ms["mini"],
        f"peak {megabytes:.0f} MB, at most {MOST_MB:g}": megabytes <= MOST_MB,
        f"round 400 / round 10 {growth:.2f}, at most {MOST_GROWTH:g}": growth <= MOST_GROWTH,
    }
    for goal, met in goals.items():
        print("ok    " if met else "MISSED", goal)
    print(f"ours / bare {ms['ours'] / ms['bare']:.2f}")
    return 0 if all(goals.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
