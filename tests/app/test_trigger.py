"""Triggers: what an event asks for, what two deliveries have in common, and what starts nothing."""

from __future__ import annotations

from typing import Any

import pytest
from service_receiver import comment_payload

from app.events import Event, Ignored, parse_event
from app.trigger import Trigger, decide

BOT = {"login": "evil[bot]", "id": 12, "type": "Bot"}
PERSON = {"login": "ann", "id": 11, "type": "User"}
AT = {"repository": {"id": 7, "full_name": "octo/app"}, "installation": {"id": 3}, "sender": PERSON}


def _decide(name: str, payload: Any) -> Trigger | Ignored:
    event = parse_event(name, payload)
    assert isinstance(event, Event)
    return decide(event)


def test_command_in_a_new_comment() -> None:
    asked = _decide("issue_comment", comment_payload("/agent fix budget=1 this"))
    assert asked == Trigger(
        kind="command",
        meaning="comment:500:2026-01-01T00:00:00Z",
        repository_id=7,
        repository="octo/app",
        installation_id=3,
        verb="fix",
        options={"budget": "1"},
        text="this",
        issue=1,
        comment_id=500,
        comment_updated_at="2026-01-01T00:00:00Z",
        requester="ann",
        requester_id=11,
    )
    assert Trigger.from_json(asked.to_json()) == asked


def test_comment_on_a_pull_request_is_told_apart() -> None:
    payload = comment_payload(issue={"number": 4, "pull_request": {"url": "…"}})
    asked = _decide("issue_comment", payload)
    assert isinstance(asked, Trigger)
    assert (asked.issue, asked.is_pull) == (4, True)


def test_draft_carries_what_the_delivery_said_and_no_commit() -> None:
    asked = _decide("issue_comment", comment_payload("/agent ask why?"))
    assert isinstance(asked, Trigger)
    job = asked.draft("r-1")
    assert (job.run, job.kind, job.text, job.base_sha, job.queue) == ("r-1", "ask", "why?", "", "now")


@pytest.mark.parametrize(
    "changes",
    [
        {"action": "deleted"},
        {"sender": BOT},
        {"sender": {"login": "bob", "id": 99, "type": "User"}},
        {"installation": None},
        {"repository": {"id": 7, "full_name": "octo/app", "archived": True}},
        {"comment": {"id": 1, "body": "/agent fix", "user": BOT, "updated_at": "x"}},
        {"comment": {"id": 1, "body": None, "user": PERSON, "updated_at": "x"}},
        {"comment": {"id": 1, "body": "thanks!", "user": PERSON, "updated_at": "x"}},
    ],
)
def test_comment_that_asks_for_nothing(changes: dict[str, Any]) -> None:
    assert isinstance(_decide("issue_comment", comment_payload(**changes)), Ignored)


def test_command_edited_into_a_comment_gets_one_hint() -> None:
    edited = comment_payload(action="edited", changes={"body": {"from": "hello"}})
    hint = _decide("issue_comment", edited)
    assert isinstance(hint, Trigger)
    assert (hint.kind, hint.meaning) == ("hint", "hint:500")
    edited["comment"]["updated_at"] = "2026-02-02T00:00:00Z"
    again = _decide("issue_comment", edited)
    assert isinstance(again, Trigger)
    assert again.meaning == hint.meaning


def test_edit_of_a_comment_that_was_a_command_starts_nothing() -> None:
    edited = comment_payload("/agent fix more", action="edited", changes={"body": {"from": "/agent fix"}})
    assert isinstance(_decide("issue_comment", edited), Ignored)


def test_label_asks_like_a_comment() -> None:
    issue = {"number": 5, "id": 50, "updated_at": "2026-01-01T00:00:00Z"}
    asked = _decide("issues", {**AT, "action": "labeled", "label": {"name": "agent:fix"}, "issue": issue})
    assert isinstance(asked, Trigger)
    assert (asked.kind, asked.verb, asked.issue, asked.comment_id, asked.requester) == (
        "command",
        "fix",
        5,
        None,
        "ann",
    )


