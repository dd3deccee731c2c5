"""What a failed edit is told: the nearest text that really stands in the file, and the next step. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from jobs.agent.tools.lines import Lines, fold
from jobs.agent.tools.nearest import Candidate, nearest, rows_of

_AROUND = 2  # lines shown on each side of a candidate
_BEST, _OTHER = 40, 8  # lines of the best candidate and of each other one
_ROW = 160  # characters of one shown line
_CHARS = 2_800  # of all candidates
_PLACES = 5


def told(lines: Lines, old: str) -> str:
    """The candidates with numbered lines, and where the best one first differs; empty if nothing is alike."""
    found = nearest(lines, old)
    if not found:
        return ""
    best = found[0]
    head = f"Nearest: lines {best.first + 1}-{best.last + 1} ({best.ratio:.0%} alike)"
    text = f"{head}{_difference(lines.rows, best, old)}\n{_window(lines.rows, best, _BEST, _CHARS)}"
    left = _CHARS - len(text)
    for other in found[1:]:
        shown = _window(lines.rows, other, _OTHER, max(left // 2, 400))
        text += f"\nAlso alike: lines {other.first + 1}-{other.last + 1} ({other.ratio:.0%})\n{shown}"
    return text


def span(lines: Lines, old: str) -> tuple[int, int] | None:
    """First and last line (from 1) of the likeliest place."""
    found = nearest(lines, old, most=1)
    return (found[0].first + 1, found[0].last + 1) if found else None


def _difference(rows: Sequence[str], best: Candidate, old: str) -> str:
    wanted = rows_of(old)
    there = rows[best.first : best.last + 1]
    pair = SequenceMatcher(None, [r.strip() for r in there], [w.strip() for w in wanted], autojunk=False)
    for tag, i1, i2, j1, j2 in pair.get_opcodes():
        if tag != "equal":
            is_ = _cut(there[i1]) if i1 < i2 else "(no such line)"
            was = _cut(wanted[j1]) if j1 < j2 else "(no such line)"
            at = best.first + i1 + 1
            return f"; first difference at line {at}:\n  file:  {is_}\n  yours: {was}\nThe file's lines"
    return "; they differ in white space only. The file's lines"


def _window(rows: Sequence[str], place: Candidate, most: int, chars: int) -> str:
    first = max(0, place.first - _AROUND)
    stop = min(len(rows), place.last + 1 + _AROUND, first + most)
    out: list[str] = []
    for number in range(first, stop):
        row = f"{number + 1}\t{_cut(rows[number])}"
        if out and sum(map(len, out)) + len(row) > chars:
            break
        out.append(row)
    left = place.last + 1 - (first + len(out))
    return "\n".join([*out, f"[… {left} more lines of this place …]"] if left > 0 else out)


def _cut(row: str) -> str:
    return row if len(row) <= _ROW else f"{row[:_ROW]}[… {len(row) - _ROW} more characters …]"


def standing(lines: Lines, new: str) -> tuple[int, int] | None:
    """The lines (from 1) on which `new`, if of some length, already stands as it is."""
    text = fold(new).strip("\n")
    if len(text.strip()) < 20 or (at := lines.view.find(text)) < 0:
        return None
    first = lines.view.count("\n", 0, at) + 1
    return first, first + text.count("\n")


def places(rows: Sequence[str], numbers: Sequence[int]) -> str:
    """The places at `numbers` (from 1), each with what encloses it and, where that differs, the line that as
    change_context chooses it."""
    out = []
    for number, above, context in _chosen(rows, numbers):
        inside = f"in: {_cut(rows[above].strip())}" if above is not None else "in: top level"
        other = context is not None and context != above
        chosen = f"; change_context {_cut(rows[context].strip())!r}" if context is not None and other else ""
        lacking = "; no line above it chooses it" if context is None else ""
        out.append(f"line {number} ({inside}{chosen}{lacking})")
    more = f"; and {len(numbers) - _PLACES} more" if len(numbers) > _PLACES else ""
    return "; ".join(out) + more


def choosable(rows: Sequence[str], numbers: Sequence[int]) -> bool:
    """Whether `places` names a line that chooses one of them."""
    return any(context is not None for _, _, context in _chosen(rows, numbers))


def _chosen(rows: Sequence[str], numbers: Sequence[int]) -> Iterator[tuple[int, int | None, int | None]]:
    """(place, row that encloses it, row that chooses it) of the first few; rows from 0."""
    strip = [row.strip() for row in rows]
    for number in numbers[:_PLACES]:
        above = list(_enclosing(rows, number))
        context = next((n for n in above if strip.count(strip[n]) == 1), None)
        if context is not None and any(context + 1 <= n < number for n in numbers):
            context = None  # another place would be taken first
        yield number, above[0] if above else None, context


def _enclosing(rows: Sequence[str], line: int) -> list[int]:
    """The rows (from 0) that enclose `line` (from 1): each the nearest above that is indented less, innermost first."""
    depth, out = _depth(rows[line - 1]), []
    for number in range(line - 2, -1, -1):
        if rows[number].strip() and _depth(rows[number]) < depth:
            depth = _depth(rows[number])
            out.append(number)
            if not depth:
                break
    return out


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
