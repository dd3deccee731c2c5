from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jobs.sandbox.cell import Cells

_RUNS = """
import sys
from pathlib import Path
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells
with Cells.open(Path(sys.argv[1], "data")) as cells:
    tree = Path(sys.argv[1], "tree")
    tree.mkdir()
    cells.own(tree)
    cells.on(tree).run(Command.shell("setsid sh -c 'while :; do date +%N > beat; sleep 0.05; done'", timeout_s=60))
"""


@pytest.mark.timeout(60)
def test_a_cell_dies_with_the_harness(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[3])}
    beat = tmp_path / "tree/beat"
    with subprocess.Popen([sys.executable, "-c", _RUNS, str(tmp_path)], env=env) as harness:
        until = time.monotonic() + 30
        while not beat.exists() and time.monotonic() < until:
            time.sleep(0.05)
        harness.kill()
    time.sleep(0.5)
    last = beat.read_text()
    time.sleep(0.3)
    assert beat.read_text() == last
    with Cells.open(tmp_path / "data") as again:
        assert again.uid >= 0