@pytest.mark.parametrize(
    ("action", "label", "sender"),
    [
        ("unlabeled", "agent:fix", PERSON),
        ("labeled", "bug", PERSON),
        ("labeled", "agent:fly", PERSON),
        ("labeled", "agent:fix", BOT),
    ],
)
def test_other_labels_ask_for_nothing(action: str, label: str, sender: dict[str, Any]) -> None:
    payload = {**AT, "action": action, "label": {"name": label}, "issue": {"number": 5}, "sender": sender}
    assert isinstance(_decide("issues", payload), Ignored)


def _workflow(**run: Any) -> dict[str, Any]:
    facts = {"id": 9, "run_attempt": 2, "head_sha": "a" * 40, "head_branch": "main", "conclusion": "failure"}
    return {**AT, "action": "completed", "workflow_run": {**facts, "head_repository": {"id": 7}, **run}}


def test_red_workflow_run() -> None:
    red = _decide("workflow_run", _workflow(pull_requests=[{"number": 3}]))
    assert isinstance(red, Trigger)
    assert (red.kind, red.verb, red.meaning) == ("red", "ci", f"workflow:9:2:{'a' * 40}")
    job = red.draft("r-1")
    assert (job.queue, job.requester, job.issue, job.is_pull) == ("ci", None, 3, True)
    assert (job.base_ref, job.base_sha) == ("main", "a" * 40)


@pytest.mark.parametrize(
    "run",
    [
        {"conclusion": "success"},
        {"conclusion": "cancelled"},
        {"head_repository": {"id": 8}},
        {"head_repository": None},
        {"head_branch": "agent/fix-1-x"},
    ],
)
def test_workflow_run_that_asks_for_nothing(run: dict[str, Any]) -> None:
    assert isinstance(_decide("workflow_run", _workflow(**run)), Ignored)


def test_red_suite_of_another_ci() -> None:
    suite = {"id": 4, "head_sha": "b" * 40, "head_branch": "main", "conclusion": "failure", "app": {"slug": "other-ci"}}
    red = _decide("check_suite", {**AT, "action": "completed", "check_suite": suite})
    assert isinstance(red, Trigger)
    assert red.meaning == f"suite:4:{'b' * 40}"
    actions = {**suite, "app": {"slug": "github-actions"}}
    assert isinstance(_decide("check_suite", {**AT, "action": "completed", "check_suite": actions}), Ignored)


def test_button_of_our_check_run() -> None:
    check = {"id": 6, "head_sha": "c" * 40, "external_id": "r-01ABC", "started_at": "2026-01-01T00:00:00Z"}
    clicked = {**AT, "action": "requested_action", "check_run": check, "requested_action": {"identifier": "stop"}}
    button = _decide("check_run", clicked)
    assert isinstance(button, Trigger)
    assert (button.kind, button.verb, button.external_id, button.requester) == ("button", "stop", "r-01ABC", "ann")
    assert isinstance(_decide("check_run", {**clicked, "check_run": {**check, "external_id": "x"}}), Ignored)
    assert isinstance(_decide("check_run", {**clicked, "sender": BOT}), Ignored)


def test_pull_request_is_one_meaning_a_head() -> None:
    pull = {"number": 2, "head": {"sha": "d" * 40, "ref": "topic", "repo": {"id": 7}}, "base": {"sha": "e" * 40}}
    opened = _decide("pull_request", {**AT, "action": "opened", "pull_request": pull})
    moved = _decide("pull_request", {**AT, "action": "synchronize", "pull_request": pull})
    assert isinstance(opened, Trigger)
    assert isinstance(moved, Trigger)
    assert opened.meaning == moved.meaning == f"pull:7:2:{'d' * 40}"
    assert opened.draft("r-1").requester is None
    ours = {**pull, "head": {**pull["head"], "ref": "agent/fix-1-x"}}
    assert isinstance(_decide("pull_request", {**AT, "action": "opened", "pull_request": ours}), Ignored)
