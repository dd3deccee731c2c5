"""How small a proven patch is: each hunk needed by a test that fails without it, or named as unproven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HunkState = Literal["needed", "unproven", "waste", "evidence"]


@dataclass(frozen=True)
class HunkScore:
    """One contiguous change and what is known of it. `header` is `@@ -a,b +c,d @@`; `lines` begin with + or -;
    `proof` names the test that turns red without it, or says in a sentence why that is not known."""

    file: str
    header: str
    lines: tuple[str, ...]
    state: HunkState
    proof: str


@dataclass(frozen=True)
class Minimality:
    """100 x needed / (needed + unproven + waste) in changed lines; None where nothing discriminates."""

    score: int | None
    changed_lines: int
    needed_lines: int
    unproven_lines: int
    waste_lines: int
    hunks: tuple[HunkScore, ...]
    reason: str = ""
