"""Exact places that begin or end inside a longer word, and which of several is meant. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from jobs.agent.tools.faults import Missed
from jobs.agent.tools.likeness import squeeze
from jobs.agent.tools.lines import Lines
from jobs.agent.tools.place import Place, Wanted, by

_NAMED = 3


def whole(lines: Lines, places: Sequence[Place]) -> list[Place]:
    """The exact `places` that lie between words; all of them if none does."""
    return [place for place in places if not _words(lines, place)] or list(places)


def undecided(lines: Lines, edit: Wanted, place: Place, start: int, stop: int) -> None:
    """Raises Missed if the exact `place` begins or ends inside a word while whole lines, of those from `start` to
    `stop`, are the old text but for spacing."""
    words = _words(lines, place)
    alike = [hit.first for (hit,) in by(squeeze)(lines, edit) if start <= hit.first < stop] if words else []
    if alike and alike[0] != place[0].first:
        row = lines.rows[alike[0]].strip()
        raise Missed(
            f"old_string stands only inside a longer word ({words[0]!r}, line {place[0].first + 1}), and line "
            f"{alike[0] + 1} is like it but for spacing ({row!r})",
            "copy the line that you mean exactly, all of it, and send this edit again",
        )


def inside(lines: Lines, places: Sequence[Place]) -> tuple[str, ...]:
    """The longer words in which exact `places` begin or end, the first few, each with its line."""
    found = [f"{word!r} in line {place[0].first + 1}" for place in places for word in _words(lines, place)]
    more = [f"{len(found) - _NAMED} more"] if len(found) > _NAMED else []
    return (*found[:_NAMED], *more)


def _words(lines: Lines, place: Place) -> list[str]:
    if place[0].chars is None:
        return []
    ends = (at for at in place[0].chars if _within(lines.view, at))
    return list(dict.fromkeys(_around(lines.view, at) for at in ends))


def _within(text: str, at: int) -> bool:
    return 0 < at < len(text) and _lettered(text[at - 1]) and _lettered(text[at])


def _around(text: str, at: int) -> str:
    """The word inside which `at` lies."""
    back, forth = at, at
    while back and _lettered(text[back - 1]):
        back -= 1
    while forth < len(text) and _lettered(text[forth]):
        forth += 1
    return text[back:forth]


def _lettered(char: str) -> bool:
    """Whether a word can go on behind `char`; scripts without capitals often write no spaces between words."""
    return char == "_" or char.isdigit() or char.lower() != char.upper()
