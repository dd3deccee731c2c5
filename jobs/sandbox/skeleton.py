"""A read-only .git for a cell: enough for status, log, diff, blame and version plugins, nothing to write to."""

from __future__ import annotations

from pathlib import Path

from jobs.repo.git import git, init_bare, text
from jobs.sandbox.files import open_to_read
from jobs.sandbox.view import Skeleton

__all__ = ["Skeleton", "build"]

_OBJECTS = "/opt/git"  # where the objects folders are seen inside
_TAGS = 2000
_CONFIG = "[core]\n\trepositoryformatversion = {}\n\tbare = false\n\tfilemode = true\n\tlogallrefupdates = false\n"


def build(git_dir: Path, commit: str, path: Path) -> Skeleton:
    """Makes the skeleton of `commit` of the bare repository `git_dir` in the new folder `path`.

    Raises GitError if there is no such commit.
    """
    commit = text(git_dir, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    init_bare(path)
    objects = tuple((folder, f"{_OBJECTS}/{n}") for n, folder in enumerate(_object_folders(git_dir / "objects")))
    masked = tuple(f"{inside}/info/alternates" for folder, inside in objects if (folder / "info/alternates").exists())
    git(git_dir, "read-tree", f"--index-output={path / 'index'}", commit, env={"GIT_INDEX_FILE": str(path / "index")})
    (path / "HEAD").write_text(f"{commit}\n")
    (path / "packed-refs").write_text("# pack-refs with: peeled fully-peeled sorted\n" + _tags(git_dir))
    (path / "config").write_text(_config(git_dir))
    (path / "objects/info/alternates").write_text("".join(f"{inside}\n" for _, inside in objects))
    (path / "info/exclude").write_text("")
    if (git_dir / "shallow").exists():
        (path / "shallow").write_bytes((git_dir / "shallow").read_bytes())
    open_to_read(path)
    return Skeleton(path, objects, masked)


def _object_folders(first: Path) -> list[Path]:
    """`first` and the folders it borrows from, and they from others."""
    found: list[Path] = []
    waiting = [first.resolve()]
    while waiting:
        folder = waiting.pop(0)
        if folder in found or not folder.is_dir():
            continue
        found.append(folder)
        alternates = folder / "info/alternates"
        if alternates.exists():
            lines = alternates.read_text().splitlines()
            waiting += [(folder / line).resolve() for line in lines if line and not line.startswith("#")]
    return found


def _tags(git_dir: Path) -> str:
    """Tags with what they point to, as packed-refs has them: version plugins count commits from the last one."""
    form = "%(objectname) %(refname)%(if)%(*objectname)%(then)%0a^%(*objectname)%(end)"
    rows = text(git_dir, "for-each-ref", f"--count={_TAGS}", "--sort=refname", f"--format={form}", "refs/tags")
    return f"{rows}\n" if rows else ""  # git refuses a packed-refs file with an empty line


def _config(git_dir: Path) -> str:
    if text(git_dir, "rev-parse", "--show-object-format") == "sha256":
        return _CONFIG.format(1) + "[extensions]\n\tobjectformat = sha256\n"
    return _CONFIG.format(0)
