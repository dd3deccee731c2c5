"""A run on GitHub from command to told end: what people see on the way, and what survives a stop or a death."""

from __future__ import annotations

from typing import Any

from scripted_fix import edit, replies
from whole import REPO, Whole, whole

SPLIT = "billing/split.py"
WRONG = edit(SPLIT, "    return [total // people] * people", "    return [total // people + 1] * people  # @ann #1")
SLOW = {"calls": [{"name": "shell", "input": {"command": "sleep 3"}}]}


def _status(all_of_it: Whole, number: int) -> str:
    """The status comment."""
    found = [c["body"] for c in all_of_it.hub.comments(REPO, number) if "patchwright:run=" in c["body"]]
    assert len(found) == 1
    return str(found[0])


def _first_status(all_of_it: Whole) -> dict[str, Any]:
    said = [r for r in all_of_it.hub.requests if r.method == "POST" and r.route.endswith("/issues/1/comments")]
    return dict(said[-1].json)


def test_a_stop_that_comes_while_it_is_published_is_too_late() -> None:
    with whole() as up:
        up.hub.fault("POST", f"/repos/{REPO}/pulls", "slow", seconds=3)
        number = up.ask()
        up.wait(lambda: [r for r in up.hub.requests if "git-receive-pack" in r.route and r.method == "POST"])
        run = up.run_of(number)
        assert run is not None
        assert up.runs.stop(run.id, "Stopped by @ann.")
        run = up.finished(number)
        assert (run.outcome, run.told) == ("fixed", True), run.reason
        assert run.result["pr_url"] in _status(up, number)
        assert "getting the code" in _first_status(up)["body"], "people see at once that somebody is at work"
        assert up.receipts(number) == (1, 1)


def test_what_a_dead_attempt_published_is_the_end_of_the_run() -> None:
    with whole(files={".github/patchwright.yml": "pull_request: {labels: [agent]}\n"}) as up:
        up.hub.fault("POST", f"/repos/{REPO}/issues/*/labels", "slow", seconds=20)
        number = up.ask()
        (pull,) = up.wait(lambda: up.hub.pulls(REPO))
        asked = len(up.model.requests)
        up.kill("horse")
        run = up.finished(number)
        assert (run.outcome, run.attempt, run.result["level"]) == ("fixed", 2, "A"), run.reason
        assert len(up.model.requests) == asked, "nothing is asked again"
        assert (run.result["pr_url"], run.result["branch"]) == (pull["html_url"], pull["head"]["ref"])
        assert run.result["commit"] == pull["head"]["sha"] == up.hub.pulls(REPO)[0]["head"]["sha"]
        assert run.result["cost"]["usd"] > 0
        assert pull["html_url"] in _status(up, number)
        assert up.receipts(number) == (1, 1)


def test_rounds_of_a_dead_attempt_are_used_up() -> None:
    first, second, last = replies()
    policy = {".github/patchwright.yml": "budget: {rounds: 3}\n"}
    with whole(script=[first, SLOW, second, last], files=policy) as up:
        number = up.ask()
        up.wait(lambda: (run := up.run_of(number)) and run.rounds >= 2)
        up.kill("horse")
        run = up.finished(number)
        assert (run.outcome, run.attempt, run.rounds) == ("out_of_budget", 2, 3), run.reason
        assert run.result["rounds"] == 3
        assert run.agent_s > 0


def test_an_unproven_change_is_kept_and_shown() -> None:
    with whole(script=[WRONG, {"text": "That is it."}, {"text": "I can do no better."}]) as up:
        number = up.ask()
        run = up.finished(number)
        status = _status(up, number)
    assert run.outcome == "not_fixed", run.reason
    assert "+    return [total // people + 1] * people  # @ann #1\n" in run.result["patch"]
    assert f"<summary>The change so far</summary>\n\n```diff\ndiff --git a/{SPLIT} b/{SPLIT}\n" in status
    assert "+    return [total // people + 1] * people  # @ann #1\n" in status


def test_a_stopped_run_tells_its_price() -> None:
    with whole(script=[WRONG, SLOW, {"text": "Done."}]) as up:
        number = up.ask()
        up.wait(lambda: (run := up.run_of(number)) and run.rounds >= 2)
        run = up.run_of(number)
        assert run is not None
        assert up.runs.stop(run.id, "Stopped by @ann.")
        run = up.finished(number)
        status = _status(up, number)
    assert (run.outcome, run.result["rounds"]) == ("cancelled", 2)
    assert run.usd > 0
    assert abs(run.result["cost"]["usd"] - run.usd) < 1e-5
    assert "· rounds: 2 ·" in status
