from __future__ import annotations

from dataclasses import replace

from github_world import NAME, World
from receipt_facts import ended

from jobs.outcome import Outcome
from jobs.publish.receipt import receipt
from jobs.publish.status import MOST_EDITS, Edits, Ending, Progress, StatusComment, comment, may_edit

FIXED = receipt(ended(pr_url="https://github.com/acme/tool/pull/3"))


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_progress_says_stage_rounds_and_cost() -> None:
    shown = comment("r-1", Progress("verify", 3, 0.5, "https://p.example/r-1"))
    assert shown.startswith(
        "<!-- patchwright:run=r-1 -->\n**Patchwright is running the full test suite on the result.**"
    )
    assert "Rounds: 3, $0.50 so far." in shown
    assert "[progress](https://p.example/r-1)" in shown


def test_the_end_says_outcome_link_and_output() -> None:
    shown = comment("r-01", Ending(FIXED))
    assert "**Fixed, and proven by the repository's own tests.**" in shown
    assert "https://github.com/acme/tool/pull/3" in shown
    red = receipt(ended(outcome=Outcome.NOT_FIXED, reason="Still red for @ann.\nE  ```\nE  @bob"))
    shown = comment("r-01", Ending(red, patch="-a\n+b\n"))
    assert "Still red for `@ann`." in shown
    assert "````\nE  ```\nE  @bob\n````" in shown
    assert "```diff\n-a\n+b\n```" in shown


def test_a_long_change_is_cut_and_nothing_in_it_is_live() -> None:
    red = receipt(ended(outcome=Outcome.NOT_FIXED, reason="Still red."))
    evil = "+```\n+</details> @ann closes #1\n/agent fix\n"
    shown = comment("r-01", Ending(red, patch=evil))
    assert (
        f"<details>\n<summary>The change so far</summary>\n\n````diff\n{evil.replace('/agent', ' /agent')}````" in shown
    )
    for row in ("+" + "x" * 30_000, ("+" + "x" * 99 + "\n") * 300):
        shown = comment("r-01", Ending(red, patch=row))
        assert len(shown) < 21_000
        assert "… cut here; the whole patch is kept with the run\n```" in shown


def test_a_price_without_rounds_is_told() -> None:
    ended_early = receipt(ended(outcome=Outcome.CANCELLED, reason="Stopped by @ann."))
    assert "$0.0421 · 1 min 15 s · run" in comment("r-01", Ending(replace(ended_early, rounds=None)))


def test_a_bug_is_told_by_the_run_only() -> None:
    shown = comment("r-01", Ending(receipt(ended(outcome=Outcome.ERROR, reason="KeyError: 'x'\nTraceback …"))))
    assert "KeyError" not in shown
    assert "Traceback" not in shown
    assert "under run r-01" in shown


def test_an_answer_is_shown_as_markdown() -> None:
    answered = receipt(ended(outcome=Outcome.ANSWERED, verdict=None, reason=""))
    assert "See `a.py:3`, **not** `@ann`." in comment("r-1", Ending(answered, answer="See `a.py:3`, **not** @ann."))


def test_when_an_edit_is_allowed() -> None:
    before = Edits(3, 100.0, "attempt")
    assert not may_edit(before, Progress("attempt"), 129.9)
    assert may_edit(before, Progress("attempt"), 130.0)
    assert may_edit(before, Progress("verify"), 100.1)
    assert not may_edit(Edits(MOST_EDITS - 1, 0.0, "attempt"), Progress("verify"), 999.0)


def test_one_comment_is_kept_within_its_edits(gh: World) -> None:
    number, clock = gh.hub.open_issue(NAME, "ann", "Broken"), Clock()
    status = StatusComment(gh.github, number, "r-01", clock=clock)
    assert status.show(Progress("queued"))
    assert not status.show(Progress("queued"))
    shown = 0
    for n in range(60):
        clock.now += 31
        shown += status.show(Progress("attempt", n))
    assert shown == MOST_EDITS - 2
    status.end(Ending(FIXED))
    edits = [r for r in gh.hub.requests if r.method == "PATCH"]
    assert len(edits) == MOST_EDITS - 1
    (only,) = gh.hub.comments(NAME, number)
    assert "**Fixed" in only["body"]


def test_another_worker_finds_the_comment_again(gh: World) -> None:
    number = gh.hub.open_issue(NAME, "ann", "Broken")
    gh.hub.comment(NAME, number, "rob", "<!-- patchwright:run=r-01 --> not yours")
    StatusComment(gh.github, number, "r-01").show(Progress("attempt"))
    second = StatusComment(gh.github, number, "r-01")
    second.show(Progress("verify"))
    last = second.end(Ending(FIXED))
    assert [c["id"] for c in gh.hub.comments(NAME, number)][1:] == [last.id]


def test_a_lost_answer_does_not_double_the_comment(gh: World) -> None:
    number = gh.hub.open_issue(NAME, "ann", "Broken")
    gh.github.issue(number)
    gh.hub.fault("POST", "/repos/*/comments", "bad_gateway_after_write")
    StatusComment(gh.github, number, "r-01").show(Progress("attempt"))
    assert len(gh.hub.comments(NAME, number)) == 1
