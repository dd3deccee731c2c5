"""The script that handles files inside a cell, run as it is run there, on folders of this machine."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import gitrepo
import pytest

from jobs.sandbox import inside

SCRIPT = Path(next(iter(inside.__path__))) / "wire.py"


def run(root: Path, *ops: dict[str, Any], also: Path | None = None) -> list[dict[str, Any]]:
    request = {"root": str(root), "also": [str(also)] if also else [], "ops": list(ops)}
    command = [sys.executable, "-I", "-S", str(SCRIPT), "files"]
    done = subprocess.run(command, input=json.dumps(request).encode(), capture_output=True, check=True)
    return list(json.loads(done.stdout)["results"])


def write(root: Path, path: str, data: bytes, expect: str | None) -> dict[str, Any]:
    (row,) = run(root, {"op": "write", "path": path, "data": base64.b64encode(data).decode(), "expect": expect})
    return row


def content(root: Path, path: str) -> dict[str, Any]:
    (row,) = run(root, {"op": "show", "path": path})
    return dict(row["files"][0])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / ".git").mkdir(parents=True)
    (folder / "a.py").write_bytes(b"x = 1\r\n")
    return folder


def test_bytes_come_back_as_they_are(root: Path) -> None:
    shown = content(root, "a.py")
    assert (base64.b64decode(shown["data"]), shown["size"], shown["state"]) == (b"x = 1\r\n", 7, "text")


def test_a_write_needs_the_state_that_was_seen(root: Path) -> None:
    seen = content(root, "a.py")["sha256"]
    assert write(root, "a.py", b"x = 2\n", seen)["error"] is None
    assert write(root, "a.py", b"x = 3\n", seen)["error"] == "was changed by something else in the meantime"
    assert write(root, "a.py", b"x = 3\n", None)["error"] == "was changed by something else in the meantime"
    assert write(root, "gone.py", b"", seen)["error"] == "no longer exists"
    assert (root / "a.py").read_bytes() == b"x = 2\n"
    assert sorted(p.name for p in root.iterdir()) == [".git", "a.py"]


def test_mode_and_link_survive_a_write(root: Path) -> None:
    (root / "a.py").chmod(0o751)
    (root / "link").symlink_to("a.py")
    assert write(root, "link", b"x = 2\n", content(root, "link")["sha256"])["path"] == "a.py"
    assert (root / "link").is_symlink()
    assert (root / "a.py").stat().st_mode & 0o777 == 0o751


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (".git/config", "inside .git"),
        ("sub/.GIT/hooks/x", "inside .git"),
        ("../outside", "is outside"),
        ("/etc/passwd", "is outside"),
        ("out/x", "leads out of the tree"),
        ("gitlink/x", "inside .git"),
        ("", "the path is empty"),
    ],
)
def test_no_way_leads_out_of_the_tree(root: Path, tmp_path: Path, path: str, words: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / "out").symlink_to(tmp_path / "elsewhere")
    (root / "gitlink").symlink_to(".git")
    assert words in write(root, path, b"x", None)["error"]
    (shown,) = run(root, {"op": "show", "path": path})
    assert (shown["kind"], words in shown["error"]) == ("refused", True)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_second_folder_can_be_read_but_not_written(root: Path, tmp_path: Path) -> None:
    library = tmp_path / "env"
    library.mkdir()
    (library / "lib.py").write_text("y = 1\n")
    (row,) = run(root, {"op": "show", "path": str(library / "lib.py")}, also=library)
    assert row["files"][0]["state"] == "text"
    request = {"op": "write", "path": str(library / "lib.py"), "data": "", "expect": row["files"][0]["sha256"]}
    (refused,) = run(root, request, also=library)
    assert "is outside" in refused["error"]


def test_devices_pipes_and_unreadable_bytes_are_named(root: Path) -> None:
    subprocess.run(["mkfifo", str(root / "pipe")], check=True)
    (root / "bin").write_bytes(b"\0" * 10)
    assert [content(root, p)["state"] for p in ("pipe", "bin")] == ["special", "binary"]


def test_read_only_files_are_left_alone(root: Path) -> None:
    (root / "a.py").chmod(0o444)
    assert write(root, "a.py", b"x", content(root, "a.py")["sha256"])["error"] == "is read-only"


@pytest.mark.parametrize(
    ("name", "old", "new", "error"),
    [
        ("m.py", b"x = 1\n", b"x = (\n", "line 1: '(' was never closed"),
        ("m.py", b"x = (\n", b"x = [\n", None),
        ("m.json", b"{}", b"{", "Expecting property name"),
        ("m.toml", b"a = 1", b"a = ", "Invalid value"),
        ("m.txt", b"a", b"(", None),
        ("m.py", b"", b"(" * 10_000, "too many nested parentheses"),
    ],
)
def test_only_new_syntax_errors_are_told(root: Path, name: str, old: bytes, new: bytes, error: str | None) -> None:
    (root / name).write_bytes(old)
    told = write(root, name, new, content(root, name)["sha256"])["syntax"]
    assert told is None if error is None else error in told


def test_what_installing_left_is_not_listed_but_can_be_asked_for(root: Path) -> None:
    (root / "pkg.egg-info").mkdir()
    (root / "pkg.egg-info" / "PKG-INFO").write_text("Name: pkg\n")
    (row,) = run(root, {"op": "show", "path": "."})
    assert [f["path"] for f in row["files"]] == ["a.py"]
    assert content(root, "pkg.egg-info/PKG-INFO")["state"] == "text"


def listed(root: Path, path: str = ".") -> list[str]:
    (row,) = run(root, {"op": "show", "path": path})
    return [f["path"] for f in row["files"]]


def test_the_list_of_files_is_that_of_git(tmp_path: Path) -> None:
    root = gitrepo.make(
        tmp_path / "tree",
        {".gitignore": "*.gen\nbuild/\n", "a.py": "x\n", "kept.gen": "x\n", "gone.py": "x\n", ".ignore": "a.py\n"},
    )
    (root / "gone.py").unlink()
    gitrepo.make(root / "inner", {"other.py": "x\n"})
    for name in ("made.gen", "build/x.py", "new.py", "node_modules/m/i.js", "d/__pycache__/x.pyc", "d/e.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x\n")
    assert listed(root) == [".gitignore", ".ignore", "a.py", "d/e.py", "inner/other.py", "kept.gen", "new.py"]
    assert listed(root, "d") == ["d/e.py"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", ["a.py", "src/b.py", "src/deep/c.py"]),
        ("src/*.py", ["src/b.py"]),
        ("src/**/*.py", ["src/b.py", "src/deep/c.py"]),
        ("**/*.{ts,tsx}", ["src/u.ts", "src/v.tsx"]),
        ("src/[uv].ts*", ["src/u.ts", "src/v.tsx"]),
        ("src/[!u].ts?", ["src/v.tsx"]),
        ("./src/**", ["src/b.py", "src/deep/c.py", "src/u.ts", "src/v.tsx"]),
    ],
)
def test_globs_mean_what_they_mean_to_people(root: Path, pattern: str, found: list[str]) -> None:
    (root / "src/deep").mkdir(parents=True)
    for name in ("src/b.py", "src/deep/c.py", "src/u.ts", "src/v.tsx"):
        (root / name).write_text("x\n")
    assert listed(root, pattern) == found


def test_a_glob_reads_a_bounded_part_and_names_the_rest(root: Path) -> None:
    for n in range(5):
        (root / f"m{n}.txt").write_text("x\n")
    (root / "uv.lock").write_text("x\n")
    (row,) = run(root, {"op": "show", "path": "*.{txt,lock}", "limit": 3, "skip": [".lock"]})
    assert [f["state"] for f in row["files"]] == ["text", "text", "text", "unread", "unread", "lock"]


def test_a_new_file_that_git_ignores_is_told(tmp_path: Path) -> None:
    root = gitrepo.make(tmp_path / "tree", {".gitignore": "build/\n", "build/kept.py": "x\n"})
    assert [write(root, path, b"x\n", None)["ignored"] for path in ("build/x.py", "src/x.py")] == [True, False]


def test_text_of_every_kind_survives_the_wire(root: Path) -> None:
    path = 'a "b" \\ \n \u2028 \U0001f600 é.py'
    (root / path).write_text("x = 1\n")
    assert content(root, path)["path"] == path
    assert json.dumps(write(root, "new/é.json", b"{", None)["syntax"]).startswith('"Expecting')


def test_lines_of_very_many_files_are_guessed_and_said_to_be(root: Path) -> None:
    for n in range(4001):
        (root / f"f{n:04}").write_text("line\n" * 9)
    (row,) = run(root, {"op": "show", "path": "."})
    assert [(f["lines"], f["counted"]) for f in (row["files"][0], row["files"][-1])] == [(1, True), (2, False)]
    assert len(row["files"]) == 4002


def test_a_path_with_a_line_number_finds_its_file(root: Path) -> None:
    (row,) = run(root, {"op": "show", "path": "lib/a.py:12"})
    assert row["near"] == ["a.py"]
