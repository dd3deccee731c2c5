from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobs.sandbox import files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "d").mkdir(parents=True)
    (folder / "d/plain").write_text("inside")
    (tmp_path / "secret").write_text("outside")
    return folder


def test_a_plain_file_is_read(root: Path) -> None:
    assert files.read_inside(root, "d/plain") == b"inside"


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "", ".", "d", "d/plain\0", "d/none", "d/plain/x"])
def test_names_that_lead_elsewhere_or_nowhere_are_refused(root: Path, name: str) -> None:
    with pytest.raises(OSError, match=r"."):
        files.read_inside(root, name)


@pytest.mark.timeout(10)
@pytest.mark.parametrize("kind", ["link", "folder link", "pipe", "hard link", "large", "device link"])
def test_what_is_no_plain_file_is_refused(root: Path, kind: str) -> None:
    place = root / "x"
    name = "x"
    if kind == "link":
        place.symlink_to(root.parent / "secret")
    elif kind == "folder link":
        place.symlink_to(root.parent)
        name = "x/secret"
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "hard link":
        os.link(root.parent / "secret", place)
    elif kind == "large":
        with place.open("wb") as file:
            file.truncate(5 << 30)
    else:
        place.symlink_to("/dev/zero")
    with pytest.raises(OSError, match=r"."):
        files.read_inside(root, name)


def test_what_is_taken_back_is_readable_and_harmless(root: Path, tmp_path: Path) -> None:
    (root / "locked").mkdir()
    (root / "locked/tool").write_text("#!/bin/sh\n")
    (root / "locked/tool").chmod(0o6711)
    (root / "locked").chmod(0o000)
    os.mkfifo(root / "pipe")
    (root / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "secret").chmod(0o600)
    files.take_back(root, os.geteuid(), os.getegid())
    modes = {str(path.relative_to(root)): oct(path.lstat().st_mode) for path in sorted(root.rglob("*"))}
    assert modes == {
        "d": "0o40755",
        "d/plain": "0o100644",
        "link": "0o120777",
        "locked": "0o40755",
        "locked/tool": "0o100755",
    }
    assert oct((tmp_path / "secret").stat().st_mode) == "0o100600"


def test_hostile_trees_are_cleared_and_what_they_point_to_stays(root: Path, tmp_path: Path) -> None:
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "d").chmod(0)
    deep = os.open(root, os.O_RDONLY)
    for _ in range(1500):  # deeper than a path may be long
        os.mkdir("deep", dir_fd=deep)
        inner = os.open("deep", os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = inner
    os.close(deep)
    files.disk_usage(root)
    files.clear(root)
    assert not root.exists()
    assert (tmp_path / "secret").read_text() == "outside"
    files.clear(root)


def test_a_link_is_cleared_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    files.clear(tmp_path / "link")
    assert not (tmp_path / "link").is_symlink()
    assert (root / "d/plain").exists()


def test_usage_counts_bytes_and_entries(root: Path) -> None:
    (root / "data").write_bytes(b"x" * 100_000)
    size, entries = files.disk_usage(root)
    assert 100_000 <= size < 200_000
    assert entries == 3
