"""Searches the tree with ripgrep from inside a cell; started by wire.py, standard library only.

    {"patterns": [...], "paths": [...], "globs": [...], "context": 2, "regex": false, "limit": 100, "per_file": 20,
     "kept": null, "root": "/src"}

First all files are counted, in parallel and without order. Once more of them have a match than could be shown, they
are also counted in order of paths, which soon ends where matches are common. So the answer is the same each time, and
a rare word does not cost a scan in order. Then the matches of the first files are shown, with their context.
Answers `{"groups": [{"path", "count", "lines": [[number, is_match, text], …]}], "matches": shown, "files": n,
"total": n, "exact": whether that is all, "whole": whether the files are, "more": whether any are not shown,
"absent": [pattern, …], "missing": [path, …], "unfit": [glob, …], "kept": [path, …], "error": str | null}`. `unfit` are
the globs if no file fits them. `kept` are files that git tracks although it ignores them, which ripgrep would not see;
null: not known yet.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing typing would double the start-up of a script that runs at every call
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from jobs.sandbox.inside import globs
    from jobs.sandbox.inside.wire import Child, first_of, program
else:
    import globs
    from wire import Child, first_of, program

RG = "/opt/patchwright/bin/rg"
BASE = ["--no-config", "--hidden", "--no-messages", "--no-ignore-dot", "--color=never"]
UNSEARCHED = (".git", "node_modules", "*.egg-info")
WIDTH = 500  # bytes of a line that are shown
FILES = 200  # files with a match above which totals are left open
DEEP = 50  # times `per_file`: the matches up to which one file is counted
TOO_LONG = "the search took too long and was stopped; narrow it with paths"
_META = frozenset("\\.+*?()|[]{}^$#&-~")


def plain(pattern: str, *, regex: bool) -> str:
    """The pattern as a regular expression that ignores case where the pattern has no capital letter: each pattern by
    itself, while ripgrep's own option judges all of them together."""
    if not regex:
        capital = any(c.isupper() for c in pattern)
        text = "".join("\\" + c if c in _META else c for c in pattern)
        return text if capital else f"(?i){text}"
    letters, escaped = [], False
    for c in pattern:
        letters.append("" if escaped else c)
        escaped = c == "\\" and not escaped
    return pattern if any(c.isupper() for c in "".join(letters)) else f"(?i){pattern}"


