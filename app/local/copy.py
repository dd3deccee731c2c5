"""A copy of a person's work tree for single commands: tracked files, and untracked ones that are not ignored."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from jobs.errors import UserError
from jobs.repo.git import git
from jobs.repo.local import LocalRepository


@dataclass(frozen=True)
class Copy:
    """`folder` holds the copy of `repository`; `before` is the state of each copied file by its path."""

    repository: LocalRepository
    folder: Path
    before: Mapping[str, str]


@contextmanager
def copied(repository: LocalRepository, data: Path) -> Iterator[Copy]:
    """A copy below `data`, removed at the end. Raises UserError for a file that can't be read."""
    data.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="copy-", dir=data))
    tree = folder / "tree"
    tree.mkdir()
    try:
        listed = [path for path in _listed(repository) if _copy(repository.top / path, tree / path)]
        states = {path: state(tree, path) for path in listed}
        yield Copy(repository, tree, {path: known for path, known in states.items() if known is not None})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def state(tree: Path, path: str) -> str | None:
    """What stands at `path` below `tree`: the content and who may run it, or where a link leads, as a short text. None
    where there is neither file nor link, or a link leads on the way there."""
    place = tree / path
    if not plain(tree, path):
        return None
    try:
        mode = place.lstat().st_mode
    except OSError:
        return None
    if stat.S_ISLNK(mode):
        return f"link {place.readlink()}"
    if stat.S_ISREG(mode):
        return f"{mode & 0o111:o} {sha256(place.read_bytes()).hexdigest()}"
    return None if stat.S_ISDIR(mode) else "special"


def plain(tree: Path, path: str) -> bool:
    """Whether every folder from `tree` to `path` that is there is a folder of its own, and no link."""
    above = [tree / folder for folder in Path(path).parents if folder != Path()]
    return not any(folder.is_symlink() or (folder.exists() and not folder.is_dir()) for folder in above)


def _listed(repository: LocalRepository) -> Iterator[str]:
    out = git(
        repository.git_dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard",
        env={"GIT_WORK_TREE": str(repository.top)}, cwd=repository.top,
    )  # fmt: skip
    for path in dict.fromkeys(os.fsdecode(name) for name in out.split(b"\0") if name):
        place = repository.top / path
        if place.is_symlink() or place.is_file():  # a deleted file, or a submodule's folder, is not copied
            yield path


def _copy(source: Path, target: Path) -> bool:
    """Copies one file or link; False if it has gone."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copy2(source, target, follow_symlinks=False)
    except FileNotFoundError:
        return False
    except PermissionError as wrong:
        if wrong.filename != str(source):
            raise
        sentence = f"{source} can't be read: make it readable, or leave it out with .gitignore."
        raise UserError(sentence) from None
    return True
