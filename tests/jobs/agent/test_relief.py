"""A conversation that grew too long goes on, and the record knows what can no longer be seen."""

from __future__ import annotations

from typing import Any

import pytest
from agent_session import CALC, DONE, FIXING, Begin, Played, call, results

from jobs.agent.budget import Budget

BIG = {f"big{n}.txt": f"{n} {'lorem ' * 12}\n" * 690 for n in range(12)}
ONE = "value = 1\nother = 2\n" + "# a word or two of padding\n" * 300
READS = [{"calls": [call("readfile", ranges=[{"path": path, "start": 1, "end": 690}])]} for path in BIG]
FIRST = {"calls": [call("readfile", ranges=[{"path": "deep/one.py", "start": 1, "end": 302}])]}


def pressed(start: Begin, *then: dict[str, Any]) -> Played:
    """A session in a small window that reads until its first results are taken out, and goes on with `then`."""
    files = {**CALC, **BIG, "deep/one.py": ONE}
    played = start([FIRST, *READS, *then, DONE], files=files, model="claude-sonnet-4-5", budget=Budget(usd=20))
    assert played.session.work().ended == "done"
    (cut,) = [note for note in played.trace.of("note") if note["why"] == "cut"]
    record = played.session.bench.record
    assert record is not None
    assert set(cut["cleared"]) == record.cleared
    shown = [n for n, made in enumerate(record.calls, 1) if "deep/one.py" in made.seen]
    assert shown[0] in record.cleared
    return played


def edit(old: str, new: str) -> dict[str, Any]:
    return {"calls": [call("edit", edits=[{"path": "deep/one.py", "old_string": old, "new_string": new}])]}


LOOSE = edit("  value = 1  \n  other = 2", "  value = 3\n  other = 2")


def test_what_can_no_longer_be_seen_is_changed_by_its_exact_text_only(start: Begin) -> None:
    played = pressed(start, LOOSE, edit("value = 1\nother = 2", "value = 4\nother = 2"))
    refused, applied = results(played)[-2:]
    assert "deep/one.py is not in view" in refused
    assert "and old_string is not exactly what stands there (only by indent). Nothing was written." in refused
    assert "1 of 1 applied" in applied
    assert played.text("deep/one.py").startswith("value = 4\nother = 2\n")


def test_reading_it_again_shows_it_and_loosens_the_rule(start: Begin) -> None:
    played = pressed(start, FIRST, LOOSE)
    shown, applied = results(played)[-2:]
    assert "1\tvalue = 1\n2\tother = 2" in shown
    assert "1 of 1 applied" in applied


@pytest.mark.parametrize("fault", ["too_long", "overflow"])
def test_what_the_endpoint_finds_too_long_is_cut_once_and_the_work_goes_on(start: Begin, fault: str) -> None:
    steps = [*READS[:6], {"fault": fault, "text": "half"}, FIXING, DONE]
    played = start(steps, files={**CALC, **BIG}, budget=Budget(usd=20))
    assert played.session.work().ended == "done"
    assert [note["why"] for note in played.trace.of("note")].count("cut") == 1
    assert played.text("calc.py").endswith("a + b\n")
    first, last = (r.body["messages"] for r in (played.endpoint.requests[0], played.endpoint.requests[-1]))
    assert last[0]["content"][0]["text"] == first[0]["content"][0]["text"]
    assert any(text.startswith("[cleared: ") for text in results(played))


def test_a_request_that_stays_too_long_ends_the_session_honestly(start: Begin) -> None:
    steps = [*READS, FIXING, {"fault": "too_long", "times": 20}]
    played = start(steps, files={**CALC, **BIG}, budget=Budget(usd=20))
    attempt = played.session.work()
    assert attempt.ended == "stuck"
    assert 1 < [note["why"] for note in played.trace.of("note")].count("cut") <= 5
    assert "Changed so far: calc.py." in attempt.summary


def test_an_endpoint_with_a_smaller_window_than_is_known_is_worked_with(start: Begin) -> None:
    """Each time that it finds a request too long half of it goes, and from then on room is made before that."""
    steps = [*READS[:4], {"fault": "too_long"}, *READS[4:8], {"fault": "too_long"}, *READS[8:12], FIXING, DONE]
    played = start(steps, files={**CALC, **BIG}, budget=Budget(usd=20))
    assert played.session.work().ended == "done"
    assert played.text("calc.py").endswith("a + b\n")
    sizes = [len(str(r.body["messages"])) for r in played.endpoint.requests]
    largest = max(sizes)
    assert max(sizes[sizes.index(largest) + 1 :]) < largest


def test_a_conversation_that_became_too_dear_is_cut_before_it_is_given_up(start: Begin) -> None:
    """Ten reads of 10,000 tokens each: without a cut two bounds of a full request do not fit into what is left."""
    files, steps = {**CALC, **BIG}, [*READS[:10], FIXING, DONE]
    played = start(steps, files=files, model="claude-sonnet-4-5", budget=Budget(usd=1.6))
    attempt = played.session.work()
    notes = [note["why"] for note in played.trace.of("note")]
    assert (attempt.ended, "cut" in notes, "budget" in notes) == ("done", True, True)
    assert (attempt.usd or 0) <= 1.6
    assert notes.index("budget") < notes.index("cut")  # it was warned
