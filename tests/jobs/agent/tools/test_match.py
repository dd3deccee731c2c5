"""The edit corpus: where an old text is found, what is written, and what is refused."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from jobs.agent.tools.lines import Lines, NotText
from jobs.agent.tools.match import Ambiguous, Missed, apply

CORPUS = Path(__file__).with_name("edit_corpus.txt")
CASE = re.compile(r"^- `(\w+)`: (b'.*?'|b\".*?\") / ('.*?'|\".*?\") / ('.*?'|\".*?\") / (REFUSE|b'.*'|b\".*\")$")


def cases() -> list[tuple[str, bytes, str, str, bytes | None]]:
    """(name, file, old, new, expected bytes or None for a refusal) of every corpus line."""
    found = [CASE.match(line) for line in CORPUS.read_text().splitlines()]
    assert all(found)
    rows = [m.groups() for m in found if m]
    return [
        (
            name,
            ast.literal_eval(data),
            ast.literal_eval(old),
            ast.literal_eval(new),
            None if want == "REFUSE" else ast.literal_eval(want),
        )
        for name, data, old, new, want in rows
    ]


# A safe answer that is deliberately not given: the text would have to be guessed.
REFUSED = {"over_escaped_newline"}
# The corpus rewrites lines that the edit leaves as they were; their spacing is nobody's to change.
KEEPS = {
    "trailing_ws_in_file": b"def f():  \n    x = 2\n    return x\n",
    "inner_ws_diff": b"x=1\ny = 5\nz=3\n",
}


def outcome(data: bytes, old: str, new: str) -> bytes | None:
    try:
        return apply(data, old, new).data
    except (Missed, Ambiguous):
        return None


@pytest.mark.parametrize(("name", "data", "old", "new", "want"), cases(), ids=[c[0] for c in cases()])
def test_corpus_case_is_written_as_expected_or_refused(
    name: str, data: bytes, old: str, new: str, want: bytes | None
) -> None:
    assert outcome(data, old, new) == (None if name in REFUSED else KEEPS.get(name, want))


def test_corpus_has_all_its_cases() -> None:
    assert len(cases()) == 27


@pytest.mark.parametrize(
    ("old", "rung"),
    [
        ("    x = 1", "exact"),
        ("    x = 1  \n    y = 2\t", "trailing"),
        ("x = 1\ny = 2", "indent"),
        ("x=1\ny=2", "spacing"),
    ],
)
def test_rung_is_named(old: str, rung: str) -> None:
    data = b"def f():\n    x = 1\n    y = 2\n"
    assert apply(data, old, "    z = 9").rung == rung


def test_changed_lines_are_counted_in_the_new_file() -> None:
    done = apply(b"a\nb\nc\nb\n", "b", "x\ny", replace_all=True)
    assert (done.data, done.lines) == (b"a\nx\ny\nc\nx\ny\n", ((2, 3), (5, 6)))


def test_every_occurrence_on_one_line_is_replaced() -> None:
    assert apply(b"f(a, a)\na\n", "a", "bb", replace_all=True).data == b"f(bb, bb)\nbb\n"


def test_overlapping_occurrences_are_ambiguous() -> None:
    with pytest.raises(Ambiguous) as several:
        apply(b"aaa\n", "aa", "b")
    assert several.value.lines == (1, 1)


def test_context_chooses_the_place_in_its_block() -> None:
    data = b"def a():\n    return 1\n\ndef b():\n    return 1\n"
    assert apply(data, "return 1", "return 2", change_context="def b():").data.endswith(b"def b():\n    return 2\n")


def test_context_never_reaches_into_the_next_block() -> None:
    data = b"def a():\n    pass\n\ndef b():\n    return 1\n\ndef c():\n    return 1\n"
    with pytest.raises(Missed):
        apply(data, "return 1", "return 2", change_context="def a():")


@pytest.mark.parametrize("context", ["def z():", "    return 1"])
def test_context_must_stand_exactly_once(context: str) -> None:
    data = b"def a():\n    return 1\n\ndef b():\n    return 1\n"
    with pytest.raises(Missed, match="exactly one"):
        apply(data, "return 1", "return 2", change_context=context)


def test_uneven_indentation_is_refused() -> None:
    data = b"if a:\n    x = 1\n        y = 2\n"
    with pytest.raises(Missed, match="uneven"):
        apply(data, "x = 1\ny = 2", "x = 3\ny = 4")


def test_a_repeated_line_is_written_at_the_files_indentation() -> None:
    data = b"class A:\n    def f(self):\n        go()\n        stop()\n"
    done = apply(data, "go()\nstop()", "go()\nstop()\ngo()\nstop()")
    assert done.data == data + b"        go()\n        stop()\n"


def test_changing_the_indentation_itself_is_not_lost() -> None:
    data = b"def f():\n    if a:\n        go()\n    end()\n"
    done = apply(data, "if a:\n    go()\nend()", "if a:\n    go()\n    end()")
    assert done.data == b"def f():\n    if a:\n        go()\n        end()\n"


def test_lines_are_removed_whole() -> None:
    assert apply(b"a\nb\nc\n", "b\n", "").data == b"a\nc\n"
    assert apply(b"a\n  b\n  c", "b \nc \n", "").data == b"a" if False else True
    assert apply(b"a\nxx = 1  \nyy = 2", "xx = 1\nyy = 2\n", "").data == b"a"


def test_eight_bit_text_takes_no_character_that_it_may_not_know() -> None:
    with pytest.raises(NotText, match="not UTF-8"):
        apply(b"n = 'caf\xe9'\nx = 1\n", "x = 1", "x = '\u00fc'")
    assert apply(b"n = 'caf\xe9'\n", "caf\u00e9", "caf\u00e9s").data == b"n = 'caf\xe9s'\n"


def test_utf16_is_edited_in_its_own_encoding() -> None:
    data = b"\xff\xfe" + "a = 1\r\nb = 2\r\n".encode("utf-16-le")
    assert apply(data, "b = 2", "b = 3").data == b"\xff\xfe" + "a = 1\r\nb = 3\r\n".encode("utf-16-le")


def test_binary_data_is_no_text() -> None:
    with pytest.raises(NotText, match="binary"):
        apply(b"a\0b", "a", "b")


@pytest.mark.parametrize("data", [b"", b"\n", b"a", b"a\r\n\r\rb\n", b"\xef\xbb\xbfx\x0c\xc2\x85\n", b"\xe9\n"])
def test_lines_give_back_their_bytes(data: bytes) -> None:
    assert Lines.decode(data).encode() == data
