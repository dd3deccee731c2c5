"""What every cell gets of this machine: its system folders, our own tools, and a few small files made for the slot."""

from __future__ import annotations

import os
import ssl
import stat
from dataclasses import dataclass
from pathlib import Path

from jobs.errors import EnvironmentFault
from jobs.sandbox import files
from jobs.sandbox.interpreters import Interpreters, ours
from jobs.sandbox.programs import Programs
from jobs.sandbox.view import CA_BUNDLE, HOME, TOOLS, Identity, Mount, View

_INSIDE = Path(__file__).parent / "inside"
_MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_COPIED = (
    "alternatives",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "protocols",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
)
# Settings that programs in /usr can't start without: a JDK's own, Maven's. Only what every user may read.
_SETTINGS = ("java-*", "maven/m2.conf", "maven/logging", "php")
_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
_PYTHON = "/opt/python"  # holds `python` where the chosen installation has `python3` only


@dataclass(frozen=True)
class Furniture:
    """Folders made for a slot: `etc` is a cell's whole /etc, `tools` its /opt/patchwright. Two mounts instead of
    thirty: bubblewrap's time grows with the square of their number."""

    etc: Path
    tools: Path
    programs: Programs


def furnish(folder: Path, identity: Identity, programs: Programs) -> Furniture:
    """Makes the slot's furniture anew in `folder`. Raises EnvironmentFault if we are not installed completely."""
    made = Furniture(folder / "etc", folder / "tools", programs)
    for part in (made.etc, made.tools):
        files.clear(part)
    _make_etc(made.etc, identity)
    _make_tools(made.tools, programs)
    return made


def _make_etc(etc: Path, identity: Identity) -> None:
    shown = identity.shown
    texts = {
        "hosts": "127.0.0.1 localhost cell\n::1 localhost\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nprotocols: files\nservices: files\n",
        "gitconfig": "[safe]\n\tdirectory = /src\n",
        "passwd": f"root:x:0:0:root:/root:/bin/sh\nagent:x:{shown}:{shown}:agent:{HOME}:/bin/bash\n",
        "group": f"root:x:0:\nagent:x:{shown}:\n",
    }
    (etc / "ssl").mkdir(parents=True)
    for name in _COPIED:
        if Path("/etc", name).exists():
            files.copy(Path("/etc", name), etc / name)
    for pattern in _SETTINGS:
        for place in Path("/etc").glob(pattern):
            _copy_open(place, etc / place.relative_to("/etc"))
    for name, text in texts.items():
        (etc / name).write_text(text)
    bundle = ca_bundle()
    (etc / Path(CA_BUNDLE).relative_to("/etc")).write_bytes(bundle.read_bytes() if bundle else b"")
    files.open_to_read(etc)


def _copy_open(source: Path, target: Path) -> None:
    """Copies what everybody may read: a file that only some may is not for cells, where everybody is one user."""
    if source.is_symlink() or not source.stat().st_mode & stat.S_IROTH:
        return
    if source.is_dir():
        for entry in source.iterdir():
            _copy_open(entry, target / entry.name)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        files.copy(source, target)


def _make_tools(tools: Path, programs: Programs) -> None:
    """Our own scripts, and `bin` beside them with places for the programs that are mounted there."""
    scripts = sorted(entry for entry in _INSIDE.iterdir() if entry.name not in ("__pycache__", "__init__.py"))
    if not scripts:
        raise EnvironmentFault(f"Patchwright is not installed completely: {_INSIDE} is empty.")
    (tools / "bin").mkdir(parents=True)
    for script in scripts:
        files.copy(script, tools / script.name)
    files.open_to_read(tools)
    for name, program in programs.shown.items():
        if program:
            _put(program, tools / "bin" / name)
    (tools / "bin/python3").symlink_to(ours().executable)


def _put(program: Path, place: Path) -> None:
    """One more name for `program` where the file system and its rules allow, else an empty file to mount it on."""
    try:
        os.link(program, place)
    except OSError:
        place.touch(0o755)


def ca_bundle() -> Path | None:
    """The certificates that this machine trusts: what its own variables name, else the distribution's file."""
    asked = ssl.get_default_verify_paths().cafile
    return next((Path(file) for file in (asked, *_BUNDLES) if file and Path(file).is_file()), None)


def system_view(furniture: Furniture) -> View:
    """The part of every cell that does not depend on a tree."""
    mounts = [Mount(Path("/usr"), "/usr")]
    links: list[tuple[str, str]] = [("../tmp", "/var/tmp")]
    for name in _MERGED:
        place = Path("/", name)
        if place.is_symlink():
            links.append((str(place.readlink()), str(place)))
        elif place.is_dir():
            mounts.append(Mount(place, str(place)))
    mounts += [Mount(furniture.etc, "/etc"), Mount(furniture.tools, TOOLS)]
    for name, program in furniture.programs.shown.items():
        if program and not (furniture.tools / "bin" / name).stat().st_size:
            mounts.append(Mount(program, f"{TOOLS}/bin/{name}"))
    return View(links=tuple(links), mounts=tuple(mounts))


def with_interpreters(view: View, chosen: Interpreters) -> View:
    """`view` with the interpreters' real prefixes at their own places, and first on PATH."""
    mounts, links = list(view.mounts), list(view.links)
    for prefix in dict.fromkeys(one.prefix for one in (*chosen.all, ours())):
        if not any(prefix.is_relative_to(mount.inside) for mount in mounts):
            mounts.append(Mount(prefix, str(prefix)))
    path = [str(one.executable.parent) for one in chosen.all if one.executable.parent != Path("/usr/bin")]
    if chosen.python and not (chosen.python.executable.parent / "python").exists():
        links.append((str(chosen.python.executable), f"{_PYTHON}/python"))
        path.append(_PYTHON)
    return View(tuple(links), tuple(mounts), view.home, tuple(path), view.env)
