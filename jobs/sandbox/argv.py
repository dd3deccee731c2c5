"""The bubblewrap command line of a cell: an allow-list root, nothing of the host but what is named. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from jobs.sandbox.limits import Limits
from jobs.sandbox.view import HOME, TOOLS, Identity, View

# What setpriv needs to become the slot's user; it gives up these too. The last one reaches a working folder
# that only the slot's user may enter.
_DROPPING = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_READ_SEARCH")


def isolation(identity: Identity) -> list[str]:
    """Name spaces and privileges. Nothing here is optional but the control group name space, which hides paths
    only."""
    flags = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup-try"]
    flags += ["--hostname", "cell", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    if identity.mode == "userns":
        shown = str(identity.shown)
        return [*flags, "--unshare-user", "--disable-userns", "--uid", shown, "--gid", shown]
    return [*flags, *(word for cap in _DROPPING for word in ("--cap-add", cap))]


def filesystem(view: View, limits: Limits) -> list[str]:
    """The root: kernel file systems, sized scratch, links and mounts; `sealed` makes it read-only."""
    made = _Folders()
    words = ["--proc", "/proc", "--dev", "/dev"]
    for place, size in (("/dev/shm", limits.shared), ("/tmp", limits.tmp)):
        words += ["--perms", "1777", "--size", str(size), "--tmpfs", place]
        made.add(place)
    words += [*made.parents("/run/x"), *made.parents(HOME)]
    if view.home is None:
        words += ["--perms", "0777", "--size", str(limits.home), "--tmpfs", HOME]
    else:
        words += ["--bind", str(view.home), HOME]
    made.add(HOME)
    for target, place in view.links:
        words += [*made.parents(place), "--symlink", target, place]
    for mount in view.mounts:
        kind = "--bind" if mount.writable else "--ro-bind"
        words += [*made.parents(mount.inside), kind, str(mount.source), mount.inside]
        made.add(mount.inside)
    return words


def sealed(out: str | None, limits: Limits) -> list[str]:
    """The folder `out` at /out (None: sized scratch), and all that was mounted so far but writable mounts made
    read-only."""
    scratch = ["--perms", "0777", "--size", str(limits.tmp), "--tmpfs", "/out"]
    words = ["--bind", out, "/out"] if out else scratch
    return [*words, "--ro-bind", "/proc/sys", "/proc/sys", "--remount-ro", "/dev", "--remount-ro", "/"]


def environment(variables: Mapping[str, str]) -> list[str]:
    """Set one by one after everything was cleared. A name that can't be one is left out, as is its value: it
    would end bubblewrap's own line."""
    words: list[str] = []
    for name, value in variables.items():
        if name and not set("=\0") & set(name) and "\0" not in value:
            words += ["--setenv", name, value]
    return words


def dropping(identity: Identity, program: str | None) -> list[str]:
    """What becomes the slot's user inside, in rootful mode; `program` is setpriv, None for our own script."""
    if identity.mode == "userns":
        return []
    if program is None:
        return [f"{TOOLS}/bin/python3", "-I", "-S", f"{TOOLS}/drop.py", str(identity.uid), str(identity.gid)]
    ids = [f"--reuid={identity.uid}", f"--regid={identity.gid}", "--clear-groups"]
    return [program, *ids, "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--"]


class _Folders:
    """Which folders exist so far on the root that is being built."""

    def __init__(self) -> None:
        self._places = {PurePosixPath(place) for place in ("/", "/proc", "/dev")}
        self._mounts = set(self._places) - {PurePosixPath("/")}

    def add(self, place: str) -> None:
        """Something is mounted at `place`; what is below is not ours to make folders in, but for scratch."""
        self._places.add(PurePosixPath(place))
        if place not in ("/tmp", HOME):
            self._mounts.add(PurePosixPath(place))

    def parents(self, place: str) -> Iterable[str]:
        """Makes the missing parents of `place` for everybody to pass: bubblewrap 0.8 would make them for root only."""
        words: list[str] = []
        for parent in reversed(PurePosixPath(place).parents):
            if parent in self._places or self._mounts & {parent, *parent.parents}:
                continue
            self._places.add(parent)
            words += ["--perms", "0755", "--dir", str(parent)]
        return words
