"""Common lines of two texts: always a true account of both, and quick where texts repeat themselves."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from jobs.agent.tools.lines import Lines
from jobs.agent.tools.runs import runs

FEW = st.lists(st.sampled_from("abc"), max_size=20)


def check(old: Sequence[str], new: Sequence[str]) -> int:
    """The number of equal lines; the runs must be both texts, in order, and equal ones must be so."""
    i = j = same = 0
    for equal, i1, i2, j1, j2 in runs(old, new):
        assert (i1, j1) == (i, j)
        assert not equal or list(old[i1:i2]) == list(new[j1:j2])
        same += (i2 - i1) * equal
        i, j = i2, j2
    assert (i, j) == (len(old), len(new))
    return same


@given(FEW, FEW)
def test_the_runs_are_both_texts(old: list[str], new: list[str]) -> None:
    check(old, new)


@given(st.permutations(range(12)), st.sets(st.integers(0, 700), max_size=9))
def test_the_runs_of_long_texts_are_too(order: list[int], gone: set[int]) -> None:
    old = [str(n % 700 if n % 3 else n % 5) for n in range(900)]
    parts = [old[75 * n : 75 * n + 75] for n in order]
    new = [row for n, row in enumerate(row for part in parts for row in part) if n not in gone]
    assert check(old, new) >= 1


def test_lines_that_stand_once_are_found_again_between_repeated_ones() -> None:
    old = [f"name {n // 9}" if n % 9 == 4 else f"  {n % 9}" for n in range(9000)]
    new = [row for n, row in enumerate(old) if n % 900 != 450]
    assert check(old, [*new[:3], "more", *new[3:], "end"]) > 8900


def test_a_whole_repetitive_file_is_replaced_soon() -> None:
    rows = [f"value: {n % 7}" for n in range(16_000)]
    new = ("head", *rows[:8000], "mid", *rows[8003:], "tail", "")
    lines = Lines.decode("\n".join([*rows, ""]).encode())
    assert lines.splice(0, lines.pieces, new, new).encode() == "\n".join(new).encode()
    assert len(runs(rows, new)) < 10


def test_the_ends_of_lines_that_stay_are_kept_in_a_whole_new_text() -> None:
    lines = Lines.decode(b"a\r\nb\nc\r\n")
    new = ("a", "b", "x", "c", "")
    assert lines.splice(0, lines.pieces, new, new).encode() == b"a\r\nb\nx\nc\r\n"
