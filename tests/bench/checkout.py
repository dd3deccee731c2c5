"""How soon a run has its worktree, against cloning, and what taking it back costs.

    python tests/bench/checkout.py [FILES] [COMMITS] [RUNS]

The repository is made here, by a fixed seed. Each run is of the next commit: the commit is fetched into the mirror, a
worktree of it is taken, worked on as an agent and its tests would, harvested and given back. Exits with 1 if a goal
is missed.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from jobs.repo.git import Remote
from jobs.repo.harvest import harvest
from jobs.repo.mirror import Mirror
from jobs.repo.workspace import Workspace, open_workspace
from jobs.sandbox.files import clear, disk_usage

SEED = 7
OWNER = (20_063, 20_063) if os.geteuid() == 0 else None  # the last slot's
OF_SHALLOW, OF_FULL, OF_DISK = 0.15, 0.02, 1.1  # what a ready worktree may cost
WORDS = [f"{a}{b}" for a in ("get", "set", "read", "make", "join", "old", "row", "key") for b in range(400)]


def text(chance: random.Random, lines: int) -> bytes:
    """Something that compresses as source does."""
    return "".join(f"    {' '.join(chance.choices(WORDS, k=8))}\n" for _ in range(lines)).encode()


def stream(files: int, commits: int) -> Iterator[bytes]:
    """The repository as `git fast-import` reads it: all files in the first commit, one line of each later changed."""
    chance = random.Random(SEED)
    held = [text(chance, chance.randint(20, 200)) for _ in range(files)]
    for number in range(commits):
        said = b"commit refs/heads/main\ncommitter B <b@example.invalid> %d +0000\ndata 2\nc\n" % (
            1_600_000_000 + number
        )
        changed = range(files) if number == 0 else [chance.randrange(files)]
        rows = []
        for one in changed:
            if number:
                lines = held[one].splitlines(keepends=True)
                lines[chance.randrange(len(lines))] = text(chance, 1)
                held[one] = b"".join(lines)
            rows.append(
                b"M 100644 inline p%d/m%d/f%d.py\ndata %d\n%b\n" % (one % 40, one % 13, one, len(held[one]), held[one])
            )
        yield said + b"".join(rows)


def made(folder: Path, files: int, commits: int) -> Path:
    """A bare repository at `folder` that serves any commit."""
    run("git", "init", "--quiet", "--bare", "-b", "main", str(folder))
    run("git", "-C", str(folder), "config", "uploadpack.allowAnySHA1InWant", "true")
    with subprocess.Popen(["git", "-C", str(folder), "fast-import", "--quiet"], stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        for part in stream(files, commits):
            importer.stdin.write(part)
    assert importer.returncode == 0
    run("git", "-C", str(folder), "repack", "-adq", "--write-bitmap-index")
    return folder


def run(*argv: str) -> str:
    """Runs a command; what it printed."""
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()


def timed(action: Callable[[], object]) -> float:
    """Seconds that `action` takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def cloned(origin: Path, target: Path, *options: str) -> float:
    """Seconds that cloning takes; the clone goes again."""
    spent = timed(lambda: run("git", "clone", "--quiet", *options, f"file://{origin}", str(target)))
    clear(target)
    return spent


def work_on(folder: Path) -> None:
    """What an agent and its tests leave: some edits, a cache, a build, reports. (Cells write no byte code.)"""
    for number, package in enumerate(sorted(folder.glob("p*/m*"))):
        if number % 50 == 0:
            next(package.glob("*.py")).write_text("changed = 1\n")
    for name in (".pytest_cache/v/cache", "build/lib", "node_modules/.cache"):
        (folder / name).mkdir(parents=True)
        for number in range(20):
            (folder / name / f"f{number}").write_bytes(b"x" * 3000)
    (folder / "new.py").write_text("new = 1\n")
    (folder / "junit.xml").write_text("<x/>" * 5000)


