"""How long a search takes against ripgrep alone on the same tree, alternating, and how much memory:
`python tests/bench/search.py [ROUNDS] [FILES]`.

Times are of the script's own function, called in this process with the same ripgrep; starting Python, which every
call in a cell costs besides, is printed too. Ends with 1 if a goal is missed.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from jobs.agent.tools.arguments import Search
from jobs.agent.tools.search import run
from jobs.agent.tools.spec import Bench
from jobs.sandbox import inside, programs
from jobs.sandbox.cell import Cells
from jobs.sandbox.interpreters import ours

SCRIPTS = next(iter(inside.__path__))
sys.path.insert(0, SCRIPTS)
import search as script  # type: ignore[import-not-found]  # noqa: E402   as it is imported in a cell

SEED = 20_261_130
LARGE, LARGE_BYTES = 50, 20 << 20
GOALS = {"common": 0.30, "absent": 1.15, "totals": 1.50, "all late": 1.50}
MOST_MIB = 100
WORDS = {"common": "import common", "absent": "quite absent", "totals": "seldom seen", "all late": "only late"}


def grow(root: Path, files: int) -> None:
    """A tree of text files of realistic sizes: a median of some seventy lines, some very long."""
    rng = random.Random(SEED)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rng.choices(letters, k=rng.randint(3, 9))) for _ in range(4000)]
    rows = [f"    {' '.join(rng.choices(words, k=rng.randint(3, 9)))}" for _ in range(20_000)]
    tops = sorted(words[:40])
    for number in range(files):
        top = rng.choice(tops)
        folder = root / top / rng.choice(words[40:100])
        folder.mkdir(parents=True, exist_ok=True)
        lines = rng.choices(rows, k=min(3000, max(3, int(rng.lognormvariate(4.3, 1.0)))))
        if rng.random() < 0.5:
            lines[0] = WORDS["common"]
        if number % (files // 50) == 0:
            lines[-1] = WORDS["totals"]
        if top == tops[-1]:
            lines[1] = WORDS["all late"]
        (folder / f"{rng.choice(words)}_{number}.py").write_text("\n".join(lines) + "\n")


def grow_large(root: Path) -> None:
    """Fifty names of one file of 20 MiB, in which every line matches and the first is half of it."""
    root.mkdir()
    first = root / "large00.txt"
    row = b"needle in a long, long file\n"
    first.write_bytes(b"needle " * (LARGE_BYTES // 2 // 7) + b"\n" + row * (LARGE_BYTES // 2 // len(row)))
    for number in range(1, LARGE):
        os.link(first, root / f"large{number:02}.txt")


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def ratio(name: str, tree: Path, rounds: int) -> bool:
    """Prints one row; True if the goal is met."""
    word = WORDS[name]
    alone = [script.RG, "--no-config", "-n", "-C2", "--", word, "."]
    asked = {"patterns": [word], "root": str(tree), "kept": []}
    theirs, own = [], []
    for _ in range(rounds):
        theirs.append(timed(lambda: subprocess.run(alone, stdout=subprocess.DEVNULL, cwd=tree, check=False)))
        own.append(timed(lambda: script.answer(dict(asked))))
    got = script.answer(dict(asked))
    quotient = statistics.median(own) / statistics.median(theirs)
    total = f"{got['total']}" if got["exact"] else f"more than {got['matches']}"
    print(
        f"{name:9} rg -n -C2 {statistics.median(theirs):7.1f} ms   ours {statistics.median(own):7.1f} ms   "
        f"{quotient:5.2f} (goal {GOALS[name]:.2f})   {total} matches, {got['matches']} shown"
    )
    return quotient <= GOALS[name]


def peak() -> float:
    """The most memory that this process ever had, in MiB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(row for row in status.splitlines() if row.startswith("VmHWM:")).split()[1]) / 1024


def memory(data: Path, large: Path) -> bool:
    """Prints by how much our process and the script grow for fifty large files; True if the goal is met. Runs in a
    process of its own, whose peak nothing else has raised."""
    code = (
        f"import sys; sys.path.insert(0, {SCRIPTS!r}); import search, wire; search.RG = {script.RG!r}\n"
        "hwm = lambda: int([r for r in open('/proc/self/status') if r.startswith('VmHWM')][0].split()[1])\n"
        f"before = hwm(); wire.told(search.answer({{'patterns': ['needle'], 'root': {str(large)!r}}}))\n"
        "print(hwm() - before)"
    )
    done = subprocess.run([str(ours().executable), "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    with Cells.open(data) as cells:
        cells.own(large)
        bench = Bench(cell=cells.on(large))
        run(Search(patterns=("no such word",)), bench)
        before = peak()
        taken = timed(lambda: run(Search(patterns=("needle",)), bench))
        grown = peak() - before
    inner = int(done.stdout) / 1024
    print(f"memory    ours +{grown:.1f} MiB, the script +{inner:.1f} MiB (goal {MOST_MIB}); {taken:.0f} ms in a cell")
    return grown + inner < MOST_MIB


def main(rounds: int, files: int) -> int:
    """Prints every row; 1 if a goal is missed."""
    script.RG = str(programs.find().search)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        grow(folder / "tree", files)
        print(f"{files} files, load {os.getloadavg()[0]:.1f}, median of {rounds}, alternating")
        empty = [str(ours().executable), "-I", "-S", "-c", ""]
        start = [timed(lambda: subprocess.run(empty, check=True)) for _ in range(rounds)]
        print(f"python    {statistics.median(start):.1f} ms to start, besides what follows")
        met = [ratio(kind, folder / "tree", rounds) for kind in WORDS]
        grow_large(folder / "large")
        again = [sys.executable, __file__, "memory", str(folder / "data"), str(folder / "large")]
        sys.stdout.flush()
        met.append(subprocess.run(again, check=False).returncode == 0)
    return 0 if all(met) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"]:
        script.RG = str(programs.find().search)
        sys.exit(0 if memory(Path(sys.argv[2]), Path(sys.argv[3])) else 1)
    given = [int(text) for text in sys.argv[1:3]]
    sys.exit(main(given[0] if given else 9, given[1] if len(given) > 1 else 20_000))
