"""How long a state of a tree takes to keep and to put back: `python tests/bench/checkpoint.py [FILES]`."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from jobs.repo.checkpoint import TreeCheckpoints
from jobs.repo.local import find
from jobs.repo.workspace import open_workspace


def median_ms(action: Callable[[int], object], times: int = 9) -> float:
    """The median time of `action`, which is told how often it ran before."""
    spent = []
    for number in range(times):
        started = time.perf_counter()
        action(number)
        spent.append((time.perf_counter() - started) * 1000)
    return statistics.median(spent)


def person(folder: Path, count: int) -> Path:
    """A repository with `count` files in one commit."""
    for number in range(count):
        file = folder / f"pkg{number % 100}/module{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"value = {number}\n" * 40)
    who = ("-c", "user.name=B", "-c", "user.email=b@example.invalid")
    for line in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "Start")):
        subprocess.run(["git", *line], cwd=folder, check=True)
    return folder


def main(count: int) -> None:
    """Prints each step beside a whole harvest of the same tree."""
    with tempfile.TemporaryDirectory() as scratch:
        repository = find(person(Path(scratch, "person"), count))
        runs, base = Path(scratch, "runs"), repository.resolve("HEAD")
        with open_workspace(runs, "bench", repository.objects, base) as work, work.checkout(work.base) as folder:
            states = TreeCheckpoints(work.trees, work.base, folder, clean=True)
            one = folder / "pkg0/module0.py"

            def change(number: int) -> str:
                one.write_text(f"value = {number}\n")
                return states.take()

            names: list[str] = []
            first = median_ms(lambda _: names.append(states.take()), 1)
            idle = median_ms(lambda _: states.take())
            small = median_ms(lambda number: names.append(change(number)))
            back = median_ms(lambda number: states.restore(names[number % 2]))
            whole = median_ms(lambda _: work.harvest(folder, None), 3)
    for name, spent in (("first", first), ("unchanged", idle), ("one file changed", small), ("restore", back)):
        print(f"{count:,} files, {name}: {spent:.1f} ms, {whole / spent:.1f} times as quick as a harvest")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
