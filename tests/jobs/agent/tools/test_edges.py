"""Exact text inside a longer word: text between words goes first, and what was hit is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_tree import edit

from jobs.agent.tools.lines import Lines
from jobs.agent.tools.match import Ambiguous, Missed, apply, find
from jobs.agent.tools.spec import Bench

FILES = {"a.py": "margin = 10\nm = 2\n", "b.py": "margin = 10\nn  = 1\n", "c.py": "user_ids = 1\n"}


@pytest.mark.parametrize("rows", [["margin = 10", "n = 1"], ["n = 1", "n = 10"], ["margin = 1", "x", "n = 1"]])
def test_text_between_words_goes_before_text_inside_them(rows: list[str]) -> None:
    data = "\n".join(rows).encode()
    want = "\n".join("n = 2" if row == "n = 1" else row for row in rows).encode()
    assert apply(data, "n = 1", "n = 2").data == want


def test_every_place_is_every_place() -> None:
    assert apply(b"margin = 10\nn = 1\n", "n = 1", "n = 2", replace_all=True).data == b"margin = 20\nn = 2\n"


def test_several_places_between_words_stay_several() -> None:
    with pytest.raises(Ambiguous) as no:
        apply(b"margin = 10\nn = 1\nn = 1\n", "n = 1", "n = 2")
    assert no.value.lines == (2, 3)


def test_text_inside_a_word_does_not_go_before_a_line_that_is_spaced_otherwise(bench: Bench, tree: Path) -> None:
    done = edit(bench, ("b.py", "n = 1", "n = 2"))
    assert done.content.splitlines()[1] == (
        "FAILED: edit 1 in b.py: old_string stands only inside a longer word ('margin', line 1), and line 2 is like it "
        "but for spacing ('n  = 1'). Next: copy the line that you mean exactly, all of it, and send this edit again."
    )
    assert (tree / "b.py").read_text() == FILES["b.py"]


def test_a_change_inside_a_word_is_made_and_told(bench: Bench, tree: Path) -> None:
    done = edit(bench, ("a.py", "n = 1", "n = 2"), ("c.py", "_ids", "_names"))
    assert (tree / "a.py").read_text() == "margin = 20\nm = 2\n"
    assert (tree / "c.py").read_text() == "user_names = 1\n"
    told = "changed a part of a longer word ({} in line 1): if the word alone was meant, change this back and send"
    assert f"NOTE: edit 1 {told.format(repr('margin') + ' in line 1, ' + repr('10'))}" in done.content
    assert f"NOTE: edit 2 {told.format(repr('user_ids'))}" in done.content


@pytest.mark.parametrize("text", ["margin = 10\n", "値を変える値\n", "a.b-c\n"])
def test_whole_words_and_scripts_without_spaces_are_not_told_of(text: str) -> None:
    old = {"m": "margin", "値": "変え", "a": ".b-"}[text[0]]
    assert find(Lines.decode(text.encode()), old, "other").inside == ()


def test_the_text_that_the_edits_before_it_left_is_told_of_too(bench: Bench) -> None:
    done = edit(bench, ("a.py", "m = 2", "longest = 2"), ("a.py", "long", "short"))
    assert (
        "has a place only in what the other edits left: check it in the diff; edit 2 changed a part of a longer word"
        in (done.content)
    )


def test_nothing_like_it_is_still_missed() -> None:
    with pytest.raises(Missed):
        apply(b"margin = 10\n", "k = 1", "k = 2")
