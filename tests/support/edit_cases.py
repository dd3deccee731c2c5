"""Seeded edit cases whose one right result, or refusal, is known by construction."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import edit_drafts
import edit_refusals
from edit_blocks import Block, blocks, source_files
from edit_drafts import Draft

FORMS = ("lf", "lf", "crlf", "mixed", "bom", "latin-1", "utf-16", "no end")


@dataclass(frozen=True)
class Case:
    """`want` None: must be refused. `place` are the rows (from 0, end not included) that were meant, if any were."""

    kind: str
    suffix: str
    form: str
    data: bytes
    old: str
    new: str
    want: bytes | None
    place: tuple[int, int] | None = None
    context: str | None = None


def cases(seed: int, each: int, files: int = 600) -> Iterator[Case]:
    """`each` cases of every kind, made from about `files` source files."""
    dice = random.Random(seed)
    source = blocks(dice, source_files(dice, files))
    for kind, make in KINDS.items():
        made = 0
        for block in source:
            draft = make(block, dice)
            if draft is not None:
                yield _case(kind, block, draft, dice.choice(FORMS), dice)
                made += 1
            if made == each:
                break


def _case(kind: str, block: Block, draft: Draft, form: str, dice: random.Random) -> Case:
    rows, want = draft.rows, draft.want
    if form == "latin-1":
        plain = all(ord(c) < 256 for row in (*rows, *draft.old, *draft.new) for c in row)
        form = form if plain else "lf"
        rows = (*rows, "caf\xe9 \xa3") if plain else rows
        want = (*want, "caf\xe9 \xa3") if plain and want is not None else want
    ends = [dice.choice(("\n", "\r\n")) if form == "mixed" else "\r\n" if form == "crlf" else "\n" for _ in rows]
    if form == "no end":
        ends[-1] = ""
    data = _bytes(rows, ends, form)
    result = None if want is None else _bytes(want, _ends_of(ends, draft.changed, len(want) - len(rows)), form)
    old, new = draft.eol.join(draft.old), draft.eol.join(draft.new)
    return Case(kind, block.suffix, form, data, old, new, result, (block.first, block.stop), draft.context)


def _ends_of(ends: Sequence[str], at: int, more: int) -> list[str]:
    """The line ends where `more` lines stand behind row `at` (fewer than none: where that row is gone)."""
    out = [*ends[: at + 1], *([ends[at]] * max(more, 0)), *ends[at + 1 :]]
    return [*ends[:at], *ends[at + 1 :]] if more < 0 else out


def _bytes(rows: Sequence[str], ends: Sequence[str], form: str) -> bytes:
    text = "".join(row + end for row, end in zip(rows, ends, strict=True))
    if form == "utf-16":
        return b"\xff\xfe" + text.encode("utf-16-le")
    return (b"\xef\xbb\xbf" if form == "bom" else b"") + text.encode("latin-1" if form == "latin-1" else "utf-8")


KINDS: dict[str, Callable[[Block, random.Random], Draft | None]] = {
    f.__name__: f
    for f in (
        edit_drafts.plain,
        edit_drafts.dedent,
        edit_drafts.shift,
        edit_drafts.tabs,
        edit_drafts.trailing,
        edit_drafts.spacing,
        edit_drafts.curly,
        edit_drafts.blank_lines,
        edit_drafts.blank_dropped,
        edit_drafts.trimmed,
        edit_drafts.near_twin,
        edit_drafts.crlf_old,
        edit_drafts.numbered,
        edit_drafts.with_context,
        edit_drafts.elided,
        edit_refusals.ambiguous_exact,
        edit_refusals.ambiguous_space,
        edit_refusals.hallucinated_middle,
        edit_refusals.hallucinated_line,
        edit_refusals.stale,
        edit_refusals.typo,
        edit_refusals.other_quotes,
        edit_refusals.uneven,
        edit_refusals.escaped,
        edit_refusals.imports_not_shown,
        edit_refusals.omission_added,
        edit_refusals.empty_old,
        edit_refusals.identical,
    )
}
