from __future__ import annotations

import sys
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from jobs.sandbox import interpreters, programs
from jobs.sandbox.interpreters import choose, node, ours

HERE = ".".join(map(str, sys.version_info[:3]))


def project(folder: Path, requires: str | None = None, pinned: str | None = None) -> Path:
    if requires is not None:
        (folder / "pyproject.toml").write_text(f'[project]\nname = "x"\nrequires-python = "{requires}"\n')
    if pinned is not None:
        (folder / ".python-version").write_text(pinned)
    return folder


def test_ours_is_a_real_installation_not_an_environment() -> None:
    assert ours().version == HERE
    assert programs.is_binary(ours().executable)
    assert ours().executable.is_relative_to(ours().prefix)
    assert not (ours().prefix / "pyvenv.cfg").exists()


@pytest.mark.parametrize("requires", [None, "", ">=3.8", f"=={HERE}", "not a version", ">=99"])
def test_ours_is_taken_where_it_fits_or_nothing_does(tmp_path: Path, requires: str | None) -> None:
    assert choose(project(tmp_path, requires)).python == ours()


def test_another_installation_is_taken_where_ours_does_not_fit(tmp_path: Path) -> None:
    others = [found for found in interpreters._pythons() if found.version != HERE]
    wanted = SpecifierSet(f"!={HERE}")
    chosen = choose(project(tmp_path, str(wanted))).python
    assert chosen is not None
    assert chosen == (others[0] if others else ours())
    assert not others or chosen.version in wanted


def test_a_pinned_version_is_preferred(tmp_path: Path) -> None:
    for found in interpreters._pythons():
        pinned = ".".join(found.version.split(".")[:2])
        chosen = choose(project(tmp_path, pinned=f"{pinned}\n")).python
        assert chosen is not None
        assert chosen.version.startswith(f"{pinned}.")


def test_shims_are_never_taken() -> None:
    for found in interpreters._pythons():
        assert programs.is_binary(found.executable)
        assert "shims" not in found.executable.parts


def test_node_is_a_binary() -> None:
    found = node()
    assert found is not None
    assert programs.is_binary(found.executable)
    assert found.executable.is_relative_to(found.prefix)


@pytest.mark.timeout(10)
def test_hostile_project_files_do_not_stop_us(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").symlink_to("/dev/zero")
    (tmp_path / ".python-version").write_bytes(b"\xff\xfe../../bin/sh\n")
    assert choose(tmp_path).python == ours()
