"""What is read of a tree from outside, between two commands."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from jobs.sandbox import files
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells

Maker = Callable[[dict[str, str]], Path]


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("true", set()),
        ("cat a.txt b/c.txt", set()),
        ("echo HELLO > a.txt", {"a.txt"}),
        ("touch -r a.txt stamp; echo HELLO > a.txt; touch -r stamp a.txt; rm stamp", {"a.txt"}),
        ("chmod +x a.txt", {"a.txt"}),
        ("mv b/c.txt b/d.txt", {"b/c.txt", "b/d.txt"}),
        ("ln -s /etc/passwd link", {"link"}),
        ("mkdir -p node_modules x/__pycache__; echo > node_modules/m; echo > x/__pycache__/p", set()),
    ],
)
def test_every_kind_of_change_is_seen_and_nothing_else(
    cells: Cells, make_tree: Maker, line: str, changed: set[str]
) -> None:
    cell = cells.on(make_tree({"a.txt": "hello\n", "b/c.txt": "there\n"}))
    before = cell.fingerprints()
    assert cell.run(Command.shell(line)).ok
    after = cell.fingerprints()
    assert {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)} == changed


def test_links_are_not_followed_and_files_outside_are_not_named(cells: Cells, tree: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("secret")
    cell = cells.on(tree)
    cell.run(Command.shell(f"ln -s {tmp_path}/outside folder; ln -s {tmp_path}/outside/secret file"))
    assert set(cell.fingerprints()) == {"folder", "file"}
    assert [cell.read(path) for path in ("folder/secret", "file", "../outside/secret", "/etc/passwd")] == [None] * 4


def test_names_that_are_no_text_keep_their_bytes(cells: Cells, tree: Path) -> None:
    cell = cells.on(tree)
    cell.run(Command.shell("printf x > $'b\\xe9\\n'"))
    (name,) = cell.fingerprints()
    assert os.fsencode(name) == b"b\xe9\n"
    assert cell.read(name) == b"x"


def test_only_plain_files_of_a_sane_size_are_read(cells: Cells, tree: Path) -> None:
    cell = cells.on(tree)
    cell.run(Command.shell("mkfifo pipe; mkdir folder; truncate -s 11M large; truncate -s 10M fits"))
    cell.run(Command.shell("echo a > a; ln a b"))
    assert [cell.read(path) for path in ("pipe", "folder", "large", "missing", "", "a\0b")] == [None] * 6
    assert (len(cell.read("fits") or b""), cell.read("b")) == (10 << 20, b"a\n")


def test_a_tree_deeper_than_a_path_can_tell_harms_nothing(cells: Cells, tree: Path) -> None:
    cell = cells.on(tree)
    name = "d" * 200
    cell.run(Command.shell(f"echo top > top; for i in $(seq 40); do mkdir {name}; cd {name}; done; echo deep > deep"))
    assert set(cell.fingerprints()) == {"top"}
    files.clear(tree / name)


def test_the_folders_left_out_are_those_that_the_cells_own_scripts_leave_out() -> None:
    source = Path(files.__file__).parent / "inside/tree.py"
    names: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text())):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(node, ast.Assign | ast.AugAssign) and isinstance(target, ast.Name) and target.id == "SKIPPED":
            names |= ast.literal_eval(node.value)
    assert names == files.GENERATED
