"""Prints for real bugs how much the opening shows, and whether the lines are in it that the fix changed.

    uv run --no-sync python tests/bench/opening.py [NAME …]

NAMEs are projects of tests/real/projects.toml (all). The harness knows the request only: no test is red yet.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from agent_tree import bench_on
from real_projects import NAMES, RealProject, git, prepare

from jobs.agent.context import Context
from jobs.agent.opening import play
from jobs.agent.record import CallRecord
from jobs.sandbox.cell import Cells
from jobs.tasks.task import Task

_TOKEN = 3.6  # characters


def measure(project: RealProject, cells: Cells) -> str:
    """One row: the opening's size, and the share of the fix's old lines that it shows."""
    title, _, body = project.issue.read_text().partition("\n")
    changed = [row for edit in project.fix_edits for row in _old_rows(edit.path, edit.old, project.repo)]
    bench = bench_on(cells, project.repo, record=CallRecord([]))
    opening = play(Task("fix", title, body), Context(), bench)
    text = opening.text()
    seen = sum(f"\n{row}\n" in re.sub(r"(?m)^\s*\d+[\t:-]", "", text) + "\n" for row in changed)
    sizes = "+".join(f"{len(block['content']):,}" for block in opening.results)
    return f"{project.name:18}{len(text) / _TOKEN:8,.0f} tokens  {seen}/{len(changed)} lines of the fix  ({sizes})"


def _old_rows(path: str, old: str, repo: Path) -> list[str]:
    return [row for row in old.split("\n") if row.strip()] if (repo / path).exists() else []


def main(names: list[str]) -> None:
    """Prints the table, a row as soon as it is known."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)
        with Cells.open(home / "cells") as cells:
            for name in names or NAMES:
                project = prepare(name, home / name)
                git(project.repo, "status")
                print(measure(project, cells), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
