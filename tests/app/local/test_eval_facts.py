"""How answers are judged: which ways to name a place are read, and what does not count as one."""

from __future__ import annotations

import pytest

from app.local.eval_facts import missing, number, places

TEXT = "a\nb\n  return c\nd\n"
FACT = {"says": "c is returned", "path": "x/y.py", "line": "return c", "words": ["returned", "given back"]}


@pytest.mark.parametrize(
    "answer",
    [
        "x/y.py:12",
        "see `x/y.py:12`.",
        "(x/y.py:10-14)",
        "x/y.py:2–30",
        "x/y.py#L12",
        "[`x/y.py`](x/y.py#L12)",
        "x/y.py, line 12",
        "`x/y.py` lines 11-13",
        "`x/y.py` (line 12)",
        "x/y.py:3, 12",
        "x/y.py:3 and 12",
        "./x/y.py:12",
        "`/src/x/y.py:12`",
    ],
)
def test_a_place_is_read(answer: str) -> None:
    assert places(answer, "x/y.py", 12, 0)


@pytest.mark.parametrize(
    "answer",
    ["x/y.py", "x/y.py:120", "x/y.py:1-11", "z/x/y.py:12", "x/y.pyi:12", "y.py:12", "12", "x/y.py has 12 lines"],
)
def test_no_place_is_read_out_of_anything_else(answer: str) -> None:
    assert not places(answer, "x/y.py", 12, 0)


def test_a_place_may_be_near() -> None:
    assert places("x/y.py:9", "x/y.py", 12, 3)
    assert not places("x/y.py:8", "x/y.py", 12, 3)


def test_place_and_words_must_both_be_there() -> None:
    read = {"x/y.py": TEXT}.__getitem__
    assert missing("It is returned in x/y.py:3.", [FACT], read) == ()
    assert missing("x/y.py:3", [FACT], read) == ("c is returned",)
    assert missing("It is returned.", [FACT], read) == ("c is returned",)


def test_a_fact_whose_line_is_gone_is_an_error() -> None:
    assert number(TEXT, FACT) == 3
    with pytest.raises(ValueError, match="0 times"):
        number("a\n", FACT)
    with pytest.raises(ValueError, match="2 times"):
        number(TEXT + TEXT, FACT)
