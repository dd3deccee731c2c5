"""Runs `patchwright fix` as a person would, against the scripted model endpoint."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gitrepo

from app.local.model import ScriptedEndpoint

BILLING = Path(__file__).parents[2] / "app" / "local" / "demo"
KEY = "key-of-the-scripted-model"


@dataclass(frozen=True)
class Done:
    """How the command ended: exit code, the JSON result (None if it wrote none), what it printed."""

    code: int
    result: Mapping[str, Any]
    out: str
    err: str


def billing(folder: Path, files: Mapping[str, bytes | str] | None = None) -> Path:
    """The demo's repository in `folder`, with `files` over it."""
    root = BILLING / "repository"
    own = {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file() and p.suffix != ".pyc"}
    return gitrepo.make(folder, {**own, **(files or {})})


def replies() -> list[dict[str, Any]]:
    """The demo's script: a reproducing test, the fix, a summary."""
    script: list[dict[str, Any]] = json.loads((BILLING / "model.json").read_text())
    return script


def edit(path: str, old: str, new: str) -> dict[str, Any]:
    """One reply that edits one file."""
    return {"calls": [{"name": "edit", "input": {"edits": [{"path": path, "old_string": old, "new_string": new}]}}]}


def command(*args: str, env: Mapping[str, str] | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Runs `patchwright` with `args` in a fresh process."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "app.cli", *args],
        env={**os.environ, **(env or {})},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def fix(
    repo: Path, script: Sequence[Mapping[str, Any]], work: Path, *args: str, env: Mapping[str, str] | None = None
) -> Done:
    """`patchwright fix` on `repo` with the demo's issue; data and the JSON go below `work`."""
    out = work / "out.json"
    with ScriptedEndpoint(script, key=KEY) as endpoint:
        told = {"ANTHROPIC_BASE_URL": endpoint.url, "ANTHROPIC_API_KEY": KEY, "PATCHWRIGHT_DATA": str(work / "data")}
        issue = ("--issue", str(BILLING / "issue.md"))
        done = command("fix", "--repo", str(repo), *issue, "--json", str(out), *args, env={**told, **(env or {})})
    result = json.loads(out.read_text()) if out.exists() else {}
    return Done(done.returncode, result, done.stdout, done.stderr)
