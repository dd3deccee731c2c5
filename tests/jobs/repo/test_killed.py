"""Runs that are killed at any moment leave nothing that a later one believes, and nothing that stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import gitrepo
import killed_runs

from jobs.repo.local import find
from jobs.repo.workspace import open_workspace

RUNS, SEED = 50, 11
FILES = {f"pkg{n % 5}/m{n}.py": f"value = {n}\n" * 20 for n in range(60)}


def _locks(data: Path) -> int:
    """Locks on files of the data folder that some process holds."""
    inodes = {file.stat().st_ino for file in data.rglob("*") if file.is_file()}
    rows = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return sum(int(row[5].rsplit(":", 1)[1]) in inodes for row in rows if len(row) > 5 and row[0] != "->")


def test_killed_runs_leave_no_worktree_no_lock_and_no_scratch_behind(tmp_path: Path) -> None:
    repository = find(gitrepo.make(tmp_path / "person", FILES))
    commit, data, scratch = repository.resolve("HEAD"), tmp_path / "data", tmp_path / "scratch"
    scratch.mkdir()
    argv = [sys.executable, killed_runs.__file__, data, repository.objects, commit, str(RUNS), str(SEED)]
    environment = {**os.environ, "TMPDIR": str(scratch), "PYTHONPATH": str(Path.cwd())}
    subprocess.run(argv, env=environment, check=True)

    with open_workspace(data / "runs", "last", repository.objects, commit) as workspace:
        assert [path.name for path in (data / "runs").iterdir()] == [workspace.root.name]
        kept = [path for path in (data / "pool").glob("*/*") if path.is_dir()]
        assert all((path / "record.json").exists() for path in kept), "one whose user was killed is still there"
        for _ in range(2):
            with workspace.checkout(workspace.base) as one, workspace.checkout(workspace.base) as two:
                for folder in (one, two):
                    found = {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}
                    assert found == FILES
                    assert workspace.harvest(folder, None).tree == workspace.base
    assert list((data / "runs").iterdir()) == []
    assert not [*data.rglob("*.lock.held"), *data.rglob("index.lock"), *data.rglob("index"), *data.rglob("gone-*")]
    assert list(scratch.iterdir()) == []
    assert _locks(data) == 0
