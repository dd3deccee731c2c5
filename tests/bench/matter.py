"""Prints for real fixes whether the tests that they turn green are among those that matter for the changed files.

    uv run --no-sync python tests/bench/matter.py [LIMIT [NAME …]]

LIMIT is how many tests may be chosen (1000), NAMEs are packages of tests/real/matter.toml (all).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from matter_pairs import Judged, judge, line, pairs, share
from suite_project import layer_with_pytest

from jobs.sandbox.cell import Cells


def main(limit: int, names: list[str]) -> None:
    """Prints the table, a row as soon as it is known."""
    rows: list[Judged] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)
        (home / "layer").mkdir(mode=0o755)
        layer = layer_with_pytest(home / "layer")
        with Cells.open(home / "cells") as cells:
            for number, pair in enumerate(pairs()):
                if names and pair.name not in names:
                    continue
                row = judge(pair, cells, layer, home / f"{number}", limit)
                rows += [row] if row else []
                print(line(row) if row else f"--  {pair}: its tests do not tell the releases apart", flush=True)
    print(share(rows))


if __name__ == "__main__":
    main(int("".join(sys.argv[1:2]) or 1_000), sys.argv[2:])
