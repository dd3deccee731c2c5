"""Edits that must be refused: their text stands nowhere, or in several places, or changes nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from edit_blocks import Block, bare
from edit_drafts import Draft, plain, rendered


def _must_not(draft: Draft | None, old: Sequence[str] | None = None) -> Draft | None:
    if draft is None:
        return None
    draft = replace(draft, want=None, old=draft.old if old is None else tuple(old))
    gone = bare("".join(draft.old)) and old is not None and "\n".join(draft.old) in "\n".join(draft.rows)
    return None if gone else draft


def ambiguous_exact(block: Block, dice: random.Random) -> Draft | None:
    """The text stands twice."""
    return _must_not(replace(plain(block, dice), rows=(*block.rows, *block.text)))


def ambiguous_space(block: Block, dice: random.Random) -> Draft | None:
    """The text stands twice, indented otherwise than the writer has it."""
    more = tuple("  " + r if r else r for r in block.text)
    draft = rendered(block, dice, lambda r: "      " + r if r else r)
    return None if draft is None else _must_not(replace(draft, rows=(*block.rows, *more)))


def hallucinated_middle(block: Block, dice: random.Random) -> Draft | None:
    """Only the first and the last row are the file's."""
    made = [f"    invented_call_{n}(value)" for n in range(len(block.text) - 2)]
    return _must_not(plain(block, dice), [block.text[0], *made, block.text[-1]])


def hallucinated_line(block: Block, dice: random.Random) -> Draft | None:
    """One row more than the file has."""
    at = dice.randrange(1, len(block.text))
    return _must_not(plain(block, dice), [*block.text[:at], "    invented_call(value)", *block.text[at:]])


def stale(block: Block, dice: random.Random) -> Draft | None:
    """One row was something else before."""
    at = block.row - block.first
    return _must_not(plain(block, dice), [f"{r} was_before" if n == at else r for n, r in enumerate(block.text)])


def typo(block: Block, dice: random.Random) -> Draft | None:
    """One letter is wrong."""
    at, row = block.row - block.first, block.rows[block.row]
    letters = [n for n, c in enumerate(row) if c.isalpha()]
    if not letters:
        return None
    spot = dice.choice(letters)
    wrong = row[:spot] + ("q" if row[spot] != "q" else "z") + row[spot + 1 :]
    return _must_not(plain(block, dice), [wrong if n == at else r for n, r in enumerate(block.text)])


def other_quotes(block: Block, dice: random.Random) -> Draft | None:
    """Straight quotes of the other kind: other text."""
    swap = str.maketrans("\"'", "'\"")
    old = [r.translate(swap) for r in block.text]
    return _must_not(plain(block, dice), old) if tuple(old) != block.text else None


def uneven(block: Block, dice: random.Random) -> Draft | None:
    """One row is indented more against the others than in the file."""
    at = block.row - block.first
    if not 0 < at < len(block.text) - 1:
        return None
    return _must_not(plain(block, dice), [f"   {r}" if n == at else r for n, r in enumerate(block.text)])


def escaped(block: Block, dice: random.Random) -> Draft | None:
    """Line feeds written as two characters."""
    return _must_not(plain(block, dice), ["\\n".join(block.text)])


def imports_not_shown(block: Block, dice: random.Random) -> Draft | None:
    """The line that stands for imports not shown."""
    return _must_not(plain(block, dice), [block.text[0], "[… 12 lines of imports …]", *block.text[1:]])


def omission_added(block: Block, dice: random.Random) -> Draft | None:
    """The new text has a line that stands for lines not shown."""
    draft = plain(block, dice)
    return _must_not(replace(draft, new=(*draft.new[:1], "[… 7 blank lines …]", *draft.new[1:])))


def empty_old(block: Block, dice: random.Random) -> Draft | None:
    """Nothing to look for."""
    return replace(plain(block, dice), old=(), want=None)


def identical(block: Block, dice: random.Random) -> Draft | None:
    """Nothing to change."""
    return replace(plain(block, dice), new=block.text, want=None)
