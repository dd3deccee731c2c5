from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jobs.errors import EnvironmentFault
from jobs.sandbox import files, hosts, setup
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells
from jobs.sandbox.hosts import Hosts
from jobs.sandbox.interpreters import choose
from jobs.sandbox.layer import Layer, LayerKey, lay

NONE = Hosts(frozenset())
Maker = Callable[[dict[str, str]], Path]
Builder = Callable[..., Layer]

PYTHON = {
    "pyproject.toml": '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
    '[project]\nname = "tiny"\nversion = "0.1"\ndependencies = ["iniconfig"]\n'
    '[tool.setuptools]\npy-modules = ["tiny"]\n',
    "tiny.py": "import iniconfig\n",
}
NODE = {"package.json": '{"name": "t", "version": "1.0.0", "dependencies": {"is-number": "7.0.0"}}'}


class Events:
    """Keeps what was emitted."""

    def __init__(self) -> None:
        self.all: list[dict[str, Any]] = []

    def emit(self, type: str, **fields: Any) -> None:
        self.all.append({"type": type, **json.loads(json.dumps(fields))})


@pytest.fixture
def build(cells: Cells, tmp_path: Path) -> Builder:
    def run(tree: Path, *commands: str, allowed: Hosts = NONE, **more: Any) -> Layer:
        key = LayerKey.of(tree, repository="1", trust="default", commands=commands, tools=choose(tree).versions)
        return setup.build(cells, tree, commands, store=tmp_path / "layers", key=key, hosts=allowed, **more)

    return run


def fresh(cells: Cells, tree: Path, layer: Layer) -> Path:
    """A clean checkout of `tree` with the layer laid over it."""
    copy = tree.parent / f"{tree.name}-copy"
    shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".git"))
    lay(layer.src, copy)
    cells.own(copy)
    return copy


def test_what_set_up_made_is_there_for_later_cells_and_cannot_be_changed(
    cells: Cells, make_tree: Maker, build: Builder
) -> None:
    tree = make_tree({"code.py": "x = 1\n"})
    tool = "mkdir -p /env/bin gen; echo 'echo from layer' > /env/bin/tool; chmod 700 /env/bin/tool"
    layer = build(tree, tool, "echo y > gen/y; echo z >> code.py")
    cell = cells.on(fresh(cells, tree, layer), layer)
    assert cell.run(Command.shell("/env/bin/tool; cat gen/y code.py")).text == "from layer\ny\nx = 1\n"
    denied = cell.run(Command.shell("touch /env/x; rm -f /env/bin/tool; echo x > /env/bin/tool; ls /env/bin"))
    assert denied.text.splitlines()[-1] == "tool"
    assert sorted(path.name for path in layer.path.rglob("*") if path.is_file()) == ["layer.json", "size", "tool", "y"]
    assert not (tree / "gen").exists()


def test_a_layer_is_made_once(make_tree: Maker, build: Builder) -> None:
    tree, events = make_tree({"a": "1"}), Events()
    first = build(tree, "date +%N > /env/when", trace=events)
    second = build(tree, "date +%N > /env/when", trace=events)
    assert first == second
    assert [event["reused"] for event in events.all] == [False, True]
    assert build(tree, "date +%N > /env/when  ").path != first.path


