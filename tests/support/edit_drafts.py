"""Edits as careless writers render them, each with the one result that it must have."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from edit_blocks import Block, bare, stands_once


@dataclass(frozen=True)
class Draft:
    """A case in rows: the file, the writer's texts, and the rows that shall stand there afterwards."""

    rows: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    want: tuple[str, ...] | None
    changed: int  # the file's row that is replaced, whose line end a result takes
    context: str | None = None
    eol: str = "\n"


def plain(block: Block, dice: random.Random) -> Draft:
    """One row replaced, added or removed; old and new verbatim."""
    at, row = block.row, block.rows[block.row]
    fresh = f"{row[: len(row) - len(row.lstrip())]}edited_value({dice.randrange(1000)})"
    instead = dice.choice(((fresh,), (fresh,), (row, fresh), ()))
    if not instead and at in (block.first, block.stop - 1):
        instead = (fresh,)
    new = (*block.rows[block.first : at], *instead, *block.rows[at + 1 : block.stop])
    return Draft(block.rows, block.text, new, (*block.rows[:at], *instead, *block.rows[at + 1 :]), at)


def rendered(block: Block, dice: random.Random, pen: Callable[[str], str | None]) -> Draft | None:
    """A plain edit whose every row the writer renders with `pen`."""
    draft = plain(block, dice)
    old, new = [pen(r) for r in draft.old], [pen(r) for r in draft.new]
    if None in (*old, *new) or tuple(old) == draft.old:
        return None
    return replace(draft, old=tuple(r or "" for r in old), new=tuple(r or "" for r in new))


def dedent(block: Block, dice: random.Random) -> Draft | None:
    """The writer leaves the common indentation out."""
    least = min(len(r) - len(r.lstrip()) for r in block.text if r.strip())
    return rendered(block, dice, lambda r: r[least:]) if least else None


def shift(block: Block, dice: random.Random) -> Draft | None:
    """The writer indents everything more."""
    more = " " * dice.choice((2, 4, 8))
    return rendered(block, dice, lambda r: more + r if r.strip() else r)


def tabs(block: Block, dice: random.Random) -> Draft | None:
    """The writer has tabs for the file's spaces, or the other way round."""
    draft = plain(block, dice)
    steps = [len(r) - len(r.lstrip(" ")) for r in draft.old if r.strip()]
    if any(r.lstrip(" ").startswith("\t") for r in draft.old) or not any(steps) or any(n % 4 for n in steps):
        return None
    old, new = (tuple(_tabbed(r) for r in rows) for rows in (draft.old, draft.new))
    if dice.random() < 0.5 or draft.want is None:
        return replace(draft, old=old, new=new)
    rows, want = (tuple(_tabbed(r) for r in rows) for rows in (draft.rows, draft.want))
    return replace(draft, rows=rows, want=want)


def _tabbed(row: str) -> str:
    count = (len(row) - len(row.lstrip(" "))) // 4
    return "\t" * count + row[4 * count :]


def trailing(block: Block, dice: random.Random) -> Draft | None:
    """White space at line ends: the file's own, which stays, or the writer's, which does not come in."""
    draft = plain(block, dice)
    if dice.random() < 0.5 or draft.want is None:
        ends = {r: r + dice.choice((" ", "  ", "\t")) for r in draft.old}
        return replace(draft, old=tuple(ends[r] for r in draft.old), new=tuple(ends.get(r, r) for r in draft.new))
    kept = [n for n in range(block.first, block.stop) if n != block.row]
    rows = tuple(r + "  " if n in kept else r for n, r in enumerate(draft.rows))
    more = len(draft.want) - len(rows)
    after = (draft.want[block.row : block.row + 1 + more], rows[block.row + 1 :])
    return replace(draft, rows=rows, want=(*rows[: block.row], *after[0], *after[1]))


def spacing(block: Block, dice: random.Random) -> Draft | None:
    """The writer spaces punctuation otherwise."""
    return rendered(block, dice, lambda r: _respaced(r) if "edited_value" not in r else r)


def _respaced(row: str) -> str:
    lead = row[: len(row) - len(row.lstrip())]
    return lead + row.strip().replace(" = ", "=").replace(", ", ",").replace(": ", ":  ")