class Asked:
    """A request, and what ripgrep is told of it."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.patterns: list[str] = request["patterns"]
        self.regex: bool = bool(request.get("regex"))
        self.limit: int = request.get("limit", 100)
        self.per_file: int = request.get("per_file", 20)
        self.context: int = request.get("context", 2)
        paths: list[str] = request.get("paths") or ["."]
        self.globs: list[str] = request.get("globs") or []
        if all(not os.path.lexists(p) and any(c in p for c in "*?[{") for p in paths):
            self.globs, paths = [*self.globs, *paths], ["."]
        homes = [os.getcwd(), *request.get("also", ["/env"])]
        self.missing = [p for p in paths if not _searchable(p, homes)]
        self.paths = sorted({p for p in paths if p not in self.missing}, key=order)
        known: list[str] | None = request.get("kept")
        self.kept = tracked_but_ignored() if known is None else known

    def wanted(self, *patterns: str) -> list[str]:
        """The options for `patterns`; without any, for all."""
        return [part for p in patterns or self.patterns for part in ("--regexp", plain(p, regex=self.regex))]

    def places(self) -> list[str]:
        """The options for globs, and the places: what is named is searched though it is left out elsewhere."""
        named = "/".join([*self.paths, *self.globs]).split("/")
        out = [name for name in UNSEARCHED if name not in named]
        wanted = [*globs.ways(self.globs), *(f"!**/{name}" for name in out)]
        return [*(f"--glob={g}" for g in wanted), "--", *self.paths, *self.also()]

    def also(self) -> list[str]:
        """The files of `kept` that the request means."""
        below = [p for p in self.kept if any(r == "." or p == r or p.startswith(f"{r}/") for r in self.paths)]
        if not below or not self.globs:
            return below
        return [p for p in below if globs.fits(p, self.globs)]


def _searchable(path: str, homes: list[str]) -> bool:
    """Whether `path` is a file or folder below one of `homes`, links followed: a pipe or device would never end."""
    try:
        real = os.path.realpath(path, strict=True)
    except OSError:
        return False
    return (os.path.isfile(real) or os.path.isdir(real)) and any(f"{real}/".startswith(f"{h}/") for h in homes)


def order(path: str) -> list[str]:
    """What paths are sorted by: folder by folder, as ripgrep walks."""
    return path.split("/")


def tracked_but_ignored() -> list[str]:
    """Files in git's index that the tree's own ignore rules leave out; none where there is no index."""
    if not os.path.exists(".git/index"):
        return []
    try:
        with Child([program("git"), "ls-files", "-ciz", "--exclude-standard"]) as git:
            return [p for p in map(os.fsdecode, git.records(b"\0")) if os.path.isfile(p)]
    except OSError:
        return []


class Counts:
    """How many lines match in each file; `whole` says that no file with a match is missing."""

    def __init__(self, asked: Asked) -> None:
        self.found: dict[str, int] = {}
        self.whole = True
        self.error = ""
        self._asked = asked
        self._room = asked.limit

    def child(self, *options: str) -> Child:
        """The program that counts."""
        asked = self._asked
        own = ["--count", "--null", "--with-filename", "--line-buffered", f"--max-count={asked.per_file * DEEP}"]
        return Child([RG, *BASE, *own, *options, *asked.wanted(), *asked.places()])

    def take(self, records: list[bytes]) -> None:
        """Remembers what the program wrote."""
        for record in records:
            path, zero, number = record.rpartition(b"\0")
            if zero and number.isdigit():  # else a name with a line feed in it
                self.found[os.fsdecode(path).removeprefix("./")] = int(number)
                self._room -= min(int(number), self._asked.per_file)

    @property
    def full(self) -> bool:
        """Whether there are more matches than can be shown."""
        return self._room < 0

    def first(self, asked: Asked) -> list[str]:
        """The first files in order, as many as can be shown and one more."""
        names, room = [], asked.limit
        for name in sorted(self.found, key=order):
            names.append(name)
            room -= min(self.found[name], asked.per_file)
            if room < 0:
                break
        return names


def counted(asked: Asked) -> Counts:
    """The files with matches: all, or where there are many the first in order."""
    every = Counts(asked)
    if not asked.paths:
        return every
    most = max(FILES, asked.limit)
    with every.child() as wide:
        for _, batch in first_of([wide], b"\n"):
            every.take(batch)
            if len(every.found) > most:
                return in_order(asked, every, wide)
        every.whole = not wide.late
        every.error = TOO_LONG if wide.late else wide.words()
    return every


def in_order(asked: Asked, every: Counts, wide: Child) -> Counts:
    """The first files, by a second program that counts in order, or by the one that counts all should it be done
    sooner, as it is where the first files have no match. Either way the first ones are the same."""
    first = Counts(asked)
    with first.child("--sort=path") as narrow:
        for child, batch in first_of([narrow, wide], b"\n"):
            (first if child is narrow else every).take(batch)
            if first.full:
                break
        done = first if first.full or not wide.done else every
        done.error = TOO_LONG if narrow.late else ""
    done.whole = False
    return done


def shown(asked: Asked, names: Sequence[str]) -> dict[str, list[list[Any]]]:
    """The lines of each file: (number, whether it matches, text); at most `per_file` matches in each."""
    options = ["--line-number", "--column", "--null", "--with-filename", "--no-heading", "--threads=1"]
    options += [f"--max-columns={WIDTH}", "--max-columns-preview", f"--context={asked.context}"]
    options += [f"--max-count={asked.per_file + 1}"]
    lines: dict[str, list[list[Any]]] = {name: [] for name in names}
    hits: dict[str, int] = dict.fromkeys(names, 0)
    if not names:
        return lines
    with Child([RG, *BASE, *options, *asked.wanted(), "--", *names]) as rg:
        for record in rg.records(b"\n"):
            path, zero, rest = record.partition(b"\0")
            name = os.fsdecode(path)
            row = _row(rest) if zero and name in lines else None
            if row is None:
                continue
            hits[name] += row[1]
            if hits[name] <= asked.per_file:
                lines[name].append(row)
    return lines


def _row(rest: bytes) -> list[Any] | None:
    """[number, whether it matches, text] of what ripgrep writes behind a path."""
    digits = len(rest) - len(rest.lstrip(b"0123456789"))
    number, mark, text = rest[:digits], rest[digits : digits + 1], rest[digits + 1 :]
    if not number or mark not in (b":", b"-"):
        return None
    hit = mark == b":"
    column, _, text = text.partition(b":") if hit else (b"0", b"", text)
    told = text.decode("utf-8", "replace").rstrip("\r")
    far = hit and int(column) > WIDTH
    return [int(number), hit, f"(at column {int(column)}) {told}" if far else told]


def limited(asked: Asked, counts: Counts, lines: dict[str, list[list[Any]]]) -> tuple[list[dict[str, Any]], int]:
    """(groups, matches in them) within the limit."""
    groups, matches = [], 0
    for name, rows in lines.items():
        kept: list[list[Any]] = []
        last = 0
        for row in rows:
            if row[1] and matches == asked.limit:
                break
            matches += row[1]
            last = row[0] if row[1] else last
            kept.append(row)
        kept = [row for row in kept if row[0] <= last + asked.context]  # not what leads to the next one
        if last or not rows:
            groups.append({"path": name, "count": counts.found[name], "lines": kept})
    return groups, matches


def absent(asked: Asked, counts: Counts, groups: list[dict[str, Any]]) -> list[str]:
    """The patterns without any match. Those that the shown lines don't answer are searched for."""
    if not counts.found or len(asked.patterns) == 1:
        return [] if counts.found else asked.patterns
    texts = [row[2] for group in groups for row in group["lines"] if row[1]]
    open_ = [p for p in asked.patterns if asked.regex or not any(_in(p, text) for text in texts)]
    places = ["--", *counts.found] if counts.whole else asked.places()
    children = [Child([RG, *BASE, "--quiet", *asked.wanted(p), *places]) for p in open_]
    gone = []
    for pattern, child in zip(open_, children, strict=True):
        with child as rg:
            ended = not any(rg.records(b"\n")) and not rg.late
            gone += [pattern] if ended and rg.ended() else []
    return gone


