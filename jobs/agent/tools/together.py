"""Several edits of one file: all matched against the file as it was shown, carried out together. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from jobs.agent.seen import Span, Spans, covers
from jobs.agent.tools.arguments import OneEdit
from jobs.agent.tools.faults import Ambiguous, Missed
from jobs.agent.tools.lines import Lines, NotText, fold
from jobs.agent.tools.match import Found, find, write
from jobs.agent.tools.omission import omits
from jobs.errors import PatchwrightError


class Unseen(PatchwrightError):
    """The old text stands only loosely (`rung`) where it has its place, the lines `spans`, and they were not shown."""

    def __init__(self, rung: str, spans: Spans) -> None:
        super().__init__("the lines that it would change were not shown, so old_string must match them exactly")
        self.rung = rung
        self.spans = spans


Fault = Missed | Ambiguous | NotText | Unseen
_FAULTS = (Missed, Ambiguous, NotText, Unseen)


@dataclass(frozen=True)
class Together:
    """What the edits of one file come to. `rungs`, `faults` and `notes` are by edit number; `lines` is the text
    with the good ones made."""

    lines: Lines
    rungs: Mapping[int, str] = field(default_factory=dict)
    faults: Mapping[int, Fault] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)


def together(lines: Lines, edits: Sequence[tuple[int, OneEdit]], seen: Spans | None = None) -> Together:
    """`lines` with every edit that has a place, in the order of the file. `seen` are the lines that the writer of the
    edits sees (None: all).

    Equal edits count once. Two that change one line exclude each other, unless both are exact and touch different
    characters of it. An edit without a place, or a later one with several, is tried once more on the text that the
    others leave.
    """
    twins = _twins({n: (fold(e.old_string), fold(e.new_string), e.change_context, e.replace_all) for n, e in edits})
    single = {n: one for n, one in edits if n not in twins}
    found: dict[int, Found] = {}
    faults: dict[int, Fault] = {}
    for number, one in single.items():
        try:
            found[number] = _find(lines, one, seen)
        except _FAULTS as no:
            faults[number] = no
    twins |= _twins({n: tuple((h.first, h.given, h.new, h.moved) for h in f.hits) for n, f in found.items()})
    clashes, later = _clashes({n: f for n, f in found.items() if n not in twins})
    faults |= clashes
    good = {n: f for n, f in found.items() if n not in clashes and n not in later and n not in twins}
    try:
        after = write(lines, [hit for f in good.values() for hit in f.hits])
    except NotText as no:
        return Together(lines, {}, dict.fromkeys(single, no))
    last = max(good, default=0)
    waiting = [n for n in single if n in later or (n not in clashes and _may_wait(n, faults.get(n), last))]
    done = Together(after, {n: f.rung for n, f in good.items()}, faults, _inside(good))
    return _with_twins(_afterwards(done, {n: single[n] for n in waiting}, strict=seen is not None), twins)


def _may_wait(number: int, fault: Fault | None, last: int) -> bool:
    """Whether a faulty edit may be meant for what the others leave: one without a place, or one with several where
    all the others, up to `last`, were written before it and may have left it a single one."""
    return isinstance(fault, Missed) or (isinstance(fault, Ambiguous) and fault.rung == "exact" and number > last)


def _twins(meaning: Mapping[int, Hashable]) -> dict[int, int]:
    """The numbers of what means the same as an earlier one, with the earlier number."""
    first: dict[Hashable, int] = {}
    return {n: first[what] for n, what in meaning.items() if first.setdefault(what, n) != n}


def _find(lines: Lines, one: OneEdit, seen: Spans | None) -> Found:
    if mark := omits(fold(one.new_string), fold(one.old_string)):
        raise Missed(
            f"new_string leaves text out: its line {mark!r} stands for lines that are not written",
            "write every line, or send edits of only the lines that change; if this very line is meant, word it "
            "otherwise",
        )
    found = find(lines, one.old_string, one.new_string, change_context=one.change_context, replace_all=one.replace_all)
    # Who sends a text character by character knows it, wherever it was read (a trace, a search), and it is the only
    # such text or the one that was named: nothing else can be hit. What is only alike must have been in view.
    if found.rung != "exact" and not covers(seen, spans := _spans(found, lines)):
        raise Unseen(found.rung, spans)
    return found


def _spans(found: Found, lines: Lines) -> Spans:
    """The lines that change, from 1; a piece behind the final line feed is no line."""
    last = len(lines.rows)
    rows: list[Span] = [(min(hit.first + 1, last), min(hit.stop, last)) for hit in found.hits]
    return tuple(rows)


def _clashes(found: Mapping[int, Found]) -> tuple[dict[int, Fault], list[int]]:
    """The edits that exclude each other, and those that only share a line with an earlier one."""
    clashes: dict[int, Fault] = {}
    later: list[int] = []
    numbers = sorted(found)
    for at, a in enumerate(numbers):
        for b in numbers[at + 1 :]:
            if not _overlap(found[a], found[b]):
                continue
            if _beside(found[a], found[b]):
                later.append(b)
                continue
            spans = {n: "lines {}-{}".format(*found[n].lines) for n in (a, b)}
            for n, other in ((a, b), (b, a)):
                why = f"it overlaps edit {other}: this one changes {spans[n]}, that one {spans[other]}"
                clashes[n] = Missed(why, "send one edit that makes both changes")
    return clashes, [n for n in later if n not in clashes]


def _overlap(one: Found, other: Found) -> bool:
    return any(a.first < b.stop and b.first < a.stop for a in one.hits for b in other.hits)


def _beside(one: Found, other: Found) -> bool:
    """True if both are exact and no character is meant by both."""
    pairs = [(a.chars, b.chars) for a in one.hits for b in other.hits]
    return all(a is not None and b is not None and (a[1] <= b[0] or b[1] <= a[0]) for a, b in pairs)


def _afterwards(state: Together, waiting: Mapping[int, OneEdit], *, strict: bool) -> Together:
    """Tries each waiting edit on what the others left; only exact text or white space may differ then, and with
    `strict` nothing."""
    lines, rungs, faults, notes = state.lines, dict(state.rungs), dict(state.faults), dict(state.notes)
    for number, one in waiting.items():
        if not rungs:
            break
        try:
            found = _find(lines, one, () if strict or isinstance(faults.get(number), Ambiguous) else None)
            lines = write(lines, found.hits)
        except Unseen as no:  # its lines are those of a text that nobody sees
            faults.setdefault(number, Missed(f"it stands only loosely ({no.rung}) in what the other edits leave"))
            continue
        except (Missed, Ambiguous, NotText) as no:
            faults.setdefault(number, no)
            continue
        rungs[number] = found.rung
        notes |= _inside({number: found})
        if faults.pop(number, None):
            late = f"edit {number} has a place only in what the other edits left: check it in the diff"
            notes[number] = "; ".join(filter(None, (late, notes.get(number))))
    return Together(lines, rungs, faults, notes)


def _inside(found: Mapping[int, Found]) -> dict[int, str]:
    """By edit what is said of exact text inside longer words."""
    return {
        n: f"edit {n} changed a part of a longer word ({', '.join(f.inside)}): if the word alone was meant, change "
        "this back and send old_string with what stands around it"
        for n, f in found.items()
        if f.inside
    }


def _with_twins(done: Together, twins: Mapping[int, int]) -> Together:
    """The repeated edits told as what became of the earlier ones."""
    same = {n: one for n, one in ((n, twins.get(one, one)) for n, one in twins.items()) if one in done.rungs}
    notes = {n: f"edit {n} repeats edit {one} and was made once" for n, one in same.items()}
    return replace(
        done, rungs={**done.rungs, **{n: done.rungs[one] for n, one in same.items()}}, notes={**done.notes, **notes}
    )
