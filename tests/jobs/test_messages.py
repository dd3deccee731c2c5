from __future__ import annotations

import pytest

from jobs import messages
from jobs.outcome import Level, Outcome

CONCLUSIONS = {"success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required"}


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_headline_and_a_conclusion(outcome: Outcome) -> None:
    assert messages.outcome(outcome)[-1] not in ".!"
    assert messages.conclusion(outcome) in CONCLUSIONS


@pytest.mark.parametrize("level", Level)
def test_every_level_is_explained(level: Level) -> None:
    assert messages.level(level).startswith(f"Level {level}: ")


def test_sentences_about_what_people_typed() -> None:
    assert messages.may_not_ask("rob", "read", ("write", "admin")) == (
        "rob may not ask Patchwright here: that needs one of write, admin, not read."
    )
    assert messages.over_limit("budget", "9", "2") == "budget=9 is more than is allowed here: at most 2."
    assert "r-1" in messages.bug("r-1")
    assert messages.marker("r-1") == "<!-- patchwright:run=r-1 -->"
    assert messages.stage("verify") == "running the full test suite on the result"
    assert messages.stage("something new") == "something new"


def test_what_is_not_there_yet_is_named() -> None:
    assert messages.not_yet("plan").startswith("`plan`")
    assert messages.option_future("tests") == "The option tests= does not exist yet."
