"""Old texts that were copied with line numbers: the numbers never get into the file."""

from __future__ import annotations

import pytest

from jobs.agent.tools.match import Missed, apply

DOC = b"alpha\nbeta\ngamma\n"
TABLE = b"10\tfoo\n20\tbar\n"
CODES = b"    404: 'x',\n    405: 'y',\n"


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        ("1\talpha\n2\tbeta", "1\talpha\nnew line\n2\tbeta", "alpha\nnew line\nbeta\ngamma\n"),
        ("1\talpha\n2\tbeta\n3\tgamma", "1\talpha\n3\tgamma", "alpha\ngamma\n"),
        ("1\talpha", "1\talpha\nnew line", "alpha\nnew line\nbeta\ngamma\n"),
        ("2\tbeta\n", "new line\n2\tbeta\n", "alpha\nnew line\nbeta\ngamma\n"),
        ("1\talpha\n2\tbeta", "1\talpha\n2\tnew line\n3\tbeta", "alpha\nnew line\nbeta\ngamma\n"),
        ("1\talpha\n2\tbeta", "1\talpha\n2\tBETA", "alpha\nBETA\ngamma\n"),
        ("1: alpha\n2: beta", "1: alpha\nnew line\n2: beta", "alpha\nnew line\nbeta\ngamma\n"),
        ("1\talpha\n2\tbeta\n", "", "gamma\n"),
    ],
)
def test_numbers_of_lines_that_stay_are_taken_off(old: str, new: str, want: str) -> None:
    assert apply(DOC, old, new).data.decode() == want


@pytest.mark.parametrize(
    ("data", "old", "new", "row"),
    [
        (DOC, "1\talpha\n2\tbeta", "1\talpha\nnew line\n2\tBETA", "2\tBETA"),
        (DOC, "1\talpha\n2\tbeta", "1\talpha\n9\tnew line\n2\tbeta", "9\tnew line"),
        (DOC, "1: alpha\n2: beta", "1: alpha\nnew line\n2: BETA", "2: BETA"),
        (TABLE, "1\t10\tfoo\n2\t20\tbar", "1\t10\tfoo\n30\tnew\n2\t20\tBAR", "2\t20\tBAR"),
        (b"1\tfoo\n2\tbar\n", "1\t1\tfoo", "1\tFOO", "FOO"),
        (DOC, "alpha\nbeta", "1\talpha\nnew line\n2\tbeta", "1\talpha"),
        (DOC, "  beta\n  gamma  ", "  2\tbeta\n  delta", "  2\tbeta"),
    ],
)
def test_a_new_text_that_may_carry_numbers_is_refused(data: bytes, old: str, new: str, row: str) -> None:
    with pytest.raises(Missed) as no:
        apply(data, old, new)
    assert str(no.value) == f"new_string carries line numbers ({row!r})"
    assert no.value.step == "send both texts without line numbers"


@pytest.mark.parametrize(
    ("data", "old", "new", "want"),
    [
        (TABLE, "1\t10\tfoo", "10\tFOO", b"10\tFOO\n20\tbar\n"),
        (TABLE, "1\t10\tfoo\n2\t20\tbar", "1\t10\tfoo\n15\tnew\n2\t20\tbar", b"10\tfoo\n15\tnew\n20\tbar\n"),
        (TABLE, "1\t10\tfoo", "", b"\n20\tbar\n"),
        (TABLE, "1\t10\tfoo\n", "", b"20\tbar\n"),
        (TABLE, "1\t10\tfoo", "1\t11\tfoo", b"11\tfoo\n20\tbar\n"),
        (CODES, "2\t    405: 'y',", "    406: 'y',", b"    404: 'x',\n    406: 'y',\n"),
        (
            CODES,
            "1\t    404: 'x',",
            "1\t    404: 'x',\n    500: 'z',",
            b"    404: 'x',\n    500: 'z',\n    405: 'y',\n",
        ),
    ],
)
def test_numbers_that_are_text_of_the_file_stay(data: bytes, old: str, new: str, want: bytes) -> None:
    assert apply(data, old, new).data == want
