"""Cuts a patch into contiguous changes and makes trees without some of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from jobs.repo.patch import FileChange, Patch
from jobs.repo.trees import Trees
from jobs.suite.rewrite import rewrite

_HEADER = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
HunkKind = Literal["text", "file", "binary", "mode"]


@dataclass(frozen=True)
class Hunk:
    """One contiguous change of one file. `removed` and `added` hold its lines as git shows them, each with its line
    end and any "no newline" mark; `old_start` and `new_start` count from 1. A whole new or deleted file (`file`), a
    binary change and a change of mode are one hunk each."""

    change: FileChange
    kind: HunkKind
    old_start: int = 0
    new_start: int = 0
    removed: tuple[bytes, ...] = ()
    added: tuple[bytes, ...] = ()

    @property
    def file(self) -> str:
        """The changed path."""
        return self.change.path

    @property
    def header(self) -> str:
        """`@@ -a,b +c,d @@`."""
        return f"@@ -{self.old_start},{len(self.removed)} +{self.new_start},{len(self.added)} @@"

    @property
    def size(self) -> int:
        """Changed lines; what has no lines counts as one."""
        return len(self.removed) + len(self.added) or 1

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines with their sign, for people."""
        if self.kind == "mode":
            return (f"-mode {self.change.old_mode}", f"+mode {self.change.new_mode}")
        if self.kind == "binary":
            return ("(binary)",)
        signed = [b"-" + line for line in self.removed] + [b"+" + line for line in self.added]
        return tuple(line.split(b"\n", 1)[0].decode("utf-8", "replace") for line in signed)

    def undo(self, lines: list[bytes]) -> bool:
        """Takes the hunk back in `lines`, the new file's (each with its end); False if they are not as it says."""
        # A side without lines of its own is numbered by the line before.
        start = self.new_start - 1 if self.added else self.new_start
        end = start + len(self.added)
        if lines[start:end] != [_plain(line) for line in self.added]:
            return False
        lines[start:end] = [_plain(line) for line in self.removed]
        return True


def split(patch: Patch) -> tuple[Hunk, ...]:
    """All changes of `patch`, file by file, in order."""
    bodies = dict(zip((f.path for f in patch.files), _sections(patch), strict=True))
    return tuple(hunk for change in patch.files for hunk in _of_file(change, bodies[change.path]))


def without(trees: Trees, patch: Patch, dropped: Iterable[Hunk]) -> str | None:
    """The tree of `patch` with `dropped` taken back, None if they can't be."""
    gone = tuple(dropped)
    whole = [hunk.file for hunk in gone if hunk.kind in ("file", "binary")]
    tree = trees.graft(patch.tree, patch.base_tree, whole) if whole else patch.tree
    for hunk in gone:
        if hunk.kind == "mode":
            tree = _with_mode(trees, tree, hunk)
    for path in dict.fromkeys(hunk.file for hunk in gone if hunk.kind == "text"):
        content = undo(trees.read(patch.tree, path) or b"", [h for h in gone if h.file == path and h.kind == "text"])
        if content is None:
            return None
        tree = rewrite(trees, tree, path, content)
    return tree


def undo(content: bytes, hunks: Iterable[Hunk]) -> bytes | None:
    """The new file's `content` with its text `hunks` taken back, None if it is not as they say."""
    lines = _lines(content)
    # From the end on, so that the numbers of those still to come stay right.
    done = all(hunk.undo(lines) for hunk in sorted(hunks, key=lambda h: h.new_start, reverse=True))
    return b"".join(lines) if done else None


def _with_mode(trees: Trees, tree: str, hunk: Hunk) -> str:
    blob = next(blob for _, _, blob, path in trees.entries(tree) if path == hunk.file)
    return trees.edit(tree, [f"{hunk.change.old_mode} {blob}\t{hunk.file}"])


def _plain(line: bytes) -> bytes:
    """A line of a diff as the file has it: without its end where the diff says that it has none."""
    text, mark, _ = line.partition(b"\n\\ ")
    return text if mark else line


def _lines(data: bytes) -> list[bytes]:
    """Lines with their ends, cut at line feeds only, as git does."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _sections(patch: Patch) -> list[bytes]:
    """The text of each file's diff. Only headers begin a line with `diff --git`: content has a sign before it."""
    starts = [found.start() for found in re.finditer(rb"^diff --git ", patch.text, re.MULTILINE)]
    ends = [*starts[1:], len(patch.text)]
    sections = [patch.text[a:b] for a, b in zip(starts, ends, strict=True)]
    if len(sections) == len(patch.files):
        return sections
    return list(_paired(patch, sections))


def _paired(patch: Patch, sections: list[bytes]) -> Iterator[bytes]:
    """A file that becomes a link has two sections, a deletion and a creation; it stays one change."""
    rest = iter(sections)
    for change in patch.files:
        yield b"".join(next(rest, b"") for _ in range(2 if change.status == "T" else 1))


def _of_file(change: FileChange, body: bytes) -> Iterator[Hunk]:
    if b"\nGIT binary patch\n" in body or change.new_mode == "160000" or change.old_mode == "160000":
        yield Hunk(change, "binary")
        return
    parts = list(_contiguous(change, body))
    if change.status in ("A", "D", "T"):
        removed = tuple(line for part in parts for line in part.removed)
        added = tuple(line for part in parts for line in part.added)
        yield Hunk(change, "file", 1 if removed else 0, 1 if added else 0, removed, added)
        return
    if change.old_mode != change.new_mode:
        yield Hunk(change, "mode")
    yield from parts


def _contiguous(change: FileChange, body: bytes) -> Iterator[Hunk]:
    """Each run of changed lines between lines that stay."""
    run = _Run(change)
    for line in _lines(body):
        header = _HEADER.match(line)
        sign = line[:1]
        if header or line.startswith(b"diff --git "):
            yield from run.end()
            run.place(header)
        elif not run.placed:
            continue
        elif sign == b"\\":
            run.unended(line)
        elif sign in (b"-", b"+"):
            run.take(sign, line[1:])
        else:
            yield from run.end()
            run.skip()
    yield from run.end()


class _Run:
    """The changed lines that were read last, and where in both files the next line is."""

    def __init__(self, change: FileChange) -> None:
        self.change = change
        self.placed = False
        self._old = self._new = 0
        self._removed: list[bytes] = []
        self._added: list[bytes] = []

    def place(self, header: re.Match[bytes] | None) -> None:
        self.placed = header is not None
        if header:
            self._old, self._new = _first(header[1], header[2]), _first(header[3], header[4])

    def take(self, sign: bytes, line: bytes) -> None:
        (self._removed if sign == b"-" else self._added).append(line)

    def unended(self, mark: bytes) -> None:
        last = self._added or self._removed
        if last:  # else it is about a line that stays
            last[-1] += mark

    def skip(self) -> None:
        self._old, self._new = self._old + 1, self._new + 1

    def end(self) -> Iterator[Hunk]:
        removed, added = tuple(self._removed), tuple(self._added)
        if removed or added:
            old = self._old if removed else self._old - 1
            new = self._new if added else self._new - 1
            yield Hunk(self.change, "text", old, new, removed, added)
        self._old, self._new = self._old + len(removed), self._new + len(added)
        self._removed, self._added = [], []


def _first(start: bytes, count: bytes | None) -> int:
    """The number of a range's first line; an empty range is numbered by the line before it."""
    return int(start) + (1 if count == b"0" else 0)
