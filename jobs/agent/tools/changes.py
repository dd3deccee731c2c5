"""What a command did to the tree: the files that changed between two sets of fingerprints, and how they are shown."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from jobs.agent.seen import Seen
from jobs.agent.tools.card import card
from jobs.agent.tools.carried import carried
from jobs.agent.tools.lines import NotText
from jobs.agent.tools.spec import Bench

_CARDS = 3  # files whose change is shown
_ROWS = 60  # lines of one change
_LONG = 400  # characters of one such line
_NAMED = 40  # files that are named
_FILES, _READ = 2000, 64 << 20  # files, and bytes of them together, that are read after one command


@dataclass(frozen=True)
class Change:
    """One file's change. `state` is its sha256 now (None: gone); `before` and `after` are its bytes where `shown`."""

    path: str
    state: str | None
    shown: bool = False
    before: bytes | None = None
    after: bytes | None = None
    mode: str = ""  # "644 -> 755" where it changed


def fingerprints(bench: Bench) -> Mapping[str, str]:
    """The tree's fingerprints before a command."""
    return bench.snapshot if bench.snapshot is not None else bench.cell.fingerprints()


def changes(before: Mapping[str, str], bench: Bench) -> tuple[Change, ...]:
    """What changed since the fingerprints `before`, in the order of the paths; the bench remembers those of now.
    Files that were written again with the bytes that they had are left out."""
    after = bench.snapshot = bench.cell.fingerprints()
    differ = [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
    found, room = [], _READ
    for number, path in enumerate(sorted(differ, key=lambda path: (path not in before, path))):
        size = _size(after[path]) if path in after else 0
        read = path in after and number < _FILES and size <= room
        room -= size if read else 0
        found.append(_change(path, before.get(path), after.get(path), bench.cell.read(path) if read else None, bench))
    return tuple(sorted((change for change in found if change), key=lambda change: change.path))


def _change(path: str, before: str | None, after: str | None, data: bytes | None, bench: Bench) -> Change | None:
    mode = _mode(before, after)
    if after is None:
        return Change(path, None, before=_held(path, bench)[1])
    # What was not read (a link, a large file, one of too many) is told by its fingerprint.
    state = hashlib.sha256(after.encode() if data is None else data).hexdigest()
    if data is None:
        return Change(path, state, mode=mode)
    known, old = (True, None) if before is None else _held(path, bench)
    same = bench.touched.get(path) == state or (known and old == data)
    if before is not None and same and not mode:
        return None
    return Change(path, state, known, old, data, mode)


def _size(fingerprint: str) -> int:
    return int(fingerprint.partition(":")[0])


def _mode(before: str | None, after: str | None) -> str:
    old, new = (None if one is None else int(one.rpartition(":")[2]) for one in (before, after))
    if old is None or new is None or old == new:
        return ""
    return f"{old & 0o7777:o} -> {new & 0o7777:o}" if old & ~0o7777 == new & ~0o7777 else "another kind of file"


def _held(path: str, bench: Bench) -> tuple[bool, bytes | None]:
    """(is it known, the bytes) of a file that existed before the command."""
    if bench.texts.known(path):
        return True, bench.texts.of(path)
    if bench.base is None or bench.texts.lost(path) or path in bench.touched:
        return False, None
    data = bench.base(path)
    return data is not None, data


def told(found: tuple[Change, ...]) -> str:
    """The changed files by name, then how some of them changed; empty if nothing did."""
    if not found:
        return ""
    rows = [change.path + _aside(change) for change in found[:_NAMED]]
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return "\n".join([f"Changed files: {', '.join(rows)}{more}", *(_short(_drawn(one)) for one in _chosen(found))])


def seen(found: tuple[Change, ...], bench: Bench) -> Mapping[str, Seen]:
    """The files whose whole change the model now sees; of a new file that is all of it."""
    if bench.record is None:
        return {}
    whole = ((c, _sight(c)) for c in _chosen(found) if not _cut(_drawn(c)))
    return {change.path: sight for change, sight in whole if sight is not None}


def _sight(change: Change) -> Seen | None:
    if change.state is None or change.after is None:
        return None
    if change.before is None:
        return Seen.whole(change.state)
    old = hashlib.sha256(change.before).hexdigest()
    try:
        return carried((change.before, old), (change.after, change.state), whole=True)
    except NotText:  # its card shows nothing
        return None


def _aside(change: Change) -> str:
    notes = ["deleted"] if change.state is None else []
    notes += [f"mode {change.mode}"] if change.mode else []
    return f" ({', '.join(notes)})" if notes else ""


def _chosen(found: tuple[Change, ...]) -> list[Change]:
    """Those whose change is shown: text that is still there, files that were there before first."""
    kept = (c for c in found if c.shown and c.state is not None and c.before != c.after)
    text = [c for c in kept if not _binary(c.before) and not _binary(c.after)]
    return sorted(text, key=lambda change: (change.before is None, change.path))[:_CARDS]


def _binary(data: bytes | None) -> bool:
    return data is not None and b"\0" in data[:8192]


def _drawn(change: Change) -> list[str]:
    return card(change.path, change.before, change.after).split("\n")


def _cut(rows: list[str]) -> bool:
    return len(rows) > _ROWS or any(len(row) > _LONG for row in rows)


def _short(rows: list[str]) -> str:
    kept = [row if len(row) <= _LONG else f"{row[:_LONG]} [… {len(row) - _LONG} more characters …]" for row in rows]
    if len(rows) <= _ROWS:
        return "\n".join(kept)
    return "\n".join([*kept[:_ROWS], f"[… {len(rows) - _ROWS} more lines of this change: readfile the file …]"])
