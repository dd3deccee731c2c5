"""A person's repository for tests: real git, made the way people make it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path


def run(folder: Path, *args: str, stdin: bytes | None = None) -> str:
    """Runs git in `folder` as a person would and returns its stripped output."""
    done = subprocess.run(["git", *args], cwd=folder, input=stdin, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def make(folder: Path, files: Mapping[str, bytes | str], message: str = "Start") -> Path:
    """A repository at `folder` on branch main with one commit holding `files`."""
    folder.mkdir(parents=True, exist_ok=True)
    run(folder, "init", "--quiet", "-b", "main")
    return commit(folder, files, message)


def commit(folder: Path, files: Mapping[str, bytes | str], message: str = "Change") -> Path:
    """Writes `files` and commits everything."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    run(folder, "-c", "core.autocrlf=false", "add", "-A", "--force")
    run(folder, "-c", "user.name=T", "-c", "user.email=t@example.invalid", "commit", "--quiet", "-m", message)
    return folder
