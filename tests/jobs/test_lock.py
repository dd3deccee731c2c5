"""Lock files are resolved from changed manifests, by real uv and npm in a set-up cell."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import gitrepo
import pytest

from jobs.agent.tools.spec import BadCall
from jobs.lock import LockSite, resolve
from jobs.locked import difference
from jobs.repo.local import find
from jobs.repo.workspace import open_workspace
from jobs.sandbox.cell import Cells

PROJECT = '[project]\nname = "tiny"\nversion = "0.1.0"\nrequires-python = ">=3.11"\ndependencies = [{}]\n'
UV_LOCK = (
    'version = 1\nrevision = 3\nrequires-python = ">=3.11"\n\n'
    '[[package]]\nname = "tiny"\nversion = "0.1.0"\nsource = { virtual = "." }\n'
)
PACKAGE = {"name": "web", "version": "1.0.0"}
NPM_LOCK = {"name": "web", "version": "1.0.0", "lockfileVersion": 3, "requires": True, "packages": {"": PACKAGE}}
FILES = {
    "pyproject.toml": PROJECT.format(""),
    "uv.lock": UV_LOCK,
    "web/package.json": json.dumps(PACKAGE),
    "web/package-lock.json": json.dumps(NPM_LOCK),
}
Open = Callable[[dict[str, str]], LockSite]


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cells]:
    with Cells.open(tmp_path_factory.mktemp("slot") / "data") as opened:
        yield opened


@pytest.fixture
def opened(cells: Cells, tmp_path: Path) -> Iterator[Open]:
    """Makes a site over a checkout of the given files."""
    with ExitStack() as stack:

        def make(files: dict[str, str]) -> LockSite:
            repository = find(gitrepo.make(tmp_path / "person", files))
            runs, base = tmp_path / "runs", repository.resolve("HEAD")
            workspace = stack.enter_context(open_workspace(runs, "run", repository.objects, base))
            folder = stack.enter_context(workspace.checkout(workspace.base))
            cells.own(folder)
            return LockSite(cells, workspace, folder, tmp_path / "layers", timeout_s=120)

        yield make


def test_each_changed_manifest_has_its_lock_file_resolved_and_no_other_file_changes(opened: Open) -> None:
    site = opened(FILES)
    manifest = PROJECT.format("").replace("0.1.0", "0.2.0")
    (site.folder / "pyproject.toml").write_text(manifest)
    (site.folder / "web/package.json").write_text(json.dumps({**PACKAGE, "version": "2.0.0"}))
    told = resolve(site)
    assert "uv.lock is resolved (changed: tiny 0.1.0 -> 0.2.0)." in told
    assert "web/package-lock.json is resolved" in told
    assert 'version = "0.2.0"' in (site.folder / "uv.lock").read_text()
    assert json.loads((site.folder / "web/package-lock.json").read_text())["version"] == "2.0.0"
    assert (site.folder / "pyproject.toml").read_text() == manifest
    assert (site.folder / "uv.lock").stat().st_uid == site.folder.stat().st_uid
    assert sorted(p.name for p in site.folder.rglob("*")) == sorted([*(Path(p).name for p in FILES), "web"])


def test_an_unchanged_manifest_is_refused(opened: Open) -> None:
    site = opened(FILES)
    with pytest.raises(BadCall, match="no manifest beside a lock file differs"):
        resolve(site)


def test_a_tool_that_is_not_there_is_refused_by_name(opened: Open) -> None:
    site = opened({"pyproject.toml": PROJECT.format(""), "poetry.lock": "# made by poetry\n"})
    (site.folder / "pyproject.toml").write_text(PROJECT.format('"six"'))
    with pytest.raises(BadCall, match=r"`poetry lock` for poetry\.lock"):
        resolve(site)
    assert (site.folder / "poetry.lock").read_text() == "# made by poetry\n"


def test_a_resolver_that_fails_says_why_and_leaves_the_lock_file(opened: Open) -> None:
    site = opened(FILES)
    (site.folder / "pyproject.toml").write_text("[project\n")
    with pytest.raises(BadCall, match=r"(?s)uv\.lock could not be resolved: .*exited with 2\..*TOML"):
        resolve(site)
    assert (site.folder / "uv.lock").read_text() == UV_LOCK


def test_a_link_in_place_of_a_lock_file_is_replaced_and_never_followed(opened: Open, tmp_path: Path) -> None:
    site = opened(FILES)
    (tmp_path / "theirs").write_text("theirs\n")
    (site.folder / "uv.lock").unlink()
    (site.folder / "uv.lock").symlink_to(tmp_path / "theirs")
    (site.folder / "pyproject.toml").write_text(PROJECT.format("").replace("0.1.0", "0.2.0"))
    resolve(site)
    assert (tmp_path / "theirs").read_text() == "theirs\n"
    assert not (site.folder / "uv.lock").is_symlink()


def test_a_source_outside_the_allowed_hosts_is_not_reached(opened: Open) -> None:
    site = opened(FILES)
    extra = '[tool.uv.sources]\nevil = { url = "https://evil.invalid/evil-1.0-py3-none-any.whl" }\n'
    (site.folder / "pyproject.toml").write_text(PROJECT.format('"evil"') + extra)
    with pytest.raises(BadCall, match=r"evil\.invalid:443 is not allowed"):
        resolve(site)


@pytest.mark.registry
@pytest.mark.timeout(180)
def test_new_dependencies_are_resolved_from_the_registries(opened: Open) -> None:
    site = opened(FILES)
    (site.folder / "pyproject.toml").write_text(PROJECT.format('"iniconfig==2.0.0"'))
    wanted = {**PACKAGE, "dependencies": {"is-number": "7.0.0"}}
    (site.folder / "web/package.json").write_text(json.dumps(wanted))
    told = resolve(site)
    assert "added: iniconfig 2.0.0" in told
    assert "added: is-number 7.0.0" in told
    assert "not installed here" in told
    assert not (site.folder / "web/node_modules").exists()


def test_packages_that_differ_are_named() -> None:
    before = UV_LOCK + '\n[[package]]\nname = "old"\nversion = "1"\n'
    after = UV_LOCK.replace("0.1.0", "0.2.0") + '\n[[package]]\nname = "new"\nversion = "3"\n'
    told = difference("uv.lock", before.encode(), after.encode())
    assert told == "added: new 3; changed: tiny 0.1.0 -> 0.2.0; removed: old"
    assert difference("package-lock.json", b"no json", b"[]") == ""
