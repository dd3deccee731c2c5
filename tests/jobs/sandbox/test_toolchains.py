"""Real programs in folders as version managers lay them out, and what a tree gets of them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from jobs.sandbox import toolchains
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells
from jobs.sandbox.host import _copy_open
from jobs.sandbox.interpreters import choose
from jobs.sandbox.toolchains import Tool, installations, tools_of

CALC = 'int main(void) { puts("tool VERSION"); return 0; }\n'


def program(place: Path, version: str) -> Path:
    """A real program that tells a version, at `place`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    source = place.with_suffix(".c")
    source.write_text("#include <stdio.h>\n" + CALC.replace("VERSION", version))
    assert os.system(f"cc -o {place} {source}") == 0
    return place


@pytest.fixture
def manager(tmp_path: Path) -> Tool:
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler to make programs with")
    for version in ("1.2.0", "1.10.3"):
        program(tmp_path / "versions" / version / "bin/zigzag", version)
    shim = tmp_path / "versions/broken/bin/zigzag"
    shim.parent.mkdir(parents=True)
    shim.write_text("#!/bin/sh\necho tool 9.9.9\n")
    shim.chmod(0o755)
    return Tool("zig", "zigzag", ("--version",), ("zig.mod",), ".zig-version", (f"{tmp_path}/versions/*/bin",))


def test_real_installations_are_found_newest_first_and_scripts_are_none(manager: Tool) -> None:
    assert [one.version for one in installations(manager)] == ["1.10.3", "1.2.0"]
    newest = installations(manager)[0]
    assert newest.executable == newest.prefix / "bin/zigzag"


@pytest.mark.parametrize(("wish", "version"), [("", "1.10.3"), ("1.2", "1.2.0"), ("1.1", "1.10.3"), ("7", "1.10.3")])
def test_the_version_that_is_wished_for_is_taken_where_it_is(manager: Tool, wish: str, version: str) -> None:
    found = toolchains.choose(manager, wish)
    assert found is not None
    assert found.version == version


def test_a_tree_gets_only_the_languages_that_it_has_manifests_of(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "main.c").touch()
    assert tools_of(tmp_path) == ()
    assert choose(tmp_path).others == ()
    (tmp_path / "lib/CMakeLists.txt").touch()
    here = {one.language for one in tools_of(tmp_path)}
    assert here == ({"native"} if shutil.which("cmake") else set())


def test_a_cell_sees_the_tool_of_its_tree(tmp_path: Path, cells: Cells) -> None:
    (tmp_path / "Cargo.toml").touch()
    found = choose(tmp_path)
    if "rust" not in found.versions:
        pytest.skip("there is no cargo on this machine")
    cells.own(tmp_path)
    result = cells.on(tmp_path).run(Command.shell("cargo --version && rustc --version"))
    assert result.ok, result.text
    assert f"cargo {found.versions['rust']}" in result.text


def test_of_a_programs_settings_only_what_all_may_read_is_copied(tmp_path: Path) -> None:
    source = tmp_path / "java-99"
    (source / "security").mkdir(parents=True)
    (source / "security/java.security").write_text("open\n")
    (source / "password").write_text("secret\n")
    (source / "password").chmod(0o640)
    (source / "link").symlink_to("/etc/shadow")
    (source / "closed").mkdir(mode=0o750)
    (source / "closed/inner").write_text("secret\n")
    _copy_open(source, tmp_path / "etc")
    assert sorted(str(path.relative_to(tmp_path / "etc")) for path in (tmp_path / "etc").rglob("*")) == [
        "security",
        "security/java.security",
    ]
