"""What a shown change lets its reader know of the file's new text, and of the old one still. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from jobs.agent.seen import Kept, Seen, Span
from jobs.agent.tools.card import CONTEXT
from jobs.agent.tools.lines import Lines

_Run = tuple[bool, int, int, int, int]
_State = tuple[bytes, str]  # bytes and their sha256


def carried(before: _State, after: _State, *, whole: bool) -> Seen:
    """The sight of a change card; `whole` says that it shows the lines around each change too, and not only those that
    changed. Raises NotText."""
    old, new = Lines.decode(before[0]).rows, Lines.decode(after[0]).rows
    kept, changed = _compared(old, new)
    beside = CONTEXT if whole else 0
    spans = [(max(1, start - beside), min(len(new), end + beside)) for start, end in changed]
    return Seen.diff(after[1], before[1], [span for span in spans if span[0] <= span[1]], kept)


def _compared(old: Sequence[str], new: Sequence[str]) -> tuple[list[Kept], list[Span]]:
    """The runs of lines that stayed, and the new lines (last before first where some were only removed) of the
    changes."""
    size = min(len(old), len(new))
    head = next((n for n in range(size) if old[n] != new[n]), size)
    most = size - head
    tail = next((n for n in range(most) if old[-1 - n] != new[-1 - n]), most)
    middle = _runs(old[head : len(old) - tail], new[head : len(new) - tail])
    kept: list[Kept] = [(1, head, 1)] if head else []
    kept += [(head + i1 + 1, head + i2, head + j1 + 1) for same, i1, i2, j1, _ in middle if same]
    kept += [(len(old) - tail + 1, len(old), len(new) - tail + 1)] if tail else []
    return kept, [(head + j1 + 1, head + j2) for same, _, _, j1, j2 in middle if not same]


def _runs(old: Sequence[str], new: Sequence[str]) -> list[_Run]:
    """(equal, first and stop before, first and stop now) of each run, from 0."""
    beside = list(map(str.__eq__, old, new))
    if len(old) == len(new) and 2 * sum(beside) >= len(old):
        # Lines were changed where they are, perhaps a great many of them: a search for moved ones would take long.
        ends = [n for n in range(1, len(old)) if beside[n] != beside[n - 1]]
        return [(beside[a], a, b, a, b) for a, b in pairwise([0, *ends, len(old)]) if a < b]
    found = SequenceMatcher(None, old, new).get_opcodes()
    return [(tag == "equal", i1, i2, j1, j2) for tag, i1, i2, j1, j2 in found]
