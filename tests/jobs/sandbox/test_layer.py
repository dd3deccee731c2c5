from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from jobs.sandbox.interpreters import Interpreter, Interpreters
from jobs.sandbox.layer import Layer, LayerKey, lay, load

NOBODY = Interpreters(None, None)


@pytest.fixture
def layer(tmp_path: Path) -> Layer:
    made = Layer(tmp_path / "layer", "k", {"python": "3.12"}, NOBODY, ("a:1",))
    (made.src / "node_modules/.bin").mkdir(parents=True)
    (made.src / "node_modules/x.js").write_text("theirs")
    (made.src / "node_modules/.bin/x").symlink_to("../x.js")
    (made.src / "pkg").mkdir()
    (made.src / "pkg/built.so").write_text("built")
    return made


def key(tree: Path, **changed: object) -> str:
    whole = {"repository": "1", "trust": "default", "commands": ("uv sync",), "tools": {"python": "3.12"}} | changed
    return LayerKey.of(tree, **whole).digest  # type: ignore[arg-type]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "sub/node_modules").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("[project]")
    (folder / "sub/package-lock.json").write_text("{}")
    (folder / "code.py").write_text("1")
    return folder


@pytest.mark.parametrize(
    "changed",
    [{"repository": "2"}, {"trust": "fork"}, {"commands": ("uv sync", "x")}, {"tools": {"python": "3.13"}}],
    ids=lambda changed: next(iter(changed)),
)
def test_another_repository_trust_command_or_tool_is_another_layer(project: Path, changed: dict[str, object]) -> None:
    assert key(project, **changed) != key(project)


@pytest.mark.parametrize("name", ["pyproject.toml", "sub/package-lock.json", "ext/fast.pyx", "requirements-dev.txt"])
def test_another_manifest_is_another_layer(project: Path, name: str) -> None:
    before = key(project)
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text("changed")
    assert key(project) != before


@pytest.mark.parametrize("name", ["code.py", "sub/node_modules/package.json", "README.md"])
def test_other_files_leave_the_layer_as_it_is(project: Path, name: str) -> None:
    before = key(project)
    (project / name).write_text("changed")
    assert key(project) == before


@pytest.mark.timeout(10)
def test_a_manifest_that_is_no_file_does_not_stop_us(project: Path) -> None:
    os.mkfifo(project / "uv.lock")
    (project / "poetry.lock").symlink_to("/dev/zero")
    assert key(project)


def test_what_was_recorded_is_loaded(layer: Layer) -> None:
    layer.record()
    assert load(layer.path) == layer


def test_a_layer_whose_interpreter_left_is_none(layer: Layer) -> None:
    gone = Interpreter("python", "3.12", Path("/nowhere"), Path("/nowhere/bin/python3"))
    dataclasses.replace(layer, interpreters=Interpreters(gone, None)).record()
    assert load(layer.path) is None


def test_a_half_written_layer_is_none(layer: Layer) -> None:
    (layer.path / "layer.json").write_text('{"key": "k", ')
    assert load(layer.path) is None


def test_what_set_up_wrote_is_laid_beside_what_is_tracked(layer: Layer, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "pkg").mkdir(parents=True)
    (tree / "pkg/code.py").write_text("tracked")
    lay(layer.src, tree)
    assert (tree / "node_modules/.bin/x").read_text() == "theirs"
    assert (tree / "pkg/built.so").read_text() == "built"
    assert (tree / "pkg/code.py").read_text() == "tracked"
    (tree / "node_modules/x.js").write_text("changed by a test")
    assert (layer.src / "node_modules/x.js").read_text() == "theirs"


@pytest.mark.parametrize("name", ["node_modules", "pkg"])
def test_links_of_the_checkout_are_never_followed(layer: Layer, tmp_path: Path, name: str) -> None:
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    tree.mkdir()
    outside.mkdir()
    (tree / name).symlink_to(outside)
    lay(layer.src, tree)
    assert list(outside.iterdir()) == []
    assert (tree / name).is_symlink()
