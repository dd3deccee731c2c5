from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from jobs.sandbox import hosts, package_hosts
from jobs.sandbox.interpreters import Interpreters, choose


@pytest.mark.parametrize(("manifest", "language"), [("Cargo.toml", "rust"), ("go.mod", "go"), ("pom.xml", "java")])
def test_tools_of_this_machine_name_their_own_registries(tmp_path: Path, manifest: str, language: str) -> None:
    (tmp_path / manifest).touch()
    chosen = choose(tmp_path)
    if language not in chosen.versions:
        pytest.skip(f"{language} is not on this machine")
    addresses = package_hosts.addresses(chosen)
    assert addresses
    assert all(re.fullmatch(r"https?://[\w.-]+(:\d+)?(/\S*)?", address) for address in addresses)
    allowed = {host for host, _ in hosts.find(tmp_path, chosen).allowed}
    assert allowed >= {urlsplit(address).hostname for address in addresses}


def test_other_trees_ask_nobody() -> None:
    assert package_hosts.addresses(Interpreters(None, None)) == ()


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Cargo.lock", 'source = "registry+https://crates.example/index"\n', {"crates.example"}),
        ("Cargo.lock", 'source = "git+https://git.example/a/b?rev=1#2"\n', {"git.example"}),
        ("Gemfile", "source 'https://gems.example'\ngem 'x' # https://no.example\n", {"gems.example"}),
        ("composer.lock", '{"dist": {"url": "https://zips.example/a.zip"}}', {"zips.example"}),
        (
            "pom.xml",
            "<url>https://home.example</url><repository><id>a</id><url>https://jars.example/m2</url></repository>",
            {"jars.example"},
        ),
    ],
)
def test_lock_files_of_other_languages_name_hosts(tmp_path: Path, name: str, text: str, found: set[str]) -> None:
    (tmp_path / name).write_text(text)
    assert {host for host, _ in hosts.in_lock_files(tmp_path)} == found