def _in(pattern: str, text: str) -> bool:
    return pattern in text or (pattern.lower() == pattern and pattern in text.lower())


def unfit(asked: Asked, counts: Counts) -> list[str]:
    """The globs, if nothing was found because no file fits them."""
    if counts.found or not asked.globs or not asked.paths:
        return []
    with Child([RG, *BASE, "--files", *asked.places()]) as rg:
        fits = any(rg.records(b"\n")) or rg.late
    return [] if fits else asked.globs


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Matches with their context, how many there are, and which patterns match nowhere."""
    os.chdir(request.get("root", "/src"))
    asked = Asked(request)
    counts = counted(asked)
    names = counts.first(asked)
    groups, matches = limited(asked, counts, shown(asked, names))
    deep = any(count >= asked.per_file * DEEP for count in counts.found.values())
    return {
        "groups": groups,
        "matches": matches,
        "files": len(counts.found),
        "total": sum(counts.found.values()),
        "exact": counts.whole and not deep,
        "whole": counts.whole,
        "more": len(groups) < len(counts.found) or not counts.whole or matches < shown_at_most(asked, counts),
        "absent": absent(asked, counts, groups),
        "missing": asked.missing,
        "unfit": unfit(asked, counts),
        "kept": asked.kept,
        "error": counts.error[:2000] or None,
    }


def shown_at_most(asked: Asked, counts: Counts) -> int:
    """How many matches would be shown if there were no limit but that of each file."""
    return sum(min(count, asked.per_file) for count in counts.found.values())
