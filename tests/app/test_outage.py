"""GitHub away for long: what was accepted is kept, and if it must be given up it can be sent again."""

from __future__ import annotations

import time

from hub_fixture import REPO, WRITER
from redis import Redis
from service_control import KEEP_S, hub_app
from service_processes import until
from service_stage import Stage

from app.control import LONGEST_S, MAX_TRIES
from jobs import keys
from jobs.inbox import Inbox


def test_command_outlives_a_long_outage(stage: Stage) -> None:
    stage.hub.fault("GET", "*/contents/*", "server_error", times=1000)
    stage.hub.comment(REPO, stage.issue, WRITER, "/agent fix")
    assert stage.hub.settle()
    for n in range(1, MAX_TRIES + 3):
        stage.put_off(n)
        stage.due_now()
    stage.put_off(MAX_TRIES + 3)
    stage.hub.clear_faults()
    stage.due_now()
    stage.settle()
    assert len(stage.runs()) == 1


def test_command_given_up_after_a_day_can_be_sent_again(stage: Stage, redis: Redis) -> None:
    stage.hub.fault("GET", "*/contents/*", "server_error", times=1000)
    stage.hub.comment(REPO, stage.issue, WRITER, "/agent fix")
    assert stage.hub.settle()
    entry = stage.put_off(1)
    redis.hset(keys.entry(entry), "at", int((time.time() - LONGEST_S - 60) * 1000))
    stage.due_now()
    until(lambda: Inbox(redis, keep_s=KEEP_S).ending(entry) is not None)
    ending, reason = Inbox(redis, keep_s=KEEP_S).ending(entry) or ("", "")
    assert (ending, stage.runs()) == ("failed", [])
    assert "GitHub failed with status 500" in reason
    stage.hub.clear_faults()
    (comment,) = (d for d in stage.hub.deliveries() if d.event == "issue_comment")
    hub_app(stage.hub).redeliver(comment.id)
    stage.settle()
    assert len(stage.runs()) == 1
