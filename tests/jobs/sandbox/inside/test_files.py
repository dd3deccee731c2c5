"""The script that handles files inside a cell, run as it is run there, on folders of this machine."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jobs.sandbox import inside

SCRIPT = Path(next(iter(inside.__path__))) / "files.py"


def run(root: Path, *ops: dict[str, Any], also: Path | None = None) -> list[dict[str, Any]]:
    request = {"root": str(root), "also": [str(also)] if also else [], "ops": list(ops)}
    command = [sys.executable, "-I", "-S", str(SCRIPT)]
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


def test_fingerprints_tell_every_kind_of_change(root: Path) -> None:
    def taken() -> dict[str, str]:
        return dict(run(root, {"op": "snapshot"})[0]["files"])

    (root / "b").write_text("b")
    before = taken()
    (root / "b").write_text("c")
    (root / "new").symlink_to("b")
    (root / "a.py").chmod(0o700)
    after = taken()
    assert {p for p in before | after if before.get(p) != after.get(p)} == {"a.py", "b", "new"}


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