def curly(block: Block, dice: random.Random) -> Draft | None:
    """The file has typographic quotes on rows that stay."""
    draft = plain(block, dice)
    kept = [n for n in range(block.first, block.stop) if n != block.row and set(draft.rows[n]) & {'"', "'", "-"}]
    if not kept or draft.want is None:
        return None
    typeset = str.maketrans("\"'-", "”’—")
    more = len(draft.want) - len(draft.rows)
    there = {n: draft.rows[n].translate(typeset) for n in kept}
    want = tuple(there.get(n, r) for n, r in enumerate(draft.rows))
    middle = draft.want[block.row : block.row + 1 + more]
    return replace(draft, rows=want, want=(*want[: block.row], *middle, *want[block.row + 1 :]))


def blank_lines(block: Block, dice: random.Random) -> Draft | None:
    """The writer has more or fewer blank lines in a row than the file."""
    more = dice.randint(2, 4)
    return _reblanked(block, dice, lambda count: [""] * (more if count != more else more + 1))


def blank_dropped(block: Block, dice: random.Random) -> Draft | None:
    """The writer leaves blank lines out."""
    return _reblanked(block, dice, lambda count: [])


def trimmed(block: Block, dice: random.Random) -> Draft | None:
    """The writer copies the line that stands for blank lines not shown."""
    return _reblanked(block, dice, lambda count: [f"[… {count} blank lines …]"])


def _reblanked(block: Block, dice: random.Random, run: Callable[[int], list[str]]) -> Draft | None:
    at = next((n for n in range(block.first + 1, block.stop - 1) if not block.rows[n]), None)
    if at is None or not block.rows[block.row].strip() or block.row + 1 == at:
        return None
    draft = plain(block, dice)
    first, stop = at, at
    while not block.rows[stop]:
        stop += 1
    old, new = list(draft.old), list(draft.new)
    i = first - block.first
    j = i + (len(new) - len(old) if block.row < first else 0)
    old[i : i + stop - first] = run(stop - first)
    new[j : j + stop - first] = run(stop - first)
    solid = "".join(bare(r) for r in old if "blank lines" not in r)
    return replace(draft, old=tuple(old), new=tuple(new)) if len(solid) > 20 else None


def near_twin(block: Block, dice: random.Random) -> Draft | None:
    """The file has a second block that differs in one row."""
    draft = plain(block, dice)
    twin = tuple(f"{r}2" if n + block.first == block.row else r for n, r in enumerate(block.text))
    if draft.want is None or not stands_once((*draft.rows, *twin), draft.old):
        return None
    return replace(draft, rows=(*draft.rows, *twin), want=(*draft.want, *twin))


def crlf_old(block: Block, dice: random.Random) -> Draft | None:
    """The writer's line ends are CRLF."""
    return replace(plain(block, dice), eol="\r\n")


def numbered(block: Block, dice: random.Random) -> Draft | None:
    """The writer copies the line numbers."""
    draft = plain(block, dice)
    sign = dice.choice(("\t", ": ", " | "))
    return replace(draft, old=tuple(f"{n}{sign}{r}" for n, r in enumerate(draft.old, block.first + 1)))


def with_context(block: Block, dice: random.Random) -> Draft | None:
    """The text stands twice; a line that stands once above it chooses."""
    draft = plain(block, dice)
    if draft.want is None or not block.rows[-1] or block.rows[-1][0].isspace():
        return None
    head = f"unique_head_{dice.randrange(10**6)}"
    tail = (head, *block.text)
    body = draft.new
    row = len(draft.rows) + 1 + block.row - block.first
    return replace(draft, rows=(*draft.rows, *tail), want=(*draft.rows, head, *body), changed=row, context=head)


def elided(block: Block, dice: random.Random) -> Draft | None:
    """`...` in old and new for lines that stay."""
    old, rows = block.text, block.rows
    depth = [len(r) - len(r.lstrip()) for r in old]
    ends = max(depth[0], depth[-1])
    single = all(rows.count(r) == 1 for r in (old[0], old[-1]))
    if len(old) < 4 or not single or any(d < ends for d, r in zip(depth, old, strict=True) if r.strip()):
        return None
    if depth[-1] > depth[0]:
        return None
    fresh = old[-1][: depth[-1]] + "edited_value(3)"
    want = (*rows[: block.stop - 1], fresh, *rows[block.stop :])
    return Draft(rows, (old[0], "...", old[-1]), (old[0], "...", fresh), want, block.stop - 1)
