"""How two lines may differ and still be the same line to a reader. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Typographic punctuation and odd spaces as their ASCII form.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("‘’‚‛", "'"),
        **dict.fromkeys("“”„‟", '"'),
        **dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
    }
)
_AROUND = re.compile(r"\s*([^\w\s])\s*")
_GAP = re.compile(r"\s*\[… (\d+) blank lines …\]\s*")
_NUMBER = re.compile(r"^\s*(\d+)(?:\t|: ?| ?\| ?)")


def squeeze(row: str) -> str:
    """`row` without indentation, runs of spaces as one, none around punctuation."""
    return " ".join(_AROUND.sub(r"\1", row).split())


def straight(row: str) -> str:
    """`row` without indentation, with plain quotes, dashes and spaces."""
    return row.translate(_PLAIN).strip()


def unnumbered(rows: Sequence[str]) -> tuple[int, tuple[str, ...]] | None:
    """(first number, rows without their numbers) if every row begins with consecutive line numbers; a marker of blank
    lines that were not shown has none and counts as those it stands for."""
    out: list[str] = []
    first = at = 0
    for row in rows:
        if out and (gap := _GAP.fullmatch(row)):
            out.append(row)
            at += int(gap[1])
            continue
        found = _NUMBER.match(row)
        if found is None or (out and int(found[1]) != at):
            return None
        first = first if out else int(found[1])
        at = int(found[1]) + 1
        out.append(row[found.end() :])
    return (first, tuple(out)) if out else None
