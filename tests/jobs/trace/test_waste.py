"""Classes of waste: the story of 42 rounds has each of them, and near misses are none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from story_42 import BASE, ROUNDS, USD, VIEWS, Told, call, edit, lines, look, read, shell, suite, trace, write

from jobs.trace.account import account

WASTE = {
    "exploring piecemeal": [1, 2, 3, 4, 5],
    "failed edits": [8, 9, 10, 11],
    "re-reading what is visible": [9, 11, 31, 36],
    "checking an edit that landed": [13, 14, 16, 25, 36],
    "verifying after green": [26, 27, 30, 34, 38],
    "unasked files": [35, 40],
    "repeats": [22, 23, 38],
    "small steps": [17, 18, 19],
    "spend after the last surviving change": [34, 35, 36, 37, 38, 39, 40, 41],
}
KEPT_FIRST = ("exploring piecemeal", "small steps")  # one round of a row does what all of it did


def waste_of(*rounds: Sequence[Told], patch: Sequence[str] = (BASE, VIEWS)) -> dict[str, list[int]]:
    """The classes found in a short session that ends with its last word, and the rounds each loses."""
    told = account(trace([*rounds, ()], patch))
    return {name: one["lost"] for name, one in told["waste"].items() if one["rounds"]}


def test_the_story_has_42_rounds() -> None:
    assert len(ROUNDS) == 42


@pytest.mark.parametrize("name", WASTE)
def test_each_class_has_exactly_its_rounds(name: str) -> None:
    one = account(trace())["waste"][name]
    lost = WASTE[name][1:] if name in KEPT_FIRST else WASTE[name]
    assert (one["rounds"], one["lost"]) == (WASTE[name], lost)
    assert one["usd"] == pytest.approx(USD * len(lost))


def test_there_are_no_other_classes() -> None:
    assert list(account(trace())["waste"]) == list(WASTE)


def test_a_round_in_several_classes_is_wasted_once() -> None:
    wasted = account(trace())["wasted"]
    useful = {1, 6, 7, 12, 15, 17, 20, 21, 24, 28, 29, 32, 33, 42}
    assert wasted["rounds"] == [n for n in range(1, 43) if n not in useful]
    assert (wasted["count"], wasted["share"]) == (28, pytest.approx(28 / 42, abs=1e-4))
    assert wasted["usd"] == pytest.approx(28 * USD)


def test_each_call_names_its_classes() -> None:
    rounds = account(trace())["rounds"]
    assert rounds[8]["calls"][0]["waste"] == ["failed edits", "re-reading what is visible"]
    assert rounds[31]["calls"][0]["waste"] == []


def test_a_session_without_waste_has_none() -> None:
    good = [look("a", "b"), read(BASE, VIEWS)], [edit(BASE, green=False), edit(VIEWS, green=True)]
    assert waste_of(*good) == {}


def test_reading_again_is_needed_once_the_file_has_changed_or_was_cleared() -> None:
    changed = [read(BASE), look("x", "y")], [shell("make", changed=[BASE])], [suite(False)], [read(BASE, state="2")]
    assert "re-reading what is visible" not in waste_of(*changed)
    back = [read(BASE), look("x", "y")], [shell("make", changed=[BASE])], [suite(False)], [read(BASE)]
    assert waste_of(*back)["re-reading what is visible"] == [4], "the bytes are those that the first read showed"
    cleared = trace([[read(BASE), look("x", "y")], [read(BASE)], ()], ())
    assert account(cleared)["waste"]["re-reading what is visible"]["rounds"] == [2]
    cleared.insert(2, '{"type": "note", "why": "cleared", "cleared": [2]}')
    assert account(cleared)["waste"]["re-reading what is visible"]["rounds"] == []


def test_lines_that_were_not_shown_are_news() -> None:
    assert "re-reading what is visible" not in waste_of([lines(BASE, 1, 40)], [lines(BASE, 30, 50)])
    assert waste_of([lines(BASE, 1, 40)], [lines(BASE, 30, 35)])["re-reading what is visible"] == [2]
    assert waste_of([read(BASE)], [shell(f"sed -n '1,5p' {BASE} | head -3")])["re-reading what is visible"] == [2]


def test_what_an_earlier_call_answered_is_a_repeat_and_a_reread() -> None:
    found = waste_of([look("a", "b"), read(BASE)], [call("readfile", paths=[BASE], unchanged=True)])
    assert {"repeats", "re-reading what is visible"} <= found.keys()


def test_a_useful_call_saves_its_round() -> None:
    found = waste_of([edit(BASE, green=True)], [suite(True), look("x", "y")], [edit(VIEWS, green=True)])
    assert found == {"verifying after green": []}


def test_a_useful_round_with_a_failed_edit_costs_the_round_that_repeats_it() -> None:
    found = waste_of([edit(BASE, ok=False), edit(VIEWS)], [read(BASE)], [edit(BASE)])
    assert found["failed edits"] == [2, 3]


def test_a_failed_edit_that_is_given_up_costs_its_own_round_only() -> None:
    found = waste_of([edit(BASE, ok=False)], [read(BASE)], [look("other", "way")], [edit(VIEWS)])
    assert found["failed edits"] == [1]


def test_red_tests_and_changed_trees_may_be_tested_again() -> None:
    assert waste_of([suite(False), read(BASE, VIEWS)], [edit(BASE)], [suite(True), edit(VIEWS)]) == {}


@pytest.mark.parametrize(("code", "lost"), [(0, [3]), (1, [])])
def test_results_that_are_kept_tell_whether_tests_were_green(code: int, lost: list[int]) -> None:
    told = trace([[edit(BASE)], [shell("pytest -q")], [shell("pytest tests")], ()], [BASE])
    result = {"type": "tool_result", "tool_use_id": "t", "content": f"shell: exit code {code} after 1.0 s\nexit code 7"}
    told.insert(3, '{"type": "checkpoint", "n": 2}')
    told.insert(4, json.dumps({"type": "body", "hash": "1", "body": {"role": "user", "content": [result]}}))
    assert account(told)["waste"]["verifying after green"]["rounds"] == lost


def test_the_same_call_after_a_change_is_no_repeat() -> None:
    again = shell("flask routes", result="same")
    found = waste_of([again, read(BASE, VIEWS)], [edit(BASE), again], [edit(BASE)])
    assert "repeats" not in found


def test_steps_on_one_file_are_not_small_steps() -> None:
    assert "small steps" not in waste_of([edit(BASE)], [edit(BASE)])


def test_a_file_of_notes_that_was_asked_for_is_no_waste() -> None:
    asked = '{"type": "body", "hash": "1", "body": {"role": "user", "content": [{"type": "text", "text": "NOTES.md"}]}}'
    plain = trace([[write("NOTES.md")], ()], ["NOTES.md"])
    assert account(plain)["waste"]["unasked files"]["rounds"] == [1]
    assert account([asked, *plain])["waste"]["unasked files"]["rounds"] == []


def test_a_new_session_has_seen_nothing() -> None:
    both = [*trace([[read(BASE), look("a", "b")], ()], ()), *trace([[read(BASE)], ()], ())]
    assert account(both)["waste"]["re-reading what is visible"]["rounds"] == []


def test_fields_that_are_missing_are_not_known() -> None:
    bare: list[dict[str, Any]] = [{"type": "round", "n": 1, "calls": [{"tool": "edit"}]}, {"type": "round"}]
    told = account(map(json.dumps, bare))
    assert (told["totals"]["rounds"], told["totals"]["usd"], told["wasted"]["usd"]) == (2, None, None)
    assert told["rounds"][0]["first_token_ms"] is None
