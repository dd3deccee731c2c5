"""Starts runs one after another and kills each at a random moment: `killed_runs.py DATA OBJECTS COMMIT RUNS SEED`."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from jobs.repo.workspace import open_workspace

MOST_S = 0.2
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what a killed child leaves behind becomes ours


def work(data: Path, objects: Path, commit: str) -> None:
    """Checkouts that are changed and taken back, without an end."""
    while True:
        with open_workspace(data / "runs", "run", objects, commit) as workspace:
            for number in range(3):
                with workspace.checkout(workspace.base) as folder, workspace.checkout(workspace.base) as other:
                    for file in (*folder.rglob("*.py"), *other.rglob("*.py")):
                        file.write_text(f"left = {number}\n")
                    (folder / "left").mkdir()
                    (folder / "left" / "new.py").write_text("left = 1\n")
                    (folder / ".gitignore").write_text("x\n")
                    workspace.harvest(folder, None)


def main(data: Path, objects: Path, commit: str, runs: int, seed: int) -> None:
    """All of them. What a killed process had started goes on beside the next one; at the end all of that is over."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1)
    tempfile.gettempdir()  # tries the folder with a file of its own, once a process
    chance = random.Random(seed)
    for _ in range(runs):
        child = os.fork()
        if child == 0:
            work(data, objects, commit)
        time.sleep(chance.random() * MOST_S)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


if __name__ == "__main__":
    given = sys.argv[1:]
    main(Path(given[0]), Path(given[1]), given[2], int(given[3]), int(given[4]))
