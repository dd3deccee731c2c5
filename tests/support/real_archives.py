"""Fetches published source archives with pip and npm, checks them by hash and unpacks them."""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).parents[2] / ".cache"
_DOWNLOAD_S = 300


@dataclass(frozen=True)
class Archive:
    """One version of a package as its registry publishes it; `ecosystem` is python or node, `kept` the folder that
    holds archives on this machine."""

    ecosystem: str
    name: str
    version: str
    sha256: str
    kept: Path = CACHE / "archives"

    @property
    def path(self) -> Path:
        """Where it is kept on this machine."""
        return self.kept / f"{self.name}-{self.version}.tar.gz"


def machine_environment() -> dict[str, str]:
    """The environment for package clients: the machine's own configuration, caches inside the work folder."""
    return os.environ | {
        "HOME": pwd.getpwuid(os.getuid()).pw_dir,
        "PIP_CACHE_DIR": str(CACHE / "pip"),
        "UV_CACHE_DIR": str(CACHE / "uv"),
        "npm_config_cache": str(CACHE / "npm"),
    }


def fetch(archive: Archive) -> Path:
    """The archive's file, downloaded once. Raises ValueError if its bytes are not the expected ones."""
    if not archive.path.exists():
        archive.kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=archive.kept) as folder:
            _download(archive, Path(folder))
            (only,) = Path(folder).glob("*gz")
            only.replace(archive.path)
    found = hashlib.sha256(archive.path.read_bytes()).hexdigest()
    if found != archive.sha256:
        archive.path.unlink()
        raise ValueError(f"{archive.name} {archive.version}: sha256 is {found}, expected {archive.sha256}")
    return archive.path


def unpack(archive: Archive, into: Path) -> Path:
    """Unpacks without the archive's own top folder; `into` must not exist yet.

    What only a build of the archive made (its metadata) is left out: no repository holds it.
    """
    with tempfile.TemporaryDirectory(dir=into.parent) as folder, tarfile.open(fetch(archive)) as tar:
        tar.extractall(folder, filter="data")
        (root,) = Path(folder).iterdir()
        root.rename(into)
    (into / "PKG-INFO").unlink(missing_ok=True)
    for built in into.rglob("*.egg-info"):
        shutil.rmtree(built)
    return into


def _download(archive: Archive, folder: Path) -> None:
    name = f"{archive.name}=={archive.version}"
    if archive.ecosystem == "python":
        command = [*_pip(), "download", "--quiet", "--no-deps", "--no-binary", archive.name, "--dest", ".", name]
    else:
        command = ["npm", "pack", "--silent", f"{archive.name}@{archive.version}"]
    done = subprocess.run(
        command, cwd=folder, env=machine_environment(), capture_output=True, text=True, timeout=_DOWNLOAD_S
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def _pip() -> list[str]:
    found = shutil.which("pip") or shutil.which("pip3")
    return [found] if found else [uv(), "tool", "run", "pip"]


def uv() -> str:
    """uv's own path: `uv run` says it, so that a wrapper that looks at the working folder is not asked."""
    found = os.environ.get("UV") or shutil.which("uv")
    if found is None:
        raise FileNotFoundError("uv")
    return found
