"""Files as the model reads them: numbered lines, ranges, and for long ones a head and an outline. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jobs.agent.seen import Span, Spans, joined, without
from jobs.agent.tools import ask
from jobs.agent.tools.inside import Listed
from jobs.agent.tools.paths import is_lock
from jobs.agent.tools.trim import gaps

WHOLE_LINES, WHOLE_CHARS = 700, 60_000  # up to here a file is shown whole
HEAD_LINES = 200
LOCK_LINES = 60  # of a lock file that is asked for by name
LONGEST_LINE = 2_000
_OUTLINED = 150
_LISTED, _SUMMARY = 400, 150  # rows of a folder's listing: of files, of folders
_OUTLINE = re.compile(
    r"\s*(?:export\s+|default\s+|pub(?:\(\w+\))?\s+|public\s+|private\s+|static\s+|abstract\s+|async\s+)*"
    r"(?:def|class|function|fn|func|interface|struct|enum|trait|impl|module|type)\b"
)


@dataclass(frozen=True)
class View:
    """A file's text as it is shown: the `spans` that really stand in it (None: all of the file), whether it was `cut`,
    whether what follows is `outlined`; `hidden` are lines within that are only told of or end early."""

    text: str
    spans: Spans | None
    cut: bool = False
    outlined: bool = False
    hidden: Spans = ()

    def known(self, length: int) -> Spans | None:
        """The lines that can be read in it, of a file with `length` lines; None for all."""
        if self.spans is None and not self.hidden:
            return None
        return without(self.spans or ((1, length),), self.hidden)


def merged(spans: Iterable[Span], length: int) -> list[Span]:
    """Ranges of lines (from 1, both ends included) inside the file, adjacent ones joined, in order."""
    return list(joined((max(1, start), min(length, end)) for start, end in spans))


def numbered(rows: Sequence[str], span: Span) -> str:
    """Lines of `rows` with their numbers, as `N<tab>text`."""
    start, end = span
    return "\n".join(f"{n}\t{_short(row)}" for n, row in enumerate(rows[start - 1 : end], start))


def _short(row: str) -> str:
    if len(row) <= LONGEST_LINE:
        return row
    return f"{row[:LONGEST_LINE]}[… {len(row) - LONGEST_LINE} more characters of this line …]"


def whole(path: str, rows: Sequence[str]) -> View:
    """The whole file, or its head with an outline and how to ask for more."""
    lock = is_lock(path)
    if len(rows) <= (LOCK_LINES if lock else WHOLE_LINES):
        text = _trimmed(path, rows)
        if len(text) <= WHOLE_CHARS:
            return View(text or "(empty file)", None, hidden=_hidden(path, rows))
    head, last = within(rows, (1, LOCK_LINES if lock else HEAD_LINES), WHOLE_CHARS)
    end = min(len(rows), last + 2 * HEAD_LINES)
    how = "search it for a name, or ask" if lock else "ask"
    left = len(rows) - last
    rest = (
        f"[… {left} more line{'s' * (left > 1)}; {how} with ranges, e.g. {ask.lines(path, last + 1, end)} …]"
        if left
        else ""
    )
    outline = "" if lock else _outline(rows, last)
    text = "\n".join(part for part in (head, rest, outline) if part)
    return View(text, ((1, last),), cut=True, outlined=True, hidden=_long(rows))


def _hidden(path: str, rows: Sequence[str]) -> Spans:
    """What of a file that is shown whole can't be read there; of blank lines their number says all."""
    return joined([*((gap.start, gap.end) for gap in gaps(path, rows) if not gap.blank), *_long(rows)])


def _long(rows: Sequence[str]) -> Spans:
    """The lines that end early where they are shown."""
    return tuple((n, n) for n, row in enumerate(rows, 1) if len(row) > LONGEST_LINE)


