"""Runs `patchwright fix` on a real project against the scripted model endpoint, and says what it left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from real_projects import RealProject, git

from app.local.model import ScriptedEndpoint

_RUN_S = 280


@dataclass(frozen=True)
class Ended:
    """How the command ended: its exit code, what `--json` wrote, and both its outputs."""

    exit_code: int
    result: dict[str, Any]
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Checkout:
    """Everything of a checkout that a fix must not touch, its branches apart."""

    head: str
    index: str
    config: str
    status: str
    stash: str
    files: Mapping[str, tuple[str, int, int]]  # digest, mode, time of the last change in ns
    refs: Mapping[str, str]


def run_fix(project: RealProject, script: Sequence[Mapping[str, Any]], data: Path) -> Ended:
    """`patchwright fix` in a process of its own. `data` keeps layers, so that a second run need not install again."""
    folder = project.repo.parent
    file, out = folder / "script.json", folder / "out.json"
    file.write_text(json.dumps(script))
    command = [str(Path(sys.executable).parent / "patchwright"), "fix", "--repo", str(project.repo)]
    command += ["--issue", str(project.issue), "--json", str(out)]
    with ScriptedEndpoint(file) as endpoint:
        env = os.environ | {
            "ANTHROPIC_BASE_URL": endpoint.url,
            "ANTHROPIC_API_KEY": "test",
            "PATCHWRIGHT_DATA": str(data),
        }
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=_RUN_S, cwd=folder)
    if not out.exists():
        raise AssertionError(f"exit {done.returncode}, no JSON\n{done.stdout}\n{done.stderr}")
    return Ended(done.returncode, json.loads(out.read_text()), done.stdout, done.stderr)


def look(repo: Path) -> Checkout:
    """The checkout as it is now. git may not refresh the index while it looks."""
    refs = (line.split() for line in git(repo, "show-ref").splitlines())
    files = [path for path in sorted(repo.rglob("*")) if path.is_file() and ".git" not in path.parts]
    return Checkout(
        head=(repo / ".git" / "HEAD").read_text(),
        index=_digest(repo / ".git" / "index"),
        config=(repo / ".git" / "config").read_text(),
        status=git(repo, "--no-optional-locks", "status", "--porcelain", "--ignored"),
        stash=git(repo, "stash", "list"),
        files={p.relative_to(repo).as_posix(): (_digest(p), p.stat().st_mode, p.stat().st_mtime_ns) for p in files},
        refs={name: sha for sha, name in refs},
    )


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
