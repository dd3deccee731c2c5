"""A person's repository of odd files, workspaces of it with a pool beside them, and what stands in a checkout."""

from __future__ import annotations

import os
import stat
from contextlib import AbstractContextManager
from pathlib import Path

import gitrepo

from jobs.repo.local import find
from jobs.repo.workspace import Workspace, open_workspace

FILES = {
    "a.py": "x = 1\n",
    "deep/b.txt": b"a\r\nb\r\n",
    "deep/er/c.bin": bytes(range(256)),
    "run.sh": "#!/bin/sh\n",
    'odd "n\name/ü.txt': "u\n",
    ".gitignore": "out/\n",
}


def person_at(folder: Path) -> Path:
    """The repository, made at `folder`."""
    made = gitrepo.make(folder, FILES)
    (made / "run.sh").chmod(0o755)
    (made / "link").symlink_to("a.py")
    gitrepo.commit(made, {})
    return made


def workspace(person: Path, folder: Path, owner: tuple[int, int] | None = None) -> AbstractContextManager[Workspace]:
    repository = find(person)
    return open_workspace(folder / "runs", "r", repository.objects, repository.resolve("HEAD"), owner=owner)


def state(folder: Path) -> dict[str, object]:
    """Every path with its mode and content."""
    found: dict[str, object] = {}
    for top, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(top, name)
            info = path.lstat()
            content = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[str(path.relative_to(folder))] = (stat.S_IMODE(info.st_mode), stat.S_IFMT(info.st_mode), content)
    return found
