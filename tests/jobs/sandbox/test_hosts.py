from __future__ import annotations

from pathlib import Path

import pytest

from jobs.errors import UserError
from jobs.sandbox import hosts
from jobs.sandbox.interpreters import choose

LOCKS = {
    "uv.lock": 'source = { registry = "https://index.example/simple" }\nsdist = { url = "https://files.example/a" }',
    "poetry.lock": '[package.source]\nurl = "https://poetry.example:8443/simple"',
    "requirements.txt": "--index-url https://user:secret@reqs.example/simple\nrequests==2 # https://other.example",
    "package-lock.json": '{"a": {"resolved": "https://npm.example/a.tgz", "funding": {"url": "https://money.example"}}}',
    "yarn.lock": 'a@1:\n  resolved "https://yarn.example/a.tgz#1"',
    "pnpm-lock.yaml": "resolution: {tarball: https://pnpm.example/a.tgz}",
    "web/package-lock.json": '{"b": {"resolved": "https://inner.example/b.tgz"}}',
    "README.md": "https://readme.example",
    "package.json": '{"homepage": "https://home.example"}',
}


def test_lock_files_name_the_hosts_of_packages_only(tmp_path: Path) -> None:
    for name, text in LOCKS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    names = {host for host, port in hosts.in_lock_files(tmp_path) if port == 443}
    assert names == {f"{n}.example" for n in ("index", "files", "reqs", "npm", "yarn", "pnpm", "inner")}
    assert ("poetry.example", 8443) in hosts.in_lock_files(tmp_path)


def test_a_lock_file_that_is_no_file_names_nothing(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").symlink_to("/dev/zero")
    assert hosts.in_lock_files(tmp_path) == set()


def test_configured_hosts_are_added(tmp_path: Path) -> None:
    found = hosts.find(tmp_path, choose(), more=("Deb.Example", "git.example:8443"))
    assert {("deb.example", 443), ("git.example", 8443)} <= found.allowed


@pytest.mark.parametrize("entry", ["https://a.example/", "a b", "*.example", "", "a.example:x"])
def test_a_configured_entry_that_is_no_host_is_named(tmp_path: Path, entry: str) -> None:
    with pytest.raises(UserError, match="is not a host name"):
        hosts.find(tmp_path, choose(), more=(entry,))


def test_tools_tell_their_registries_and_no_secret_enters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_config_registry", "https://npm.example:4873/")
    monkeypatch.setenv("PIP_INDEX_URL", "https://me:secret-81@pip.invalid/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://two.invalid/simple file:///opt/wheels")
    for ask in (hosts._npm, hosts._pip, hosts._index_hosts):
        ask.cache_clear()
    found = hosts.registries(choose())
    for ask in (hosts._npm, hosts._pip, hosts._index_hosts):
        ask.cache_clear()
    assert found.allowed == {("npm.example", 4873), ("pip.invalid", 443), ("two.invalid", 443)}
    assert found.env == {
        "PIP_INDEX_URL": "https://pip.invalid/simple",
        "UV_DEFAULT_INDEX": "https://pip.invalid/simple",
        "PIP_EXTRA_INDEX_URL": "https://two.invalid/simple",
        "UV_INDEX": "https://two.invalid/simple",
        "npm_config_registry": "https://npm.example:4873/",
    }


def test_an_index_that_links_elsewhere_brings_its_file_hosts() -> None:
    """Nothing is fetched here: an address without a host has none."""
    assert hosts._index_hosts(None) == frozenset()
    assert hosts._index_hosts("file:///opt/simple") == frozenset()
