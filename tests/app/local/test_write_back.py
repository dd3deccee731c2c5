"""`patchwright tool`: what comes back to a person's work tree is what the tool changed, and nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gitrepo
import pytest
from scripted_fix import command

from app.local.copy import Copy, copied
from app.local.write_back import write_back
from jobs.repo.local import find

PROJECT = {
    "pyproject.toml": '[project]\nname = "tally"\nversion = "1"\n',
    "tally.py": "def add(a, b):\n    return a - b\n",
    "test_tally.py": (
        "import unittest\n\nfrom tally import add\n\n\nclass AddTest(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n"
    ),
    "docs/old.txt": "old\n",
    "run.sh": "echo run\n",
    "keep.txt": "keep\n",
    ".gitignore": "build/\n.env\n",
    ".github/patchwright.yml": (
        'setup: ["mkdir tally.egg-info generated", "echo 1 | tee tally.egg-info/PKG-INFO generated/version.txt"]\n'
        'test: "python3 -m unittest"\n'
    ),
}


def everything(folder: Path) -> dict[str, str]:
    """Every file and link of a work tree with its content or target, git's own left out."""
    return {
        str(path.relative_to(folder)): f"-> {path.readlink()}" if path.is_symlink() else path.read_text()
        for path in folder.rglob("*")
        if ".git" not in path.relative_to(folder).parts and (path.is_symlink() or path.is_file())
    }


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    made = gitrepo.make(tmp_path / "repo", PROJECT)
    (made / ".env").write_text("SECRET=mine\n")
    (made / "link").symlink_to("keep.txt")
    return made


@pytest.fixture
def copy(repo: Path, tmp_path: Path) -> Any:
    with copied(find(repo), tmp_path / "data") as made:
        yield made


def call(repo: Path, name: str, **args: Any) -> tuple[dict[str, Any], str]:
    """The tool's result and what was told beside it."""
    data = {"PATCHWRIGHT_DATA": str(repo.parent / "data")}
    done = command("tool", name, "--repo", str(repo), env=data, stdin=json.dumps(args))
    assert done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (0 if result["ok"] else 1)
    return result, done.stderr


def test_what_set_up_and_test_runs_leave_stays_out(repo: Path) -> None:
    before = everything(repo)
    seen, _ = call(repo, "shell", command="ls -a . tally.egg-info; cat generated/version.txt")
    assert "PKG-INFO" in seen["content"], "set-up ran"
    assert seen["changed_files"] == []
    tested, _ = call(repo, "run_tests")
    assert "test_add" in tested["content"]
    assert tested["changed_files"] == []
    line = (
        "echo 2 > generated/version.txt; mkdir .pytest_cache new.egg-info; touch .pytest_cache/x new.egg-info/y a.pyc"
    )
    rubbed, _ = call(repo, "shell", command=line)
    assert rubbed["changed_files"] == []
    assert everything(repo) == before


def test_changes_deletions_modes_and_links_come_back(repo: Path) -> None:
    before = everything(repo)
    line = (
        "sed -i 's/a - b/a + b/' tally.py; rm -r docs; chmod +x run.sh; ln -sf tally.py link; mkdir -p pkg/deep; "
        "echo new > pkg/deep/new.txt; rm keep.txt; mkdir keep.txt; echo in > keep.txt/in; mkdir build; echo o > build/o"
    )
    done, told = call(repo, "shell", command=line)
    assert done["ok"], done["error"]
    changed = ["docs/old.txt", "keep.txt", "keep.txt/in", "link", "pkg/deep/new.txt", "run.sh", "tally.py"]
    assert done["changed_files"] == changed
    assert "not written back, since git ignores it: build/o" in told
    gone = {path: text for path, text in before.items() if path not in ("docs/old.txt", "keep.txt")}
    new = {"tally.py": "def add(a, b):\n    return a + b\n", "link": "-> tally.py"}
    assert everything(repo) == {**gone, **new, "keep.txt/in": "in\n", "pkg/deep/new.txt": "new\n"}
    assert (repo / "run.sh").stat().st_mode & 0o111
    assert not (repo / "docs").exists()
    back, _ = call(repo, "shell", command="rm -r keep.txt; echo file > keep.txt; chmod -x run.sh")
    assert back["changed_files"] == ["keep.txt", "keep.txt/in", "run.sh"]
    assert (repo / "keep.txt").read_text() == "file\n"
    assert not (repo / "run.sh").stat().st_mode & 0o111


