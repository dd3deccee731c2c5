"""Which lines a whole-file view leaves out: long runs of blank lines, the middle of long blocks of imports. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

BLANK_RUN = 3  # blank lines in a row, from which on they are told by number
IMPORT_BLOCK = 15  # lines of imports in a row, from which on the middle is left out
_BLANK, _IMPORTS = "blank lines", "lines of imports"
_FIRST, _LAST = 3, 2  # lines of a block of imports that stay


@dataclass(frozen=True)
class _Style:
    """How imports begin, and how one that goes on over several lines ends."""

    begins: re.Pattern[str]
    open: re.Pattern[str] | None = None  # a line that begins one which goes on
    close: re.Pattern[str] | None = None


_PYTHON = _Style(
    re.compile(r"(?:import\s+[\w.]|from\s+[\w.]+\s+import\b)"),
    re.compile(r"[^#]*(?:\([^)#]*(?:#.*)?|\\)$"),
    re.compile(r"[^#]*(?:\)|[^,(\\\s]\s*$)"),
)
_SCRIPT = _Style(
    re.compile(r"(?:import\b(?!\s*\()|(?:const|let|var)\s[\w{}\s,:$]*=\s*require\(|export\s+\*\s+from\b)"),
    re.compile(r"import\s[^;'\"]*\{[^}]*$"),
    re.compile(r".*\}"),
)
_JAVA = _Style(re.compile(r"import\s+[\w.]"))
_GO = _Style(re.compile(r"import\b"), re.compile(r"import\s*\(\s*$"), re.compile(r"\s*\)"))
_RUST = _Style(
    re.compile(r"(?:pub(?:\([^)]*\))?\s+)?use\s|extern\s+crate\s"), re.compile(r"[^;]*$"), re.compile(r".*;")
)
_STYLES: Mapping[str, _Style] = {
    **dict.fromkeys(("py", "pyi"), _PYTHON),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"), _SCRIPT),
    **dict.fromkeys(("java", "kt", "scala"), _JAVA),
    "go": _GO,
    "rs": _RUST,
}


@dataclass(frozen=True)
class Gap:
    """Lines `start` to `end` that are not shown; `what` they are stands in their place."""

    start: int
    end: int
    what: str

    @property
    def blank(self) -> bool:
        """Whether nothing but blank lines stands there."""
        return self.what == _BLANK

    @property
    def marker(self) -> str:
        """The line that stands for them."""
        return f"[… {self.end - self.start + 1} {self.what} …]"


def gaps(path: str, rows: Sequence[str]) -> list[Gap]:
    """What the whole-file view of `path` leaves out, in order."""
    blank = [Gap(s, e, _BLANK) for s, e in _runs([not row for row in rows]) if e - s + 1 >= BLANK_RUN]
    style = _STYLES.get(path.rpartition(".")[2].lower())
    if style is None:
        return blank
    blocks = _runs(_imports(rows, style))
    imports = [Gap(s + _FIRST, e - _LAST, _IMPORTS) for s, e in blocks if e - s + 1 >= IMPORT_BLOCK and e - s > 4]
    return sorted([*blank, *imports], key=lambda gap: gap.start)


def _runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """(first, last) line of each run of true flags, from 1."""
    at = 1
    for flag, group in groupby(flags):
        length = sum(1 for _ in group)
        if flag:
            yield at, at + length - 1
        at += length


def _imports(rows: Sequence[str], style: _Style) -> list[bool]:
    """Whether each line belongs to an import."""
    out: list[bool] = []
    going_on = False
    for row in rows:
        belongs = going_on or style.begins.match(row) is not None
        out.append(belongs and bool(row))
        if going_on:
            going_on = bool(row) and not (style.close and style.close.match(row))
        elif belongs:
            going_on = style.open is not None and style.open.match(row) is not None
    return out
