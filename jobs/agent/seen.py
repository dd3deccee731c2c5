"""What a result shows of one file: all of it, some lines, a change, or a pointer. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

Span = tuple[int, int]
Spans = tuple[Span, ...]
Kept = tuple[int, int, int]
Sight = Literal["whole", "part", "diff", "pointer"]


@dataclass(frozen=True)
class Seen:
    """Text of one file that a result showed. Make one by its kind of sight:

    whole    every line of the bytes `sha256`: `spans` is None
    part     the lines `spans` of them (from 1, both ends included)
    diff     a change card: `spans` are the lines of it that stand in the file now; the `kept` runs (first and last
             line before, first line now) are as they were in the bytes `before`, so whoever saw those knows them
    pointer  lines of a search, of a state that is not known, or a mere mention
    """

    sha256: str | None
    spans: Spans | None = ()
    before: str | None = None
    kept: tuple[Kept, ...] = ()

    @classmethod
    def whole(cls, sha256: str) -> Seen:
        """Every line."""
        return cls(sha256, None)

    @classmethod
    def part(cls, sha256: str, spans: Spans | None, count: int) -> Seen:
        """The lines `spans` (None: all) of a file that has `count`; they may be all of them."""
        return cls.whole(sha256) if covers(spans, [(1, count)] if count else []) else cls(sha256, spans)

    @classmethod
    def diff(cls, sha256: str, before: str, spans: Iterable[Span], kept: Iterable[Kept]) -> Seen:
        """What a change did."""
        return cls(sha256, tuple(spans), before, tuple(kept))

    @classmethod
    def pointer(cls, spans: Iterable[Span] = ()) -> Seen:
        """Lines that a search found, or none."""
        return cls(None, tuple(spans))

    @property
    def sight(self) -> Sight:
        """Which kind of sight it is."""
        if self.sha256 is None:
            return "pointer"
        if self.before is not None:
            return "diff"
        return "whole" if self.spans is None else "part"

    def after(self, known: Spans | None) -> Spans | None:
        """The lines now known to whoever knew the lines `known` (None: all) of the bytes `before`. Who knew all of
        them knows all: a card is of the diff kind only if it shows everything that changed."""
        if known is None or self.spans is None:
            return None
        moved = [
            (max(s, first) + now - first, min(e, last) + now - first)
            for first, last, now in self.kept
            for s, e in known
            if max(s, first) <= min(e, last)
        ]
        return joined([*moved, *self.spans])

    def to_trace(self) -> dict[str, Any]:
        """{sha256, sight, spans}, of a diff {before, kept} too."""
        row = {"sha256": self.sha256, "sight": self.sight, "spans": self.spans}
        return row if self.before is None else {**row, "before": self.before, "kept": self.kept}


def joined(spans: Iterable[Span]) -> Spans:
    """`spans` in order, those that meet or overlap as one."""
    out: list[Span] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        elif start <= end:
            out.append((start, end))
    return tuple(out)


def covers(shown: Spans | None, asked: Iterable[Span]) -> bool:
    """Whether every one of the `asked` lines is among the `shown` ones (None: all; those that meet are joined)."""
    return shown is None or all(any(s <= start and end <= e for s, e in shown) for start, end in asked)


def without(spans: Iterable[Span], gone: Iterable[Span]) -> Spans:
    """The lines of `spans` that are not among the `gone` ones."""
    out: list[Span] = []
    holes, at = joined(gone), 0
    for start, end in joined(spans):
        while at < len(holes) and holes[at][1] < start:
            at += 1
        first = start
        for hole in holes[at:]:
            if hole[0] > end:
                break
            out += [(first, hole[0] - 1)] if hole[0] > first else []
            first = hole[1] + 1
        out += [(first, end)] if first <= end else []
    return tuple(out)


def named(spans: Iterable[Span]) -> str:
    """`3-6, 9` for the lines 3 to 6 and 9."""
    return ", ".join(str(start) if start == end else f"{start}-{end}" for start, end in spans)