def test_two_that_want_the_same_layer_make_it_once(make_tree: Maker, build: Builder) -> None:
    tree = make_tree({"a": "1"})
    made: list[Layer] = []
    line = "sleep 0.3; date +%N > /env/when"
    threads = [threading.Thread(target=lambda: made.append(build(tree, line))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 3
    assert len({layer.path for layer in made}) == 1


def test_a_failure_names_the_command_and_its_last_lines(make_tree: Maker, build: Builder, tmp_path: Path) -> None:
    with pytest.raises(setup.SetupFailed) as failed:
        build(make_tree({}), "true", "seq 100; echo broken >&2; exit 7", "touch /env/never")
    assert str(failed.value).startswith("Set-up failed: `seq 100; echo broken >&2; exit 7` exited with 7.\n")
    assert failed.value.output.splitlines()[-2:] == ["100", "broken"]
    assert isinstance(failed.value, EnvironmentFault)
    assert [entry for entry in (tmp_path / "layers").iterdir() if entry.is_dir()] == []


@pytest.mark.timeout(30)
def test_time_is_for_all_commands_together(make_tree: Maker, build: Builder) -> None:
    with pytest.raises(setup.SetupFailed, match=r"`sleep 20` It ran longer than"):
        build(make_tree({}), "sleep 0.5", "sleep 20", timeout_s=1.6)


def test_a_build_that_was_killed_leaves_nothing_used(make_tree: Maker, build: Builder, tmp_path: Path) -> None:
    left = tmp_path / "layers/.build-999999999-x"
    (left / "env").mkdir(parents=True)
    layer = build(make_tree({}), "echo 1 > /env/x")
    assert (layer.env / "x").exists()
    assert not left.exists()


def test_blocked_hosts_are_named_with_the_command_that_asked(make_tree: Maker, build: Builder) -> None:
    line = "curl -sS https://registry.invalid/x"
    with pytest.raises(setup.SetupFailed) as failed:
        build(make_tree({}), line)
    assert failed.value.blocked == {"registry.invalid:443": line}
    assert f"registry.invalid:443 was asked for by `{line}` and is not allowed." in str(failed.value)


def test_a_blocked_host_that_did_no_harm_is_kept_with_the_layer(make_tree: Maker, build: Builder) -> None:
    assert build(make_tree({}), "curl -s https://telemetry.invalid/ || true").blocked == ("telemetry.invalid:443",)


def test_no_secret_and_no_way_around_the_proxy(
    make_tree: Maker, build: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "canary-77")
    line = "env > /env/env; cat /proc/*/environ /proc/*/cmdline > /env/all; true"
    layer = build(make_tree({}), line, "cat /proc/net/dev > /env/net")
    assert "https_proxy" in (layer.env / "env").read_text()
    assert "canary-77" not in (layer.env / "env").read_text() + (layer.env / "all").read_text(errors="replace")
    assert len((layer.env / "net").read_text().splitlines()) == 3  # two lines of heading, then lo


def test_hostile_leftovers_become_harmless(cells: Cells, make_tree: Maker, build: Builder) -> None:
    line = (
        "mkfifo /env/pipe gone; ln -s /etc/shadow /env/link; mkdir -p /env/d new/d; echo x > /env/d/f; "
        "chmod 4755 /env/d/f; chmod 0 /env/d new; ln -s / tracked-link"
    )
    layer = build(make_tree({"a": "1"}), line)
    assert not (layer.env / "pipe").exists()
    assert (layer.env / "link").is_symlink()
    assert oct((layer.env / "d/f").stat().st_mode) == "0o100755"
    assert (layer.env / "d/f").stat().st_uid == layer.path.stat().st_uid
    assert (layer.src / "new/d").is_dir()
    files.clear(layer.path)


@pytest.mark.registry
@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    "commands",
    [("uv venv /env/venv", "uv pip install -e ."), ("python -m venv /env/venv", "pip install -q -e ."), ("uv sync",)],
    ids=["uv", "pip", "uv sync"],
)
def test_a_python_project_is_set_up_from_its_registry(
    cells: Cells, make_tree: Maker, build: Builder, commands: tuple[str, ...]
) -> None:
    tree = make_tree(PYTHON)
    layer = build(tree, *commands, allowed=hosts.find(tree, choose(tree), uv=cells.programs.uv))
    assert layer.blocked == ()
    line = (
        "python -c 'import tiny, iniconfig; print(tiny.__file__, iniconfig.__file__)'; uv run python -c 'import tiny'"
    )
    result = cells.on(fresh(cells, tree, layer), layer).run(Command.shell(line))
    where = result.text.split()
    assert result.ok, result.text
    assert where[0] == "/src/tiny.py"
    assert where[1].startswith("/env/venv/lib/python")


@pytest.mark.registry
@pytest.mark.timeout(180)
def test_a_node_project_is_set_up_from_its_registry(cells: Cells, make_tree: Maker, build: Builder) -> None:
    tree = make_tree(NODE)
    layer = build(tree, "npm install", allowed=hosts.find(tree, choose(tree)))
    result = cells.on(fresh(cells, tree, layer), layer).run(Command.shell("node -p 'require(\"is-number\")(5)'"))
    assert (result.text, layer.blocked) == ("true\n", ())
