"""Lines that stand for others which are not written: `# ... existing code ...` and its like. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_LONGEST = 200  # characters of such a line
_OPENS = r"(?:#+|//+|/\*+|\*|--|<!--|;+|%+|\{/\*)"
_CLOSES = r" ?(?:\*/\}?|-->)? ?"
_DOTS = r"(?:\.{3,}|…)"
_FIRST = r"(?:existing|rest|remaining|remainder|other|others|previous|unchanged|same)"
_WORDS = r"(?: (?:[\w',/-]+|\(\w[\w ',/-]*\)))*"
_WHAT = r"(?:file|code|function|class|method|module|body|document|section|implementation|content|contents)"
_STAYS = r"(?:(?:is|are|be|was|were|stays?|remains?|left|kept|goes|go|all|exactly|the) )*"
_AS_IS = r"(?:unchanged|same|here|untouched|as (?:it (?:is|was)|is|was|before))(?: (?:as|here|before))*"
# All are for text with single spaces. Behind dots, words that mean other text, to the end of the line; dots right
# before a single word are syntax (`...rest`).
_DOTTED = re.compile(
    rf"(?P<opens>{_OPENS})? ?{_DOTS}(?P<gap> ?)[(\[]?(?:keep |leave )?(?:the |all )*{_FIRST}"
    rf"(?P<words>{_WORDS})[)\]]? ?\.? ?(?P<dots>{_DOTS})?{_CLOSES}",
    re.IGNORECASE,
)
# In a comment without dots, only a whole phrase.
_SAID = re.compile(
    rf"{_OPENS} ?[(\[]?(?:keep |leave )?(?:the |all )*"
    rf"(?:rest of (?:the |this |your )?{_WHAT}|(?:existing|remaining|other) {_WHAT})"
    rf"[, ]*(?:{_STAYS}{_AS_IS}|{_DOTS})[)\]]? ?\.?{_CLOSES}",
    re.IGNORECASE,
)
_COMMENT = re.compile(rf"\s*{_OPENS}")


def omits(new: str, old: str) -> str | None:
    """The line by which `new` leaves text out that should stand there, if `old` does not have it as often."""
    more = Counter(_marks(new.split("\n")))
    more.subtract(_marks(old.split("\n")))
    return next((mark for mark, count in more.items() if count > 0), None)


def _marks(rows: Sequence[str]) -> list[str]:
    short = ((n, row.strip()) for n, row in enumerate(rows))
    return [row for n, row in short if len(row) <= _LONGEST and (_dotted(row) or (_said(row) and _alone(rows, n)))]


def _dotted(row: str) -> bool:
    found = _DOTTED.fullmatch(" ".join(row.split()))
    return found is not None and bool(found["opens"] or found["gap"] or found["words"] or found["dots"])


def _said(row: str) -> bool:
    return _SAID.fullmatch(" ".join(row.split())) is not None


def _alone(rows: Sequence[str], at: int) -> bool:
    """Whether no comment stands right above or below: else it may be a sentence of prose that goes on there."""
    return not any(_COMMENT.match(row) for row in (*rows[max(at - 1, 0) : at], *rows[at + 1 : at + 2]))
