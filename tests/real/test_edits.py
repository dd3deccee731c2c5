"""The material for real projects is cut right: edits, counts and archives."""

from __future__ import annotations

import hashlib
import tarfile
from pathlib import Path

import pytest
from real_archives import Archive, fetch, unpack
from real_edits import Edit, cut, reverse
from real_hand import count

OLD = "a\nx\nb\n\ndef one():\n    pass\n\ndef two():\n    pass\n"
NEW = "a\ny\nb\n\ndef one():\n    return 1\n\ndef two():\n    return 2\n\ndef three():\n    pass\n"


def write(root: Path, text: str) -> Path:
    file = root / "file.py"
    file.write_bytes(text.encode())
    return file


def test_edits_turn_the_old_file_into_the_new_one(tmp_path: Path) -> None:
    file = write(tmp_path, OLD)
    for edit in cut("file.py", OLD, NEW):
        edit.apply(tmp_path)
    assert file.read_text() == NEW


def test_reversed_edits_undo_them(tmp_path: Path) -> None:
    file = write(tmp_path, NEW)
    for edit in reverse(cut("file.py", OLD, NEW)):
        edit.apply(tmp_path)
    assert file.read_text() == OLD


def test_fragments_choose_hunks(tmp_path: Path) -> None:
    file = write(tmp_path, OLD)
    for edit in cut("file.py", OLD, NEW, ["return 1"]):
        edit.apply(tmp_path)
    assert file.read_text() == OLD.replace("pass", "return 1", 1)


@pytest.mark.parametrize("text", ["one\r\ntwo\r\n", "one\n\ftwo", "é\u2028\n"])
def test_every_byte_of_an_edited_file_is_kept(tmp_path: Path, text: str) -> None:
    file = write(tmp_path, text)
    new = text + "more\n"
    for edit in cut("file.py", text, new):
        edit.apply(tmp_path)
    assert file.read_bytes() == new.encode()


def test_an_edit_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "pass\npass\n")
    with pytest.raises(ValueError, match="there 2 times"):
        Edit("file.py", "pass", "fail").apply(tmp_path)


@pytest.mark.parametrize(
    ("runner", "output", "expected"),
    [
        ("pytest", "== 2 failed, 7 passed, 1 skipped, 1 xfailed, 3 warnings, 1 error in 1.66s ==", [7, 2, 1, 2]),
        ("pytest", "3 passed in 0.1s", [3, 0, 0, 0]),
        ("pytest", "== 720 passed in 61.66s (0:01:01) ==", [720, 0, 0, 0]),
        ("unittest", "Ran 3 tests in 0.1s\n\nOK\n", [3, 0, 0, 0]),
        (
            "unittest",
            "test_c (m.C.test_c) ... skipped 'why'\nsetUpModule (n) ... skipped 'why'\n"
            "FAIL: test_a (m.C.test_a) (n=1)\nFAIL: test_a (m.C.test_a) (n=2)\nERROR: test_b (m.C.test_b)\n"
            "Ran 5 tests in 0.1s\n\nFAILED (failures=2, errors=1, skipped=2)\n",
            [2, 1, 1, 2],
        ),
        ("mocha", "\n  77 passing (20ms)\n  2 pending\n  1 failing\n\n  1) first\n", [77, 1, 0, 2]),
    ],
)
def test_closing_words_are_counted(runner: str, output: str, expected: list[int]) -> None:
    assert list(count(runner, output).values()) == expected


def test_an_archive_with_other_bytes_is_refused(tmp_path: Path) -> None:
    archive = Archive("python", "some", "1.0", "0" * 64, kept=tmp_path)
    archive.path.write_bytes(b"not what was published")
    with pytest.raises(ValueError, match=r"some 1\.0: sha256 is"):
        fetch(archive)
    assert not archive.path.exists()


def test_unpacking_leaves_out_what_a_build_made(tmp_path: Path) -> None:
    source = tmp_path / "some-1.0"
    (source / "some.egg-info").mkdir(parents=True)
    for name in ("PKG-INFO", "some.py", "some.egg-info/SOURCES.txt"):
        (source / name).write_text("text\n")
    packed = tmp_path / "packed.tar.gz"
    with tarfile.open(packed, "w:gz") as tar:
        tar.add(source, "some-1.0")
    digest = hashlib.sha256(packed.read_bytes()).hexdigest()
    archive = Archive("python", "some", "1.0", digest, kept=tmp_path)
    packed.rename(archive.path)
    tree = unpack(archive, tmp_path / "tree")
    assert [p.relative_to(tree).as_posix() for p in tree.rglob("*")] == ["some.py"]
