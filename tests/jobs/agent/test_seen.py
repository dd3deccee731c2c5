"""What a record of calls says that a model sees of a file, through reads, changes and cuts."""

from __future__ import annotations

import json
import random

import pytest

from jobs.agent.record import Call, CallRecord
from jobs.agent.seen import Seen, Span, Spans, covers, joined, named, without
from jobs.agent.tools.carried import carried


def record(*sights: Seen) -> CallRecord:
    return CallRecord([Call("t", {}, True, 1, 1, False, None, (), {"a": sight}) for sight in sights])


def change(old: list[str], new: list[str], *, whole: bool = True) -> Seen:
    before, after = ("".join(f"{row}\n" for row in rows).encode() for rows in (old, new))
    return carried((before, "1"), (after, "2"), whole=whole)


ROWS = [f"line {n}" for n in range(1, 31)]


@pytest.mark.parametrize(
    ("sights", "state", "lines"),
    [
        ((), "never", ()),
        ((Seen.whole("1"),), "same", None),
        ((Seen.part("1", ((3, 5),), 9),), "part", ((3, 5),)),
        ((Seen.part("1", ((3, 5),), 9), Seen.part("1", ((6, 7),), 9)), "part", ((3, 7),)),
        ((Seen.part("1", ((1, 9),), 9),), "same", None),
        ((Seen.pointer(((4, 4),)),), "glimpsed", ()),
        ((Seen.whole("0"),), "changed", ()),
        ((Seen.whole("0"), Seen.pointer(((1, 1),))), "changed", ()),
        ((Seen.whole("1"), Seen.pointer()), "same", None),
        ((Seen.part("1", (), 9),), "glimpsed", ()),
    ],
)
def test_one_line_is_not_the_file(sights: tuple[Seen, ...], state: str, lines: Spans | None) -> None:
    made = record(*sights)
    assert (made.knowledge("a", "1"), made.visible("a", "1")) == (state, lines)


@pytest.mark.parametrize(
    ("sight", "kind"),
    [
        (Seen.whole("1"), "whole"),
        (Seen.part("1", ((1, 1),), 2), "part"),
        (Seen.diff("2", "1", [], []), "diff"),
        (Seen.pointer(((1, 1),)), "pointer"),
    ],
)
def test_the_kinds_of_sight_have_names_in_the_trace_and_survive_it(sight: Seen, kind: str) -> None:
    kept = record(sight)
    row = kept.calls[0].to_trace(1)
    assert (sight.sight, row["seen"]["a"]["sight"]) == (kind, kind)
    assert CallRecord.from_trace([json.dumps({"calls": [row]})]) == kept


def test_a_change_carries_on_what_was_known() -> None:
    new = [*ROWS[:9], "new", "newer", *ROWS[10:]]
    assert record(Seen.whole("1"), change(ROWS, new)).visible("a", "2") is None
    assert record(change(ROWS, new)).visible("a", "2") == ((7, 14),)
    assert record(change(ROWS, new, whole=False)).visible("a", "2") == ((10, 11),)
    known = record(Seen.part("1", ((1, 2), (9, 12), (30, 30)), 30), change(ROWS, new, whole=False))
    assert known.visible("a", "2") == ((1, 2), (9, 13), (31, 31))


def test_lines_changed_where_they_are_leave_the_others_known() -> None:
    new = [f"{row}!" if n % 3 == 0 else row for n, row in enumerate(ROWS)]
    made = record(Seen.part("1", ((1, 12),), 30), change(ROWS, new, whole=False))
    assert made.visible("a", "2") == joined([(1, 12), *((n, n) for n in range(13, 29, 3))])
    turned = [*ROWS[1:], "last"]  # as many lines, and each of them moved
    assert record(Seen.part("1", ((5, 9),), 30), change(ROWS, turned)).visible("a", "2") == ((1, 8), (27, 30))


def test_what_was_cleared_is_not_carried_on() -> None:
    made = record(Seen.whole("1"), change(ROWS, ["new", *ROWS[1:]]))
    made.cleared.add(1)
    assert (made.knowledge("a", "2"), made.visible("a", "2")) == ("part", ((1, 4),))
    made.cleared.add(2)
    assert made.knowledge("a", "2") == "glimpsed"


def test_states_that_come_back_are_known_by_all_their_sights() -> None:
    there, back = Seen.diff("2", "1", [(2, 2)], [(1, 1, 1)]), Seen.diff("1", "2", [(2, 2)], [(1, 1, 1)])
    made = record(Seen.part("1", ((1, 1),), 9), *([there, back] * 200))
    assert made.visible("a", "1") == made.visible("a", "2") == ((1, 2),)


@pytest.mark.parametrize("seed", range(40))
def test_every_line_that_counts_as_known_is_one_that_was_shown(seed: int) -> None:
    chance = random.Random(seed)
    old = [f"{chance.choice('abc')}{n}" for n in range(chance.randrange(1, 40))]
    new = [row for row in old if chance.random() < 0.8]
    for n in range(chance.randrange(1, 6)):
        new.insert(chance.randrange(len(new) + 1), f"new{n}")
    shown = {n for n in range(1, len(old) + 1) if chance.random() < 0.5}
    spans = joined((n, n) for n in shown)
    known = record(Seen("1", spans), change(old, new, whole=False)).visible("a", "2") or ()
    lines = {new[n - 1] for start, end in known for n in range(start, end + 1)}
    stays = {old[n - 1] for n in shown} & set(new)
    assert lines == stays | {row for row in new if row.startswith("new")}


@pytest.mark.parametrize("seed", range(20))
def test_ranges_are_sets_of_lines(seed: int) -> None:
    chance = random.Random(seed)

    def some() -> list[Span]:
        return [(s, s + chance.randrange(-1, 5)) for s in (chance.randrange(1, 40) for _ in range(6))]

    def lines(spans: list[Span] | Spans) -> set[int]:
        return {n for s, e in spans for n in range(s, e + 1)}

    one, other = some(), some()
    assert lines(joined(one)) == lines(one)
    assert lines(without(one, other)) == lines(one) - lines(other)
    assert covers(joined(one), joined(other)) == (lines(other) <= lines(one))
    assert named(joined([(3, 4), (9, 9), (5, 6)])) == "3-6, 9"
