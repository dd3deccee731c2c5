"""Deliveries that failed: which are asked for again, and how often."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hub_fixture import REPO, WRITER
from redis import Redis
from service_control import hub_app
from service_receiver import receiver
from service_stage import Stage

from app.deliveries import due, missed, redeliver
from jobs.github.values import Delivery

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
FAILED = Delivery(1, "g-1", "2026-05-04T11:59:00.250Z", False, "timed out", 0, "issue_comment", "created")
NOWHERE = "http://127.0.0.1:9/webhook"


def _minutes_ago(minutes: float, delivery: Delivery = FAILED) -> Delivery:
    return replace(delivery, delivered_at=(NOW - timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z"))


def test_missed_delivery_is_asked_for_again(stage: Stage, redis: Redis) -> None:
    assert stage.hub.settle()
    stage.hub.webhook_to(NOWHERE)
    stage.hub.comment(REPO, stage.issue, WRITER, "/agent fix")
    assert stage.hub.settle()
    assert stage.runs() == []
    stage.hub.webhook_to(f"{stage.url}/webhook")
    assert redeliver(hub_app(stage.hub), redis) == 1
    stage.settle()
    assert len(stage.runs()) == 1
    assert redeliver(hub_app(stage.hub), redis) == 0


def test_delivery_that_fails_anew_is_not_asked_for_at_once(stage: Stage, redis: Redis) -> None:
    assert stage.hub.settle()
    stage.hub.webhook_to(NOWHERE)
    stage.hub.comment(REPO, stage.issue, WRITER, "/agent fix")
    assert stage.hub.settle()
    assert redeliver(hub_app(stage.hub), redis) == 1
    assert stage.hub.settle()
    assert redeliver(hub_app(stage.hub), redis) == 0


def test_delivery_that_the_receiver_refused_is_not_asked_for(stage: Stage, redis: Redis, redis_url: str) -> None:
    assert stage.hub.settle()
    with receiver(redis_url, secret="another") as url:
        stage.hub.webhook_to(f"{url}/webhook")
        stage.hub.comment(REPO, stage.issue, WRITER, "/agent fix")
        assert stage.hub.settle()
    assert stage.hub.deliveries()[-1].status_code == 401
    assert redeliver(hub_app(stage.hub), redis) == 0


@pytest.mark.parametrize("status", [400, 401, 413, 415])
def test_refusals_are_no_misses(status: int) -> None:
    refused = replace(FAILED, id=2, status_code=status)
    assert missed([refused], NOW) == []
    assert missed([refused, FAILED], NOW) == []
    assert missed([FAILED, refused], NOW) == [FAILED]


def test_newest_failed_try_of_each_delivery_is_a_miss() -> None:
    older, other = replace(_minutes_ago(9), id=2), replace(FAILED, id=3, guid="g-2", status_code=503)
    assert missed([FAILED, other, older], NOW) == [FAILED, other]
    assert missed([FAILED, replace(other, status_code=202), replace(older, guid="g-2")], NOW) == [FAILED]


def test_delivery_of_three_days_ago_is_left_alone() -> None:
    old = replace(_minutes_ago(3 * 24 * 60), id=2)
    assert missed([old], NOW) == []
    assert missed([FAILED, old], NOW) == [], "trying again does not make it younger"


@pytest.mark.parametrize(("repeats", "minutes"), [(1, 5), (2, 10), (5, 80), (9, 1280)])
def test_each_try_waits_twice_as_long(repeats: int, minutes: int) -> None:
    assert not due(_minutes_ago(minutes - 1), repeats, NOW)
    assert due(_minutes_ago(minutes), repeats, NOW)
    assert due(FAILED, 0, NOW)
