"""A checkout that serves again: nothing that one run left in it is there for the next, however well it was hidden."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import gitrepo
import pytest

from jobs.repo.workspace import Workspace
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells

FILES = {
    "app.py": "x = 1\n", "a/f.py": "A = 1\n", "b/f.py": "B = 2\n", "run.sh": "echo 1\n", ".gitignore": "*.log\n",
    "deep/er/est.py": "y = 3\n",
}  # fmt: skip
PYTHON = "/opt/patchwright/bin/python3"
# What is left, by a line of the shell. Sizes and times stay as they were wherever a command can make them so.
LEFT = {
    "same size, same time": "cp -p app.py /tmp/t; printf 'x = 9\\n' > app.py; touch -r /tmp/t app.py",
    "written in place": "cp -p app.py /tmp/t; printf 9 | dd of=app.py bs=1 seek=4 conv=notrunc; touch -r /tmp/t app.py",
    "written in memory": (
        f"{PYTHON} -c \"import mmap, os; f = os.open('app.py', os.O_RDWR); s = os.stat(f);"
        " m = mmap.mmap(f, 0); m[4:5] = b'9'; m.flush(); os.utime('app.py', ns=(s.st_atime_ns, s.st_mtime_ns))\""
    ),
    "files that changed places": "mv a/f.py t; mv b/f.py a/f.py; mv t b/f.py",
    "folders that changed places": "mv a t; mv b a; mv t b",
    "one file under two names": "ln -f a/f.py b/f.py; ln app.py other.py",
    "a folder that is a link": "mv a z; ln -s z a; rm -rf b deep; ln -s /etc b; ln -s / deep",
    "a file that is a link": "rm app.py; ln -s /etc/passwd app.py; ln -sf a/f.py run.sh",
    "files that are ignored": "echo '*' >> .gitignore; mkdir -p .git/hooks node_modules/.bin __pycache__;"
    " echo x > a.log; echo x > node_modules/.bin/pytest; echo x > __pycache__/app.pyc; echo x > sitecustomize.py",
    "modes": "chmod 777 app.py run.sh a; chmod 4755 b/f.py; chmod 0 deep/er b; chmod 2777 .",
    "access lists": (
        f"{PYTHON} -c \"import os; os.setxattr('a', 'user.x', b'1'); os.setxattr('app.py', 'user.x', b'1')\"; "
        "command -v setfacl >/dev/null && setfacl -d -m o::rwx a; true"
    ),
    "pipes and sockets": f"rm run.sh; mkfifo a/p run.sh; {PYTHON} -c \"import socket; socket.socket(1).bind('s')\"",
    "a repository": "mkdir -p a/.git b/.GIT; printf '[core]\\nfsmonitor = x\\n' > a/.git/config; git init -q n",
    "too deep a tree": f"{PYTHON} -c \"import os\nfor _ in range(1100): os.mkdir('d'); os.chdir('d')\"",
    "nothing at all": "rm -rf ./* ./.[a-fh-z]* .gitignore",
}  # fmt: skip


def seen(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and content of everything below a folder, extended attributes of names included."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        attributes = sorted(os.listxattr(path, follow_symlinks=False))
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[f"{path.relative_to(folder)} {attributes}"] = (status.st_mode, content)
    found.pop(".git []", None)  # where a cell has its own
    return found


@pytest.fixture
def pooled(tmp_path: Path, cells: Cells) -> Workspace:
    """A run whose checkouts are kept, for the user of the cells."""
    repo = gitrepo.make(tmp_path / "repo", FILES)
    head = gitrepo.run(repo, "rev-parse", "HEAD")
    return Workspace(tmp_path / "run", repo / ".git/objects", head, tmp_path / "pool", cells.owner)


@pytest.mark.threat(48, 51, 63)
@pytest.mark.parametrize("name", LEFT)
def test_the_next_run_gets_the_tree_and_nothing_else(pooled: Workspace, cells: Cells, name: str) -> None:
    with pooled.fresh(pooled.base) as clean:
        expected = seen(clean)
    with pooled.checkout(pooled.base) as folder:
        first = folder
        assert seen(folder) == expected
        cells.on(folder).run(Command.shell(f"umask 0; {LEFT[name]}"))
        if name not in ("access lists",):
            assert not_as(folder, expected), "nothing was left: it shows nothing"
    with pooled.checkout(pooled.base) as folder:
        assert folder == first, "another folder: it shows nothing"
        assert seen(folder) == expected
        assert folder.stat().st_mode & 0o7777 == 0o755
        assert {path.lstat().st_uid for path in (folder, *folder.rglob("*"))} == {cells.uid}
        assert pooled.harvest(folder, None).tree == pooled.base


def not_as(folder: Path, expected: dict[str, tuple[int, bytes]]) -> bool:
    """Whether a folder is no longer what was expected; it may be too deep to be read."""
    try:
        return seen(folder) != expected
    except (OSError, RecursionError):
        return True


@pytest.mark.threat(48, 63)
def test_two_runs_at_once_never_share_a_checkout(pooled: Workspace) -> None:
    with pooled.checkout(pooled.base) as one, pooled.checkout(pooled.base) as other:
        assert one != other
        (one / "planted.py").write_text("x")
        assert not (other / "planted.py").exists()


@pytest.mark.threat(60, 63)
def test_another_repository_never_gets_the_checkout(pooled: Workspace, cells: Cells, tmp_path: Path) -> None:
    repo = gitrepo.make(tmp_path / "stranger", FILES)
    head = gitrepo.run(repo, "rev-parse", "HEAD")
    stranger = Workspace(tmp_path / "run-2", repo / ".git/objects", head, tmp_path / "pool", cells.owner)
    with pooled.checkout(pooled.base) as own:
        pass
    with stranger.checkout(stranger.base) as theirs:
        assert own != theirs
        assert own.parent.parent != theirs.parent.parent
