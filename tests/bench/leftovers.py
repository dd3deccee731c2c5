"""What runs leave behind that are killed at random moments: processes, mounts, groups, worktrees, locks.

    python tests/bench/leftovers.py [RUNS] [SEED]

Each run is a whole `patchwright fix` on the demo's repository with the scripted model; `kill -9` ends it at a random
moment of its usual duration. One more run, left alone, sweeps as the next run on a machine would. Exits with 1 if
anything is left then.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import gitrepo
from scripted_fix import BILLING, KEY, billing, replies

from app.local.model import ScriptedEndpoint
from jobs.sandbox import groups

_YOUNG_S = 61.0  # a workspace that is younger may be one that is just being made
_SCRATCH = ("slots/*/out-*", "slots/*/proof-*", "layers/*/building-*", "runs/*/lock", "pool/*/*.lock.held")


def started(repo: Path, data: Path, url: str) -> subprocess.Popen[bytes]:
    """One run."""
    told = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY, "PATCHWRIGHT_DATA": str(data)}
    argv = [sys.executable, "-P", "-m", "app.cli", "fix", "--repo", str(repo), "--issue", str(BILLING / "issue.md")]
    none = subprocess.DEVNULL
    return subprocess.Popen([*argv, "--quiet"], env={**os.environ, **told}, stdout=none, stderr=none)


def left(repo: Path, data: Path) -> dict[str, int]:
    """How much of each kind there is."""
    dead = [f for p in groups.find().parents for f in p.glob("patchwright-*") if not _alive(f.name.split("-")[1])]
    return {
        "processes in groups of dead owners": sum(len((f / "cgroup.procs").read_text().split()) for f in dead),
        "processes in sandboxes of this data folder": sum(str(data) in _read(pid, "mountinfo") for pid in _pids()),
        "processes that name it": sum(str(data) in _read(pid, "cmdline") for pid in _pids()),
        "mounts outside sandboxes": Path("/proc/self/mountinfo").read_text().count(str(data)),
        "control groups of dead owners": len(dead),
        "worktrees and scratch": sum(1 for pattern in _SCRATCH for _ in data.glob(pattern)),
        "locks that are held": _locks(data),
        "lock files in the repository": sum(1 for _ in (repo / ".git").rglob("*.lock")),
        "changes in the repository": len(gitrepo.run(repo, "status", "--porcelain").splitlines()),
    }


def _pids() -> list[str]:
    return [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit() and entry.name != str(os.getpid())]


def _alive(pid: str) -> bool:
    return Path("/proc", pid).exists()


def _read(pid: str, name: str) -> str:
    try:
        return Path("/proc", pid, name).read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def _locks(data: Path) -> int:
    inodes = {file.stat().st_ino for file in data.rglob("*") if file.is_file()}
    held = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return sum(int(row[5].rsplit(":", 1)[1]) in inodes for row in held if len(row) > 5 and row[0] != "->")


def main(runs: int, seed: int) -> int:
    """Kills, sweeps, counts; 1 if something is left."""
    dice = random.Random(seed)
    script: Callable[[], list[dict[str, object]]] = replies
    with (
        tempfile.TemporaryDirectory(prefix="leftovers-") as folder,
        ScriptedEndpoint([*script()] * (runs + 2), key=KEY) as endpoint,
    ):
        repo, data = billing(Path(folder, "repo")), Path(folder, "data")
        began = time.monotonic()
        usual = started(repo, data, endpoint.url).wait()
        lasts = time.monotonic() - began
        print(f"seed {seed}; a run ends with {usual} after {lasts:.1f} s", flush=True)
        killed = 0
        for _ in range(runs):
            run = started(repo, data, endpoint.url)
            time.sleep(dice.random() * lasts)
            killed += run.poll() is None
            run.kill()
            run.wait()
        before = left(repo, data)
        time.sleep(_YOUNG_S)
        last = started(repo, data, endpoint.url).wait()
        time.sleep(1)
        after = left(repo, data)
        found = [str(path.relative_to(data)) for pattern in _SCRATCH for path in data.glob(pattern)]
    print(f"{killed} of {runs} runs were killed; the next one ended with {last}")
    for name, count in after.items():
        print(f"{name:44} right after {before[name]:4}   after the next run {count:4}")
    print("\n".join(found))
    return 1 if any(after.values()) else 0


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    sys.exit(main(given[0] if given else 50, given[1] if len(given) > 1 else random.SystemRandom().randrange(1 << 32)))
