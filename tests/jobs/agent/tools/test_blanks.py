"""Blank lines that were not shown or not counted, markers, and text left out with dots."""

from __future__ import annotations

import pytest

from jobs.agent.tools.match import Ambiguous, Missed, apply

FILE = b"import os\n\n\n\n\ndef first():\n    return 1\n\ndef second():\n    return 2\n"


@pytest.mark.parametrize("between", ["[… 4 blank lines …]", "", "\n", "\n\n\n\n\n\n"])
def test_a_run_of_blank_lines_matches_any_run_and_stays(between: str) -> None:
    old = f"import os\n{between}\ndef first():\n    return 1"
    done = apply(FILE, old, old.replace("return 1", "return 10"))
    assert (done.data, done.rung) == (FILE.replace(b"return 1", b"return 10"), "blanks")


def test_blank_lines_that_were_left_out_stay() -> None:
    old = "import os\ndef first():\n    return 1\ndef second():"
    done = apply(FILE, old, old.replace("os", "sys"))
    assert (done.data, done.rung) == (FILE.replace(b"os", b"sys"), "blanks")


def test_a_line_put_where_blank_lines_were_left_out_has_no_sure_place() -> None:
    old = "import os\ndef first():\n    return 1"
    with pytest.raises(Missed):
        apply(FILE, old, old.replace("os\n", "os\nimport sys\n"))


def test_a_marker_needs_a_blank_line_in_its_place() -> None:
    with pytest.raises(Missed):
        apply(FILE, "def first():\n[… 3 blank lines …]\n    return 1", "x = 1")


def test_a_run_that_is_made_longer_from_a_wrong_count_is_refused() -> None:
    with pytest.raises(Missed):
        apply(FILE, "import os\n\n\ndef first():", "import os\n\n\n\ndef first():")


def test_a_line_removed_between_two_runs_leaves_both() -> None:
    data = b"a_word = 1\n\n\nb_word = 2\n\n\n\nc_word = 3\n"
    done = apply(data, "a_word = 1\n\nb_word = 2\n\n\n\nc_word = 3", "a_word = 1\n\n\n\n\nc_word = 3")
    assert done.data == b"a_word = 1\n\n\n\n\n\nc_word = 3\n"


def test_a_run_that_the_edit_removes_goes_whole() -> None:
    done = apply(FILE, "import os\n\n\ndef first():", "import os\ndef first():")
    assert done.data == FILE.replace(b"\n\n\n\n\n", b"\n")


def test_blank_lines_in_other_numbers_are_still_ambiguous() -> None:
    with pytest.raises(Ambiguous) as several:
        apply(b"a = 1\n\n\nb = 2\na = 1\n\n\n\nb = 2\n", "a = 1\n\nb = 2", "c")
    assert (several.value.rung, several.value.lines) == ("blanks", (1, 5))


def test_a_marker_of_imports_stands_for_nothing() -> None:
    data = b"import a\nimport b\nimport c\nimport d\n"
    with pytest.raises(Missed, match="send the real lines"):
        apply(data, "import a\n[… 2 lines of imports …]\nimport d", "import a\nimport d")


@pytest.mark.parametrize("marker", ["[… 4 blank lines …]", "[… 12 lines of imports …]"])
def test_a_marker_is_never_written(marker: str) -> None:
    with pytest.raises(Missed, match="not shown"):
        apply(FILE, "    return 1", f"    return 1\n{marker}")


def test_numbers_and_marker_are_copied_together() -> None:
    old = "1\timport os\n[… 4 blank lines …]\n6\tdef first():"
    done = apply(FILE, old, old.replace("first", "zero"))
    assert (done.data, done.rung) == (FILE.replace(b"first", b"zero"), "numbered")


@pytest.mark.parametrize("number", [0, 2, 7])
def test_wrong_numbers_are_refused(number: int) -> None:
    with pytest.raises(Missed):
        apply(FILE, f"{number}\tdef first():\n{number + 1}\t    return 1", "x")


ELIDED = b"def f():\n    a = 1\n    b = 2\n    return a\n\ndef g():\n    return 2\n"


def test_dots_keep_what_they_stand_for() -> None:
    done = apply(ELIDED, "def f():\n    ...\n    return a", "def f(x):\n    ...\n    return x")
    assert done.data == b"def f(x):\n    a = 1\n    b = 2\n    return x\n\ndef g():\n    return 2\n"
    assert (done.rung, done.lines) == ("elided", ((1, 1), (4, 4)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def f():\n...\n    return 2", "def f(x):\n...\n    return 3"),  # another block
        ("def f():\n...\n    a = 1", "def f(x):\n...\n    a = 2"),  # nothing left out
        ("    return a\n...\ndef f():", "    return b\n...\ndef h():"),  # the wrong order
        ("def f():\n...\n    return a", "def f(x):\n    return a"),  # the dots are gone
        ("def f():\n...", "def f(x):\n..."),  # no end
        ("def f():\n...\n    return b", "def f(x):\n...\n    return b"),  # a piece that is not there
    ],
)
def test_dots_whose_gap_is_not_proven_are_refused(old: str, new: str) -> None:
    with pytest.raises(Missed):
        apply(ELIDED, old, new)


def test_dots_that_the_file_has_itself_are_text() -> None:
    data = b"class A:\n    ...\n    x = 1\n    y = 2\n"
    assert apply(data, "class A:\n    ...", "class A(B):\n    ...").data == data.replace(b"A:", b"A(B):")
    with pytest.raises(Missed):
        apply(data, "class A:\n...\n    y = 2", "class C:\n...\n    y = 3")
