from __future__ import annotations

import subprocess
from pathlib import Path

import gitrepo
import pytest

from jobs.repo.git import GitError
from jobs.sandbox import skeleton
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells
from jobs.sandbox.view import Skeleton


def run(*argv: str, cwd: Path) -> None:
    subprocess.run(["git", "-c", "init.defaultBranch=main", *argv], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def job_git(tmp_path: Path) -> Path:
    """A bare repository that borrows its objects from another one, with two commits and a tag."""
    work = tmp_path / "work"
    work.mkdir()
    run("init", "-q", cwd=work)
    (work / "a.txt").write_text("one\n")
    (work / "b.txt").write_bytes(b"windows\r\n")
    (work / ".gitattributes").write_text("*.txt text eol=crlf filter=lfs\n")
    run("add", ".", cwd=work)
    run("-c", "core.autocrlf=false", "commit", "-qm", "first", cwd=work)
    run("tag", "-am", "release", "v1.2", cwd=work)
    (work / "a.txt").write_text("one\ntwo\n")
    run("commit", "-qam", "second", cwd=work)
    run("clone", "-q", "--bare", str(work), str(tmp_path / "mirror.git"), cwd=tmp_path)
    run("clone", "-q", "--bare", "--shared", str(tmp_path / "mirror.git"), str(tmp_path / "job.git"), cwd=tmp_path)
    return tmp_path / "job.git"


@pytest.fixture
def made(job_git: Path, tmp_path: Path) -> Skeleton:
    return skeleton.build(job_git, "HEAD", tmp_path / "skeleton")


@pytest.fixture
def checkout(cells: Cells, tree: Path, job_git: Path) -> Path:
    """The commit's very bytes."""
    for name in ("a.txt", "b.txt", ".gitattributes"):
        blob = subprocess.run(["git", "cat-file", "blob", f"HEAD:{name}"], cwd=job_git, capture_output=True, check=True)
        (tree / name).write_bytes(blob.stdout)
    cells.own(tree)
    return tree


def test_reading_commands_work(cells: Cells, made: Skeleton, checkout: Path) -> None:
    cell = cells.on(checkout, git=made)
    clean = cell.run(Command.shell("git status --short && git log --format=%s && git describe"))
    assert clean.text.splitlines()[:3] == ["second", "first", clean.text.splitlines()[2]]
    assert clean.text.splitlines()[2].startswith("v1.2-1-g")
    (checkout / "a.txt").write_text("one\ntwo\nthree\n")
    assert cell.run(Command.shell("git status --short")).text == " M a.txt\n"
    assert "+three" in cell.run(Command.shell("git diff")).text
    assert len(cell.run(Command.shell("git blame a.txt")).text.splitlines()) == 3


@pytest.mark.parametrize(
    "line",
    [
        "git commit -qam x",
        "git config a.b c",
        "git branch x",
        "git checkout -q v1.2",
        "git stash",
        "touch .git/x",
        "mv .git x",
    ],
)
def test_writing_commands_fail(cells: Cells, made: Skeleton, checkout: Path, line: str) -> None:
    before = {path: path.read_bytes() for path in made.path.rglob("*") if path.is_file()}
    assert cells.on(checkout, git=made).run(Command.shell(f"echo x >> a.txt; {line}")).exit_code != 0
    assert {path: path.read_bytes() for path in made.path.rglob("*") if path.is_file()} == before


def test_no_path_of_this_machine_shows(cells: Cells, made: Skeleton, checkout: Path, tmp_path: Path) -> None:
    line = "git log -1; git status; cat /opt/git/*/info/alternates .git/objects/info/alternates; ls -R .git"
    result = cells.on(checkout, git=made).run(Command.shell(line))
    assert str(tmp_path) not in result.text
    assert "warning" not in result.text


def test_an_unknown_commit_is_said_so(job_git: Path, tmp_path: Path) -> None:
    with pytest.raises(GitError):
        skeleton.build(job_git, "0" * 40, tmp_path / "none")


def test_a_repository_without_tags_can_be_read(cells: Cells, tree: Path, tmp_path: Path) -> None:
    person = gitrepo.make(tmp_path / "person", {"a.txt": "1\n"})
    plain = skeleton.build(person / ".git", "HEAD", tmp_path / "skeleton")
    done = cells.on(tree, git=plain).run(Command.shell("git log --format=%s"))
    assert (done.exit_code, done.text) == (0, "Start\n")