def _outline(rows: Sequence[str], after: int) -> str:
    found = [n for n, row in enumerate(rows, 1) if n > after and _OUTLINE.match(row)]
    if not found:
        return ""
    more = [f"[… {len(found) - _OUTLINED} more definitions …]"] if len(found) > _OUTLINED else []
    return "\n".join(["Outline of the rest:", *(f"{n}\t{rows[n - 1][:200]}" for n in found[:_OUTLINED]), *more])


def _trimmed(path: str, rows: Sequence[str]) -> str:
    """All rows with their numbers, long blank runs and import blocks told by their length."""
    parts, at = [], 1
    for gap in gaps(path, rows):
        parts += [numbered(rows, (at, gap.start - 1))] if gap.start > at else []
        parts.append(gap.marker)
        at = gap.end + 1
    return "\n".join([*parts, numbered(rows, (at, len(rows)))] if at <= len(rows) else parts)


def within(rows: Sequence[str], span: Span, room: int) -> tuple[str, int]:
    """As many numbered lines of `span` as fit in `room` characters, at least one; and the last of them."""
    start, end = span
    out: list[str] = []
    last = start
    for number in range(start, min(end, len(rows)) + 1):
        row = f"{number}\t{_short(rows[number - 1])}"
        room -= len(row) + 1
        if room < 0 and out:
            break
        out.append(row)
        last = number
    return "\n".join(out), last


def ranges(
    path: str, rows: Sequence[str], spans: Iterable[Span], *, room: int = WHOLE_CHARS, told: bool = True
) -> View:
    """The lines of `spans`, joined where they meet, within `room` characters; View without text if there are none
    of them. With `told` it says how to ask for what had no room."""
    parts, shown = [], []
    wanted = merged(spans, len(rows))
    for start, end in wanted:
        text, last = within(rows, (start, end), room) if room > 0 else ("", start - 1)
        room -= len(text)
        if text:
            parts.append(text)
            shown.append((start, last))
        if last < end:
            more = ask.lines(path, last + 1, end)
            parts += [f"[… lines {last + 1}-{end} would make this too long; ask for them alone: {more} …]"] * told
            room = 0
    return View("\n…\n".join(parts), tuple(shown), cut=tuple(shown) != tuple(wanted), hidden=_long(rows))


def listing(files: Sequence[Listed]) -> str:
    """A folder's files with their line counts; of a large one the subfolders, as deep as there is room for."""
    if len(files) <= _LISTED:
        return "\n".join(f"{f.path} ({_size(f)})" for f in files) or "(no files)"
    start = min(file.path.count("/") for file in (files[0], files[-1]))
    rows = next(
        (rows for depth in range(start + 6, 1, -1) if len(rows := _folders(files, depth)) <= _SUMMARY),
        _folders(files, 1),
    )
    more = [f"[… {len(rows) - _LISTED} more rows; ask for a folder …]"] if len(rows) > _LISTED else []
    return "\n".join([*rows[:_LISTED], *more, "(the folders' files: readfile a folder)"])


def _folders(files: Sequence[Listed], depth: int) -> list[str]:
    """One row for each folder down to `depth`, and for each file outside all folders."""
    groups: dict[str, list[Listed]] = {}
    for file in files:
        folder = "/".join(file.path.split("/")[:-1][:depth])
        groups.setdefault(f"{folder}/" if folder else file.path, []).append(file)
    return [f"{name} ({_sizes(group) if name.endswith('/') else _size(group[0])})" for name, group in groups.items()]


def _sizes(files: Sequence[Listed]) -> str:
    if all(file.counted for file in files):
        return f"{len(files)} files, {sum(file.lines or 0 for file in files):,} lines"
    return f"{len(files)} files, {sum(file.size for file in files):,} bytes"


def _size(file: Listed) -> str:
    if file.lines is None:
        return f"{file.size:,} bytes, not text"
    return f"{file.lines} lines" if file.counted else f"{file.size:,} bytes"