def test_an_ignored_file_that_the_tool_has_not_seen_is_never_replaced(repo: Path) -> None:
    result, _ = call(
        repo, "write_file", files=[{"path": ".env", "content": "A=1\n"}, {"path": "b.txt", "content": "b\n"}]
    )
    assert result["ok"] is False
    assert result["changed_files"] == ["b.txt"]
    assert ".env was not written back: a file stands there that git ignores" in result["error"]
    assert (repo / ".env").read_text() == "SECRET=mine\n"
    assert (repo / "b.txt").read_text() == "b\n"


def test_a_name_that_is_no_text_comes_back_too(repo: Path) -> None:
    done, _ = call(repo, "shell", command="printf x > \"$(printf 'caf\\351')\"")
    assert [os.fsencode(path) for path in done["changed_files"]] == [b"caf\xe9"]
    assert Path(os.fsdecode(os.fsencode(repo) + b"/caf\xe9")).read_text() == "x"


def test_a_file_that_the_person_changed_meanwhile_stays_as_it_is(repo: Path, copy: Copy) -> None:
    for name in ("tally.py", "keep.txt", "run.sh"):
        (copy.folder / name).write_text("tool\n")
    (copy.folder / "docs/old.txt").unlink()
    (repo / "tally.py").write_text("person\n")
    (repo / "keep.txt").write_text("tool\n")  # to the same
    (repo / "docs/old.txt").write_text("person\n")
    back = write_back(copy, ("tally.py", "keep.txt", "run.sh", "docs/old.txt"), None, named=True)
    assert back.written == ("keep.txt", "run.sh")
    assert dict.fromkeys(back.refused.values()) == {"it was changed there while the tool ran": None}
    assert [(repo / name).read_text() for name in ("tally.py", "docs/old.txt", "run.sh")] == ["person\n"] * 2 + [
        "tool\n"
    ]


def test_modes_of_a_person_are_kept_but_for_who_may_run_it(repo: Path, tmp_path: Path) -> None:
    (repo / "tally.py").chmod(0o640)
    (repo / "run.sh").chmod(0o600)
    with copied(find(repo), tmp_path / "data") as copy:
        (copy.folder / "tally.py").write_text("new\n")
        (copy.folder / "tally.py").chmod(0o666)
        (copy.folder / "run.sh").chmod(0o755)
        assert write_back(copy, (), None, named=False).written == ("run.sh", "tally.py")
    assert [(repo / name).stat().st_mode & 0o777 for name in ("tally.py", "run.sh")] == [0o640, 0o700]


@pytest.mark.parametrize(
    ("link", "path"),
    [("docs", "docs/passwd"), (None, "../outside.txt"), (None, "/tmp/outside.txt"), (None, ".git/config")],
)
def test_nothing_is_written_outside_the_work_tree(repo: Path, tmp_path: Path, link: str | None, path: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with copied(find(repo), tmp_path / "data") as copy:
        if link:  # the person's folder becomes a link while the tool runs
            (copy.folder / path).write_text("tool\n")
            (repo / link / "old.txt").unlink()
            (repo / link).rmdir()
            (repo / link).symlink_to(outside)
        head = (repo / ".git" / "config").read_text()
        back = write_back(copy, (path,), None, named=True)
    assert back.written == ()
    assert list(outside.iterdir()) == []
    assert not (tmp_path / "outside.txt").exists()
    assert (repo / ".git" / "config").read_text() == head


def test_a_special_file_is_told_and_left(copy: Copy) -> None:
    os.mkfifo(copy.folder / "pipe")
    back = write_back(copy, ("pipe",), None, named=False)
    assert back.refused == {"pipe": "it is neither a file nor a link"}


def test_a_link_to_elsewhere_is_copied_as_a_link(repo: Path, tmp_path: Path) -> None:
    (repo / "away").symlink_to("/etc/hostname")
    with copied(find(repo), tmp_path / "data") as copy:
        states: Mapping[str, str] = copy.before
        assert states["away"] == "link /etc/hostname"
        assert write_back(copy, ("away",), None, named=False).written == ()