class Bench:
    """One repository, its mirror and the data folder of runs; figures by name, in seconds unless they say else."""

    def __init__(self, scratch: Path, origin: Path) -> None:
        self.scratch, self.origin = scratch, origin
        self.mirror = Mirror(scratch / "mirrors", 1)
        self.figures: dict[str, list[float]] = {}

    def note(self, name: str, value: float) -> None:
        """Adds to a figure."""
        self.figures.setdefault(name, []).append(value)

    def once(self, sha: str) -> None:
        """One whole run of the commit `sha`."""
        self.note("fetch of the commit", timed(lambda: self.mirror.fetch(Remote(f"file://{self.origin}"), sha)))
        objects = self.mirror.git_dir / "objects"
        with ExitStack() as all_of_it:
            started = time.perf_counter()
            work = all_of_it.enter_context(open_workspace(self.scratch / "runs", "r", objects, sha, owner=OWNER))
            with ExitStack() as checkout:
                folder = checkout.enter_context(work.checkout(work.base))
                self.note("ready worktree", time.perf_counter() - started)
                self._used(work, folder)
                started = time.perf_counter()
            all_of_it.close()
            self.note("given back", time.perf_counter() - started)

    def _used(self, work: Workspace, folder: Path) -> None:
        size = disk_usage(folder)[0]
        self.note("disk of a run, shares of the tree", disk_usage(folder.parent)[0] / size)
        work_on(folder)
        found: list[str] = []
        self.note("harvest", timed(lambda: found.append(work.harvest(folder, None).tree)))
        self.note("harvest that reads all", timed(lambda: found.append(harvest(work.trees, work.base, folder).tree)))
        assert found[0] == found[1] != work.base
        started = time.perf_counter()
        with work.checkout(found[0]) as again:
            self.note("a tree of the same run, ready", time.perf_counter() - started)
            assert work.harvest(again, None).tree == found[0]


def main(files: int, commits: int, runs: int) -> int:
    """Prints the figures; how many goals were missed."""
    with tempfile.TemporaryDirectory(prefix="bench-checkout-") as folder:
        scratch = Path(folder)
        origin = made(scratch / "origin.git", files, commits)
        bench = Bench(scratch, origin)
        shas = run("git", "-C", str(origin), "rev-list", f"--max-count={runs + 1}", "main").splitlines()[::-1]
        bench.once(shas[0])
        cold, bench.figures = bench.figures["ready worktree"][0], {}
        for number, sha in enumerate(shas[1:]):
            bench.once(sha)
            if number % 4 == 0:
                bench.note("depth-1 clone", cloned(origin, scratch / "clone", "--depth", "1"))
            if number % 10 == 0:
                bench.note("full clone", cloned(origin, scratch / "clone"))
        middle = {name: statistics.median(values) for name, values in bench.figures.items()}
    print(f"{files:,} files, {commits:,} commits, {runs} runs in a row; medians, seconds")
    for name, value in (*middle.items(), ("ready worktree, the very first", cold)):
        print(f"  {name:36} {value:8.3f}   {value / middle['depth-1 clone']:7.3f} x the depth-1 clone")
    return told(middle)


def told(middle: dict[str, float]) -> int:
    """Prints each goal beside what was reached; how many were missed."""
    ready = middle["ready worktree"]
    rows = (
        ("ready worktree / depth-1 clone", ready / middle["depth-1 clone"], OF_SHALLOW),
        ("ready worktree / full clone", ready / middle["full clone"], OF_FULL),
        ("disk of a run / its tree", middle["disk of a run, shares of the tree"], OF_DISK),
    )
    for name, value, most in rows:
        print(f"  {name:36} {value:8.3f}   goal {most:g}: {'met' if value <= most else 'MISSED'}")
    return sum(value > most for _, value, most in rows)


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    sys.exit(1 if main(*(*given, *(5_200, 20_500, 20)[len(given) :])) else 0)
