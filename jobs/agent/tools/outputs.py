"""Long outputs, kept outside the tree: a result shows head and tail, `call_tool more` shows the rest. Pure."""

from __future__ import annotations

from jobs.agent.tools.cap import Capped, middle

MOST_KEPT = 64 << 20  # characters of all kept outputs; the oldest go first


class Outputs:
    """The outputs of one session that were cut, by number (from 1)."""

    def __init__(self) -> None:
        self._kept: dict[int, str] = {}
        self._next = 1

    def capped(self, text: str, *, head: int = 8_000, tail: int = 16_000) -> Capped:
        """`text` within `head` + `tail` characters; what is cut is kept, and the cut says how to get it."""
        if len(text) <= head + tail:
            return Capped(text, cut=False)
        number, self._next = self._next, self._next + 1
        self._kept[number] = text
        while len(self._kept) > 1 and sum(map(len, self._kept.values())) > MOST_KEPT:
            del self._kept[min(self._kept)]
        ask = f'call_tool more {{"output": {number}, "start": {{start}}}}'
        return middle(text, head=head, tail=tail, rest=ask)

    def lines(self, number: int) -> list[str] | None:
        """The lines of a kept output; None if there is none of this number any more."""
        text = self._kept.get(number)
        return None if text is None else text.split("\n")

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the outputs that are kept, in order."""
        return tuple(sorted(self._kept))
