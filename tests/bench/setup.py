"""Set-up of a repository for the first time and again, with its lock file unchanged: `python tests/bench/setup.py`.

A Python project that needs pytest and two libraries is installed by its set-up commands, through the way out, from
where this machine's tools install. Exits with 1 if the second time takes a second or longer.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import gitrepo

from jobs.order import Means
from jobs.policy import default
from jobs.prepare import Prepared, prepare
from jobs.repo.local import find
from jobs.repo.workspace import open_workspace
from jobs.sandbox.cell import Cells
from jobs.trace.listen import Silent

MOST_S = 1.0
AGAIN = 5
FILES = {
    "pyproject.toml": '[project]\nname = "small"\nversion = "1"\ndependencies = ["attrs", "click"]\n'
    '[project.optional-dependencies]\ntest = ["pytest"]\n[tool.setuptools]\npy-modules = ["small"]\n',
    "small.py": "import attrs\nimport click\n",
    "test_small.py": "import small\n\n\ndef test_it():\n    assert small.attrs\n",
}


def prepared(folder: Path, repository: Path, cells: Cells) -> tuple[float, Prepared]:
    """Seconds of one run's set-up, and what came of it."""
    local = find(repository)
    with open_workspace(folder / "runs", "r", local.objects, local.resolve("HEAD"), owner=cells.owner) as workspace:
        means = Means(folder, cells, Silent(), lambda: None, lambda text: False)
        began = time.perf_counter()
        ready = prepare(workspace, means, default(), key="bench")
        return time.perf_counter() - began, ready


def main() -> int:
    """Prints both figures; 1 if the second is too large."""
    with tempfile.TemporaryDirectory(prefix="setup-") as name, Cells.open(Path(name, "data")) as cells:
        folder = Path(name, "data")
        repository = gitrepo.make(Path(name, "repo"), FILES)
        first, ready = prepared(folder, repository, cells)
        again = [prepared(folder, repository, cells)[0] for _ in range(AGAIN)]
    middle = statistics.median(again)
    print(f"set-up: {', '.join(ready.toolchain.setup)}")
    print(f"first {first:.2f} s, again {middle:.3f} s (median of {AGAIN}, longest {max(again):.3f})")
    print("ok    " if middle < MOST_S else "MISSED", f"again {middle:.3f} s, below {MOST_S:g}")
    return 0 if middle < MOST_S else 1


if __name__ == "__main__":
    sys.exit(main())
