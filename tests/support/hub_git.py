"""A plain git client of the hub's tests: a clone with its token in the address, as a person would do it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from app.local.hub.server import Hub


@dataclass(frozen=True)
class Clone:
    """A work tree. `run` returns the finished command, whatever its exit."""

    path: Path

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        """git with `args` in the work tree."""
        return subprocess.run(["git", *args], cwd=self.path, capture_output=True, text=True, timeout=60, check=False)

    def commit(self, name: str, content: str) -> str:
        """Commits one file; the commit's id."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
        assert self.run("add", "-A").returncode == 0
        assert self.run("commit", "-q", "-m", f"Change {name}").returncode == 0
        return self.run("rev-parse", "HEAD").stdout.strip()


def address(hub: Hub, full_name: str, token: str) -> str:
    """The repository's address with a token in it."""
    return f"{hub.url.replace('://', f'://x-access-token:{token}@')}/{full_name}.git"


def clone(hub: Hub, full_name: str, token: str, path: Path) -> Clone:
    """A fresh clone."""
    command = ["git", "clone", "-q", address(hub, full_name, token), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return Clone(path)
