"""How two lines may differ and still be the same line to a reader. Pure."""

from __future__ import annotations

import re

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


def squeeze(row: str) -> str:
    """`row` without indentation, runs of spaces as one, none around punctuation."""
    return " ".join(_AROUND.sub(r"\1", row).split())


def straight(row: str) -> str:
    """`row` without indentation, with plain quotes, dashes and spaces."""
    return row.translate(_PLAIN).strip()
