"""Files as the model reads them: numbered lines, ranges, and for long ones a head and an outline. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from jobs.agent.tools.inside import Listed

WHOLE_LINES, WHOLE_CHARS = 700, 60_000  # up to here a file is shown whole
HEAD_LINES = 200
LONGEST_LINE = 2_000
_OUTLINED = 150
_LISTED = 400
_OUTLINE = re.compile(
    r"\s*(?:export\s+|default\s+|pub(?:\(\w+\))?\s+|public\s+|private\s+|static\s+|abstract\s+|async\s+)*"
    r"(?:def|class|function|fn|func|interface|struct|enum|trait|impl|module|type)\b"
)

Span = tuple[int, int]


def merged(spans: Iterable[Span], length: int) -> list[Span]:
    """Ranges of lines (from 1, both ends included) inside the file, adjacent ones joined, in order."""
    out: list[Span] = []
    for start, end in sorted((max(1, s), min(length, e)) for s, e in spans):
        if start > end:
            continue
        if out and start <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def numbered(rows: Sequence[str], span: Span) -> str:
    """Lines of `rows` with their numbers, as `N<tab>text`."""
    start, end = span
    return "\n".join(f"{n}\t{_short(row)}" for n, row in enumerate(rows[start - 1 : end], start))


def _short(row: str) -> str:
    if len(row) <= LONGEST_LINE:
        return row
    return f"{row[:LONGEST_LINE]}[… {len(row) - LONGEST_LINE} more characters of this line …]"


def whole(path: str, rows: Sequence[str]) -> tuple[str, bool]:
    """The whole file, or its head with an outline and how to ask for more; and whether it was cut."""
    text = numbered(rows, (1, len(rows)))
    if len(rows) <= WHOLE_LINES and len(text) <= WHOLE_CHARS:
        return text or "(empty file)", False
    head = numbered(rows, (1, HEAD_LINES))[:WHOLE_CHARS]
    found = [n for n, row in enumerate(rows, 1) if n > HEAD_LINES and _OUTLINE.match(row)]
    outline = "\n".join(numbered(rows, (n, n)) for n in found[:_OUTLINED])
    more = f'{{"path": "{path}", "start": {HEAD_LINES + 1}, "end": {HEAD_LINES + 400}}}'
    ask = f"[… {len(rows) - HEAD_LINES} more lines; ask with ranges, e.g. {more} …]"
    return "\n".join(part for part in (head, ask, outline and f"Outline of the rest:\n{outline}") if part), True


def listing(files: Sequence[Listed]) -> str:
    """A folder's files with their line counts; large folders by subfolder."""
    if len(files) <= _LISTED:
        return "\n".join(f"{f.path} ({_size(f)})" for f in files) or "(no files)"
    rows = []
    for folder, inside in groupby(files, key=lambda f: "/".join(f.path.split("/")[:-1][:2])):
        group = list(inside)
        if folder:
            rows.append(f"{folder}/ ({len(group)} files, {sum(f.lines or 0 for f in group):,} lines)")
        else:
            rows += [f"{f.path} ({_size(f)})" for f in group]
    more = [f"[… {len(rows) - _LISTED} more rows; ask for a folder …]"] if len(rows) > _LISTED else []
    return "\n".join(rows[:_LISTED] + more)


def _size(file: Listed) -> str:
    return f"{file.lines} lines" if file.lines is not None else f"{file.size:,} bytes, not text"
