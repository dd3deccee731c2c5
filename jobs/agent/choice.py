"""What a check is to run, and how the ids of its tests are said shortly. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """`tests` are ids, best first, of the `known` ones of the suite; `whole` says that all of it is run instead."""

    tests: tuple[str, ...]
    whole: bool = False
    known: int = 0


def style_of(known: Collection[str]) -> str:
    """What stands between the parts of a suite's ids: `::` (pytest), ` > ` (JavaScript), `.` (unittest); empty where no
    id is known."""
    return next((mark for mark in ("::", " > ") if any(mark in test for test in known)), "." if known else "")


def name_of(path: str, style: str) -> str:
    """What selects all tests of a file in a suite whose ids have that style."""
    return path.removesuffix(".py").replace("/", ".") if style == "." else path


def packed(tests: Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    """`tests` with one name for each file (for unittest: module) of which every known test is among them: a long line
    is refused by a runner, and a file's own name selects tests that are not known yet."""
    style = style_of([*known, *tests])
    if style == "":
        return tuple(tests)
    wanted = frozenset(tests)
    missing = {_home(test, style) for test in known if test not in wanted and test.split("[")[0] not in wanted}
    names = (test if (home := _home(test, style)) in missing else home for test in tests)
    return tuple(dict.fromkeys(names))


def _home(test: str, style: str) -> str:
    """The file or module of an id; the id itself where it names nothing inside."""
    if style == ".":
        return ".".join(test.split(".")[:-2]) or test
    return re.split(r"::| > ", test, maxsplit=1)[0]
