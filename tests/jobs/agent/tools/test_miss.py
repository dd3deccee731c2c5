"""What a failed edit is told: the place that was meant, what differs there, what to do next."""

from __future__ import annotations

import pytest

from jobs.agent.record import Call, CallRecord
from jobs.agent.tools.arguments import OneEdit
from jobs.agent.tools.lines import Lines
from jobs.agent.tools.match import Ambiguous, Missed, find
from jobs.agent.tools.miss import places, told
from jobs.agent.tools.nearest import nearest
from jobs.agent.tools.refusal import History, refusal

ROWS = [f"def step_{n}(self, value):\n    total = value * {n}\n    return total\n" for n in range(60)]
FILE = Lines.decode("\n".join(ROWS).encode())


def why(old: str, new: str = "x = 1", history: History | None = None, lines: Lines = FILE) -> str:
    with pytest.raises((Missed, Ambiguous)) as no:
        find(lines, old, new)
    return refusal("a.py", lines, OneEdit("a.py", old, new), no.value, history or History())


def test_the_place_the_difference_and_the_next_step_are_named() -> None:
    text = why("def step_41(self, value):\n    total = value + 41\n    return total")
    assert "Nearest: lines 165-167" in text
    assert "first difference at line 166:\n  file:      total = value * 41\n  yours:     total = value + 41" in text
    assert "165\tdef step_41(self, value):\n166\t    total = value * 41" in text
    assert text.endswith("send this edit again.")


def test_a_missing_line_is_the_difference() -> None:
    text = told(FILE, "def step_7(self, value):\n    check(value)\n    total = value * 7")
    assert "first difference at line 30:\n  file:  (no such line)\n  yours:     check(value)" in text


@pytest.mark.parametrize("rows", [1, 40, 200])
def test_the_message_stays_small(rows: int) -> None:
    long = [f"call_{n}({'argument, ' * 60})" for n in range(400)]
    old = "\n".join(["call_wrong()", *long[100 : 100 + rows]])
    assert len(why(old, lines=Lines.decode("\n".join(long).encode()))) < 4_800


def test_candidates_do_not_overlap_and_are_three_at_most() -> None:
    found = nearest(FILE, "    total = valued * 3\n    return totals")
    assert 1 <= len(found) <= 3
    assert all(a.last < b.first or b.last < a.first for a in found for b in found if a is not b)


def test_text_like_nothing_sends_to_search() -> None:
    assert why("zebra crossing\nquagga").endswith("Next: search for the text you mean, or readfile a.py.")


def test_line_feeds_written_as_two_characters_are_named_and_the_place_found() -> None:
    text = why("def step_41(self, value):\\n    total = value * 41")
    assert "send real ones" in text
    assert "Nearest: lines 165-166" in text


def test_a_change_that_is_there_already_is_said() -> None:
    text = why("    total = value + 41", "    total = value * 41\n    return total")
    assert "already stands in the file at lines 166-167: this change may be done" in text


def test_places_name_the_line_that_chooses_them() -> None:
    rows = ["class A:", "    def f(self):", "        go()", "class B:", "    def f(self):", "        go()", "go()"]
    assert places(rows, [3, 6, 7]) == (
        "line 3 (in: def f(self):; change_context 'class A:'); "
        "line 6 (in: def f(self):; change_context 'class B:'); line 7 (in: top level; no line above it chooses it)"
    )
    text = why("        go()", lines=Lines.decode("\n".join(rows[:6]).encode()))
    assert text.startswith("old_string stands in 2 places (exact): line 3")
    lines = Lines.decode("\n".join(rows).encode())
    assert find(lines, "        go()", "        no()", change_context="class B:").lines == (6, 6)


def record(*, failed: str = "./a.py", ok: bool = False, changed: tuple[str, ...] = ()) -> CallRecord:
    edits = {"edits": [{"path": failed, "old_string": "a", "new_string": "b"}, "junk"]}
    return CallRecord([Call("edit", edits, ok, 1, 1, False, None, changed)])


def test_the_second_miss_of_a_short_file_offers_to_write_it_anew() -> None:
    old = "def step_41(self, value):\n    total = value + 41"
    history = History.of(record(), "a.py", ["a.py"], whole=True)
    assert "write the whole file anew with write_file" in why(old, history=history)


def test_the_second_miss_of_a_file_not_read_whole_asks_for_the_lines() -> None:
    old = "def step_41(self, value):\n    total = value + 41"
    history = History.of(record(), "a.py", ["a.py"], whole=False)
    assert 'Next: readfile {"ranges": [{"path": "a.py", "start": 160, "end": 171}]}' in why(old, history=history)


@pytest.mark.parametrize("told", [record(failed="b.py"), record(ok=True), record(changed=("a.py",)), None])
def test_other_files_and_edits_that_went_well_do_not_count(told: CallRecord | None) -> None:
    assert History.of(told, "a.py", ["a.py"], whole=True).failed == 0


def test_a_line_is_offered_as_change_context_only_where_one_is_named() -> None:
    named = why("        go()", lines=Lines.decode(b"class A:\n    def f(self):\n        go()\n        go()\n"))
    assert "send a line named above as change_context, or send replace_all" in named
    flat = why("go()", lines=Lines.decode(b"go()\ngo()\n"))
    assert "change_context" not in flat
    assert flat.endswith("until it stands once, or send replace_all to change every place.")
