"""Why an edit has no place, or not one only. Pure."""

from __future__ import annotations

from jobs.errors import PatchwrightError


class Missed(PatchwrightError):
    """The edit can't be made; the text says why in one clause. `step` is its own next step; empty where the right text
    of the file is what helps."""

    def __init__(self, why: str, step: str = "") -> None:
        super().__init__(why)
        self.step = step


class Ambiguous(PatchwrightError):
    """The old text has several places: they begin at `lines` (from 1), as `rung` sees them."""

    def __init__(self, rung: str, lines: tuple[int, ...]) -> None:
        super().__init__(f"old_string stands in {len(lines)} places ({rung})")
        self.rung = rung
        self.lines = lines
