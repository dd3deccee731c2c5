"""Which lines two texts have in common, in time that repetitive texts don't stretch. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

_SEARCHED = 100_000  # pairs of lines up to which the longest common runs are searched for
_DEEP = 20  # parts of parts that are looked into

Run = tuple[bool, int, int, int, int]


def runs(old: Sequence[str], new: Sequence[str]) -> list[Run]:
    """(equal, first and stop before, first and stop now) of each run of lines, from 0, in order; together they are
    both texts. Of long texts only those runs are found that lie at an end, at lines that each text has once, or where
    they were."""
    found: list[Run] = []
    for run in _between(old, new, (0, len(old), 0, len(new))):
        last = found[-1] if found else None
        if last is not None and last[0] == run[0]:
            found[-1] = (run[0], last[1], run[2], last[3], run[4])
        elif run[1] < run[2] or run[3] < run[4]:
            found.append(run)
    return found


_Box = tuple[int, int, int, int]


def _between(old: Sequence[str], new: Sequence[str], box: _Box, depth: int = 0) -> Iterator[Run]:
    """The runs of the part `box` (first and stop in both)."""
    i1, i2, j1, j2 = box
    size = min(i2 - i1, j2 - j1)
    head = next((n for n in range(size) if old[i1 + n] != new[j1 + n]), size)
    tail = next((n for n in range(size - head) if old[i2 - 1 - n] != new[j2 - 1 - n]), size - head)
    yield True, i1, i1 + head, j1, j1 + head
    yield from _middle(old, new, (i1 + head, i2 - tail, j1 + head, j2 - tail), depth)
    yield True, i2 - tail, i2, j2 - tail, j2


def _middle(old: Sequence[str], new: Sequence[str], box: _Box, depth: int) -> Iterator[Run]:
    """The runs of a part whose ends differ."""
    i1, i2, j1, j2 = box
    if i1 == i2 or j1 == j2:
        yield False, *box
    elif (i2 - i1) * (j2 - j1) <= _SEARCHED:
        found = SequenceMatcher(None, old[i1:i2], new[j1:j2], autojunk=False).get_opcodes()
        yield from ((tag == "equal", i1 + a, i1 + b, j1 + c, j1 + d) for tag, a, b, c, d in found)
    elif beside := _beside(old, new, box):
        yield from beside
    elif depth < _DEEP and (anchors := _anchors(old, new, box)):
        for (a, c), (b, d) in pairwise([(i1 - 1, j1 - 1), *anchors, (i2, j2)]):
            yield from _between(old, new, (a + 1, b, c + 1, d), depth + 1)
            yield b < i2, b, min(b + 1, i2), d, min(d + 1, j2)
    else:
        yield False, *box


def _beside(old: Sequence[str], new: Sequence[str], box: _Box) -> list[Run]:
    """The runs of lines that were changed where they are, perhaps a great many; none if most are others now."""
    i1, i2, j1, j2 = box
    same = list(map(str.__eq__, old[i1:i2], new[j1:j2]))
    if i2 - i1 != j2 - j1 or 2 * sum(same) < len(same):
        return []
    ends = [0, *(n for n in range(1, len(same)) if same[n] != same[n - 1]), len(same)]
    return [(same[a], i1 + a, i1 + b, j1 + a, j1 + b) for a, b in pairwise(ends)]


def _anchors(old: Sequence[str], new: Sequence[str], box: _Box) -> list[tuple[int, int]]:
    """The longest series of lines that stand once in each text and in the same order, as (row before, row now)."""
    i1, i2, j1, j2 = box
    counts, others = Counter(old[i1:i2]), Counter(new[j1:j2])
    now = {new[j]: j for j in range(j1, j2) if others[new[j]] == 1}
    pairs = [(i, now[old[i]]) for i in range(i1, i2) if counts[old[i]] == 1 and old[i] in now]
    ends: list[int] = []  # of the best series of each length, the last row now
    last: list[int] = []  # and the pair that it is
    before: list[int] = []
    for n, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        last[length : length + 1] = [n]
    out, at = [], last[-1] if last else -1
    while at >= 0:
        out.append(pairs[at])
        at = before[at]
    return out[::-1]
