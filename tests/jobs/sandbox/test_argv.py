from __future__ import annotations

from pathlib import Path

import pytest

from jobs.sandbox import argv
from jobs.sandbox.limits import Limits
from jobs.sandbox.view import Identity, Mount, View

ROOTFUL, USERNS = Identity("rootful", 20001, 20001, 20001), Identity("userns", 500, 500, 1000)


def operations(words: list[str], name: str) -> list[str]:
    """What follows each `name`."""
    return [words[at + 1] for at, word in enumerate(words) if word == name]


def test_no_mode_shares_the_network_or_keeps_a_capability() -> None:
    for identity in (ROOTFUL, USERNS):
        words = argv.isolation(identity)
        assert {"--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent"} <= set(words)
        assert not {"--share-net", "--dev-bind", "--unshare-all"} & set(words)
        assert operations(words, "--cap-drop") == ["ALL"]
    assert "CAP_SYS_ADMIN" not in argv.isolation(ROOTFUL)
    assert "--cap-add" not in argv.isolation(USERNS)


def test_parents_of_mounts_are_made_once_and_for_all_to_pass() -> None:
    mounts = (Mount(Path("/root/.x/v/1"), "/root/.x/v/1"), Mount(Path("/root/.x/v/2"), "/root/.x/v/2", writable=True))
    words = argv.filesystem(View(mounts=mounts), Limits())
    assert [place for place in operations(words, "--dir") if place.startswith("/root")] == [
        "/root",
        "/root/.x",
        "/root/.x/v",
    ]
    assert all(words[at - 2 : at] == ["--perms", "0755"] for at, word in enumerate(words) if word == "--dir")


def test_no_folder_is_made_inside_what_is_mounted() -> None:
    mounts = (Mount(Path("/t"), "/src", writable=True), Mount(Path("/g"), "/src/.git"), Mount(Path("/p"), "/tmp/a/b"))
    words = argv.filesystem(View(mounts=mounts), Limits())
    assert [place for place in operations(words, "--dir") if place.startswith(("/src", "/tmp"))] == ["/tmp/a"]


def test_all_is_read_only_at_the_end() -> None:
    words = [
        *argv.filesystem(View(mounts=(Mount(Path("/t"), "/src", writable=True),)), Limits()),
        *argv.sealed("/o", Limits()),
    ]
    assert words[-7:] == ["--ro-bind", "/proc/sys", "/proc/sys", "--remount-ro", "/dev", "--remount-ro", "/"]
    assert operations(words, "--bind") == ["/t", "/o"]


def test_memory_folders_are_sized() -> None:
    bounds = Limits(tmp=1, home=2, shared=3)
    words = [*argv.filesystem(View(), bounds), *argv.sealed(None, bounds)]
    assert operations(words, "--size") == ["3", "1", "2", "1"]
    assert operations(words, "--tmpfs") == ["/dev/shm", "/tmp", "/home/agent", "/out"]


@pytest.mark.parametrize("name", ["", "A=B", "A\0B"])
def test_a_name_that_is_none_is_left_out(name: str) -> None:
    assert argv.environment({name: "x", "GOOD": "y"}) == ["--setenv", "GOOD", "y"]


def test_root_is_always_given_up() -> None:
    assert "--reuid=20001" in argv.dropping(ROOTFUL, "/usr/bin/setpriv")
    assert argv.dropping(ROOTFUL, None)[-2:] == ["20001", "20001"]
    assert argv.dropping(USERNS, None) == []
