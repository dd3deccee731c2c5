"""Several edits of one file: one picture of it, no line changed twice, nothing made twice."""

from __future__ import annotations

from jobs.agent.seen import Spans
from jobs.agent.tools.arguments import OneEdit
from jobs.agent.tools.lines import Lines
from jobs.agent.tools.match import Ambiguous, Missed
from jobs.agent.tools.together import Together, Unseen, together

FILE = b"alpha = 1\nbeta = 2\ngamma = 3\ndelta = 4\n"


def made(*edits: tuple[str, str], data: bytes = FILE, seen: Spans | None = None) -> Together:
    rows = [(n, OneEdit("f.py", old, new)) for n, (old, new) in enumerate(edits, 1)]
    return together(Lines.decode(data), rows, seen)


def test_edits_are_matched_against_the_file_as_it_was_shown() -> None:
    done = made(("alpha = 1", "beta = 2"), ("beta = 2", "beta = 20"))
    assert (done.lines.encode(), dict(done.faults)) == (
        FILE.replace(b"beta = 2", b"beta = 20", 1).replace(b"alpha = 1", b"beta = 2"),
        {},
    )


def test_the_order_of_the_edits_does_not_matter() -> None:
    edits = [("delta = 4", "d = 4"), ("alpha = 1\n", ""), ("beta = 2\ngamma", "beta = 2\nnew = 0\ngamma")]
    assert made(*edits).lines == made(*edits[::-1]).lines
    assert made(*edits).lines.encode() == b"beta = 2\nnew = 0\ngamma = 3\nd = 4\n"


def test_lines_that_both_only_show_may_be_shared() -> None:
    done = made(("alpha = 1\nbeta = 2", "a = 1\nbeta = 2"), ("beta = 2\ngamma = 3", "beta = 2\ng = 3"))
    assert done.lines.encode() == b"a = 1\nbeta = 2\ng = 3\ndelta = 4\n"


def test_edits_that_change_one_line_are_refused_by_name() -> None:
    done = made(("beta = 2\ngamma = 3", "b = 2\ng = 3"), ("gamma = 3", "gamma = 33"), ("alpha", "a"))
    assert str(done.faults[1]) == "it overlaps edit 2: this one changes lines 2-3, that one lines 3-3"
    assert str(done.faults[2]) == "it overlaps edit 1: this one changes lines 3-3, that one lines 2-3"
    assert dict(done.rungs) == {3: "exact"}


def test_exact_edits_of_different_words_of_a_line_are_both_made() -> None:
    done = made(("x", "xx"), ("y", "yy"), data=b"f(x, y)\n")
    assert (done.lines.encode(), dict(done.notes)) == (b"f(xx, yy)\n", {})


def test_an_edit_of_what_another_one_writes_is_made_and_flagged() -> None:
    done = made(("beta = 20", "beta = 200"), ("beta = 2\n", "beta = 20\n"))
    assert done.lines.encode() == FILE.replace(b"beta = 2", b"beta = 200")
    assert "edit 1 has a place only in what the other edits left" in done.notes[1]


def test_equal_edits_are_made_once_and_noted() -> None:
    done = made(("beta = 2", "b = 2"), ("beta = 2", "b = 2"), ("beta = 2\r\n", "b = 2\r\n"))
    assert done.lines.encode() == FILE.replace(b"beta", b"b")
    assert dict(done.rungs) == dict.fromkeys((1, 2, 3), "exact")
    assert done.notes[3] == "edit 3 repeats edit 1 and was made once"


def test_a_missed_edit_leaves_the_others_their_places() -> None:
    done = made(("nowhere = 1", "x"), ("delta = 4", "d = 4"))
    assert (list(done.faults), dict(done.rungs)) == ([1], {2: "exact"})


def test_a_file_not_shown_in_this_state_is_edited_by_exact_text_only() -> None:
    done = made(("alpha = 1  ", "a = 1"), ("beta = 2", "b = 2"), seen=())
    assert isinstance(no := done.faults[1], Unseen)
    assert ("must match them exactly" in str(no), no.rung, no.spans) == (True, "trailing", ((1, 1),))
    assert dict(done.rungs) == {2: "exact"}


def test_lines_that_were_shown_may_be_meant_loosely_and_others_not() -> None:
    loose = ("gamma = 3  ", "g = 3"), ("delta = 4 ", "d = 4")
    done = made(*loose, seen=((1, 1), (3, 3)))
    assert (dict(done.rungs), list(done.faults)) == ({1: "trailing"}, [2])
    assert not made(*loose, seen=((3, 4),)).faults


def test_what_stands_only_in_the_text_that_others_leave_must_be_exact_where_not_all_was_shown() -> None:
    edits = ("alpha = 1", "alpha = 10"), ("  alpha = 10\n  beta = 2", "  alpha = 11\n  beta = 2")
    assert made(*edits).lines.rows[0] == "alpha = 11"
    assert isinstance(made(*edits, seen=((1, 4),)).faults[2], Missed)


def test_a_text_that_the_edits_before_it_left_once_has_its_place_there() -> None:
    twins = b"set(a)\nx = 1\nend\nset(b)\nx = 1\nend\n"
    first, second = ("set(a)\nx = 1", "set(a)\nx = 9"), ("x = 1\nend", "x = 2\nend")
    done = made(first, second, data=twins)
    assert done.lines.encode() == b"set(a)\nx = 9\nend\nset(b)\nx = 2\nend\n"
    assert "has a place only in what the other edits left" in done.notes[2]
    turned = made(second, first, data=twins)  # when it was written there were two
    assert (dict(turned.rungs), isinstance(turned.faults[1], Ambiguous)) == ({2: "exact"}, True)
