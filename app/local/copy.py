"""A copy of a person's work tree for single commands: tracked files, and untracked ones that are not ignored."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from jobs.repo.git import git
from jobs.repo.local import LocalRepository


@dataclass(frozen=True)
class Copy:
    """`folder` holds the copy; `before` the fingerprint of each copied file."""

    source: Path
    folder: Path
    before: Mapping[str, str]

    def write_back(self) -> tuple[str, ...]:
        """Brings files that changed in the copy back to the source; the changed paths."""
        after = {path: _fingerprint(self.folder / path) for path in _walk(self.folder)}
        changed = sorted(p for p in {*self.before, *after} if self.before.get(p) != after.get(p))
        for path in changed:
            target = self.source / path
            if path not in after:
                target.unlink(missing_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)  # the new file is ours to make, whatever the old one was linked to
            shutil.copy2(self.folder / path, target, follow_symlinks=False)
            if os.geteuid() == 0:
                owner = self.source.stat()
                os.chown(target, owner.st_uid, owner.st_gid, follow_symlinks=False)
        return tuple(changed)


@contextmanager
def copied(repository: LocalRepository, data: Path) -> Iterator[Copy]:
    """A copy below `data`, removed at the end."""
    data.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="copy-", dir=data))
    tree = folder / "tree"
    tree.mkdir()
    try:
        for path in _listed(repository):
            target = tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(repository.top / path, target, follow_symlinks=False)
        yield Copy(repository.top, tree, {path: _fingerprint(tree / path) for path in _walk(tree)})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _listed(repository: LocalRepository) -> Iterator[str]:
    out = git(
        repository.git_dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard",
        env={"GIT_WORK_TREE": str(repository.top)}, cwd=repository.top,
    )  # fmt: skip
    for path in dict.fromkeys(os.fsdecode(name) for name in out.split(b"\0") if name):
        place = repository.top / path
        if place.is_symlink() or place.is_file():  # a deleted file, or a submodule's folder, is not copied
            yield path


def _walk(folder: Path) -> Iterator[str]:
    for top, folders, names, _ in os.fwalk(folder, follow_symlinks=False):
        folders[:] = [name for name in folders if name not in (".git", "__pycache__")]
        links = [name for name in folders if (Path(top) / name).is_symlink()]
        for name in [*names, *links]:
            yield str((Path(top) / name).relative_to(folder))


def _fingerprint(path: Path) -> str:
    if path.is_symlink():
        return f"link {path.readlink()}"
    if not path.is_file():
        return "special"
    return f"{path.stat().st_mode & 0o111:o} {sha256(path.read_bytes()).hexdigest()}"
