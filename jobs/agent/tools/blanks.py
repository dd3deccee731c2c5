"""Old texts whose blank lines are not as many as the file's, and marker lines of what a view left out. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from jobs.agent.tools.lines import Lines
from jobs.agent.tools.place import Find, Hit, Place, Wanted, rarest

_BLANKS = re.compile(r"\s*\[… \d+ blank lines …\]\s*")
_IMPORTS = re.compile(r"\s*\[… \d+ lines of imports …\]\s*")
# Whatever our results put in the place of what they leave out: alone on a line, or at the end of one that is cut.
_MARK = re.compile(r"\s*\[… [^\n]+ …\]\s*|.*\[… \d+ more characters(?: of this line)? …\]\s*")


@dataclass(frozen=True)
class _Token:
    """A line with text (`text` without trailing white space), or a run of blank lines (`text` empty)."""

    text: str
    rows: tuple[str, ...]
    marked: bool = False


def imports_marker(rows: Sequence[str]) -> str | None:
    """The line of `rows` that stands for imports that were not shown."""
    return next((row.strip() for row in rows if _IMPORTS.fullmatch(row)), None)


def marks(rows: Sequence[str]) -> list[str]:
    """The lines of `rows` that are marks, or end in one, of what a result did not show."""
    return [row.strip() for row in rows if "[… " in row and _MARK.fullmatch(row)]


def blanks(*, loose: bool) -> Find:
    """Lines equal but for trailing white space, each run of blank lines any run of at least one.

    With `loose` a run may also be missing in either text. Blank lines on which old and new agree stay the file's.
    """

    def find(lines: Lines, edit: Wanted) -> list[Place]:
        old, new = _tokens(edit.given), _tokens(edit.wanted)
        texts = [t.text for t in old if t.text]
        if not texts or (not loose and len(texts) == len(old)):
            return []
        at = _places(lines, texts)
        hits = (_hit(lines, old, new, lines.solid[k : k + len(texts)], loose=loose) for k in at)
        return [(hit,) for hit in hits if hit is not None]

    return find


def _places(lines: Lines, texts: Sequence[str]) -> list[int]:
    """Where in the file's lines with text `texts` stand, nothing but blank lines between them."""
    stand, size = lines.solid, len(texts)
    rare = rarest(lines, texts)
    found = () if rare is None else lines.with_word(rare[0], len(stand))
    starts = range(len(stand)) if rare is None else [bisect_left(stand, row) - rare[1] for row in found]
    return [
        k
        for k in starts
        if 0 <= k <= len(stand) - size and all(lines.rows[stand[k + n]].rstrip() == t for n, t in enumerate(texts))
    ]


def _tokens(rows: Sequence[str]) -> list[_Token]:
    out: list[_Token] = []
    for row in rows:
        marked = _BLANKS.fullmatch(row) is not None
        if row.strip() and not marked:
            out.append(_Token(row.rstrip(), (row,)))
        elif out and not out[-1].text:
            out[-1] = _Token("", (*out[-1].rows, row), marked or out[-1].marked)
        else:
            out.append(_Token("", (row,), marked))
    return out


def _hit(
    lines: Lines, old: Sequence[_Token], new: Sequence[_Token], stand: Sequence[int], *, loose: bool
) -> Hit | None:
    """The place whose lines with text are `stand`; None if the blank lines between can't be accounted for."""
    runs = _runs(lines, old, stand)
    if runs is None or (not loose and any(not run for run, t in zip(runs, old, strict=True) if not t.text)):
        return None
    if any(not run and t.marked for run, t in zip(runs, old, strict=True)):
        return None
    given, extra = _given(lines, old, stand, runs)
    if extra and not loose:
        return None
    wanted = _wanted(old, new, runs, extra)
    first = stand[0] - (len(runs[0]) if not old[0].text else 0)
    return None if wanted is None else Hit(first, given, wanted, wanted)


def _runs(lines: Lines, old: Sequence[_Token], stand: Sequence[int]) -> list[tuple[str, ...]] | None:
    """What of the file each token is: its line as the writer gave it, or the file's blank lines."""
    out, k = [], 0
    for token in old:
        if token.text:
            out.append(token.rows)
            k += 1
        else:
            out.append(_between(lines, stand, k))
    return out


def _between(lines: Lines, stand: Sequence[int], k: int) -> tuple[str, ...]:
    """The blank lines before the `k`th line with text."""
    first = stand[k - 1] + 1 if k else _back(lines, stand[0])
    stop = stand[k] if k < len(stand) else _forth(lines, stand[-1] + 1)
    return lines.pieces[first:stop]


def _back(lines: Lines, at: int) -> int:
    while at and not lines.rows[at - 1].strip():
        at -= 1
    return at


def _forth(lines: Lines, at: int) -> int:
    while at < len(lines.rows) and not lines.rows[at].strip():
        at += 1
    return at


def _given(
    lines: Lines, old: Sequence[_Token], stand: Sequence[int], runs: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], dict[int, tuple[str, ...]]]:
    """The file's lines as the writer might have given them, and by token the blank lines behind it that old_string
    does not have."""
    given: list[str] = []
    extra: dict[int, tuple[str, ...]] = {}
    k = 0
    for n, (token, run) in enumerate(zip(old, runs, strict=True)):
        given += run
        k += bool(token.text)
        if token.text and n + 1 < len(old) and old[n + 1].text and (more := _between(lines, stand, k)):
            extra[n] = more
            given += more
    return tuple(given), extra


def _wanted(
    old: Sequence[_Token], new: Sequence[_Token], runs: Sequence[tuple[str, ...]], extra: dict[int, tuple[str, ...]]
) -> tuple[str, ...] | None:
    """The lines that shall stand there; None if it is not clear where blank lines belong that the writer did not give,
    or a marker would be written."""
    out: list[str] = []
    kept: set[int] = set()
    pairs = SequenceMatcher(None, [t.text for t in old], [t.text for t in new], autojunk=False).get_opcodes()
    grown = {i1 for tag, i1, _, _, _ in pairs if tag == "insert"}
    gone = {i for tag, i1, i2, _, _ in pairs if tag == "delete" for i in range(i1, i2)}
    for tag, i1, i2, j1, j2 in pairs:
        if tag != "equal":
            if any(t.marked for t in new[j1:j2]):
                return None
            out += [row for t in new[j1:j2] for row in t.rows]
            continue
        for i, j in zip(range(i1, i2), range(j1, j2), strict=True):
            rows = _kept(old, new[j], runs, i, gone)
            if rows is None or (i in extra and i + 1 in grown):
                return None
            before = () if i - 1 in kept else extra.get(i - 1, ())
            out += (*before, *rows, *extra.get(i, ()))
            kept |= {i - 1, i}
    return tuple(out) if kept >= set(extra) else None


def _kept(
    old: Sequence[_Token], token: _Token, runs: Sequence[tuple[str, ...]], at: int, gone: set[int]
) -> tuple[str, ...] | None:
    """What stays of the old token `at` where the new text has `token`; None if it is a run of blank lines made longer
    or shorter by someone who knew its length wrongly.

    A run as long as two with a removed line between them is both.
    """
    if token.text:
        return token.rows
    if len(token.rows) == len(old[at].rows):
        return runs[at]
    for step in (1, -1):
        other = at + step
        while other in gone and old[other].text:
            other += step
        if other in gone and len(token.rows) == len(old[at].rows) + len(old[other].rows):
            return runs[at] + runs[other] if step == 1 else runs[other] + runs[at]
    return None
