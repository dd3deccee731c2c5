"""Control: from a person's comment on the hub to a dispatched run, a refusal or an answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from hub_fixture import REPO, WRITER
from redis import Redis
from service_control import KEEP_S, controlling, hub_app
from service_processes import until
from service_receiver import receiver

from app.deliveries import redeliver
from app.local.hub.checks import JobResult
from app.local.hub.server import Hub
from jobs import keys
from jobs.inbox import Inbox
from jobs.lease import Lease
from jobs.outcome import Outcome
from jobs.queue import open_queue
from jobs.runs import Finished, Run, Runs


@dataclass
class Stage:
    """Hub, receiver and control at work; one issue is open."""

    hub: Hub
    redis: Redis
    url: str
    issue: int

    def say(self, body: str, login: str = WRITER) -> int:
        """Comments and waits until the delivery is dealt with."""
        comment = self.hub.comment(REPO, self.issue, login, body)
        self.settle()
        return comment

    def settle(self) -> None:
        """Waits until nothing is under way."""
        assert self.hub.settle()
        until(lambda: Inbox(self.redis, keep_s=KEEP_S).waiting() == 0)

    def reactions(self, comment: int) -> list[str]:
        """What the App put on a comment."""
        return [r["content"] for r in self.hub.reactions(REPO, self.issue, comment)]

    def said(self) -> list[str]:
        """What the App wrote."""
        return [c["body"] for c in self.hub.comments(REPO, self.issue) if c["user"]["type"] == "Bot"]

    def runs(self) -> list[Run]:
        """All runs, newest first."""
        return list(Runs(self.redis, keep_s=KEEP_S).recent())


@pytest.fixture
def stage(hub: Hub, redis: Redis, redis_url: str) -> Iterator[Stage]:
    with receiver(redis_url, secret=hub.webhook_secret) as url, controlling(hub, redis_url):
        hub.webhook_to(f"{url}/webhook")
        yield Stage(hub, redis, url, hub.open_issue(REPO, WRITER, "add subtracts", "2 + 3 gives -1"))


def test_command_is_seen_within_a_second_and_dispatched_once(stage: Stage) -> None:
    stage.say("/agent status")
    began = time.monotonic()
    comment = stage.hub.comment(REPO, stage.issue, WRITER, "/agent fix please\nwith care")
    until(lambda: stage.reactions(comment) == ["eyes"])
    assert time.monotonic() - began < 1
    stage.settle()
    (run,) = stage.runs()
    job = run.job
    assert (job.kind, job.text, job.issue, job.requester) == ("fix", "please\nwith care", stage.issue, WRITER)
    assert (job.repository, job.base_ref, job.queue) == (REPO, "main", "now")
    assert job.base_sha == next(b["commit"]["sha"] for b in stage.hub.branches(REPO) if b["name"] == "main")
    assert open_queue(stage.redis, "now").job_ids == [f"{run.id}-a1"]
    assert len(stage.said()) == 1


def test_stranger_is_refused_and_nothing_starts(stage: Stage) -> None:
    stage.hub.add_user("mallory")
    comment = stage.say("/agent fix", "mallory")
    assert stage.reactions(comment) == ["confused"]
    (sentence,) = stage.said()
    assert "may not ask" in sentence
    assert stage.runs() == []


def test_excessive_budget_is_refused_in_one_line(stage: Stage) -> None:
    comment = stage.say("/agent fix budget=1000")
    assert sorted(stage.reactions(comment)) == ["confused", "eyes"]
    assert "budget=1000 is more than is allowed" in stage.said()[0]
    assert stage.runs() == []


def test_broken_policy_file_is_told(stage: Stage) -> None:
    stage.hub.push(REPO, "main", {".github/patchwright.yml": "tset: pytest\n"}, WRITER)
    stage.say("/agent fix")
    assert "tset" in stage.said()[0]
    assert stage.runs() == []


def test_missing_branch_is_told(stage: Stage) -> None:
    stage.say("/agent fix base=nowhere")
    assert "nowhere" in stage.said()[0]


def test_pull_request_is_bound_to_its_head(stage: Stage) -> None:
    head = stage.hub.push(REPO, "topic", {"calc.py": "def add(a, b):\n    return a\n"}, WRITER)
    number = stage.hub.open_pull(REPO, WRITER, title="Try", head="topic", base="main")
    stage.hub.comment(REPO, number, WRITER, "/agent fix")
    stage.settle()
    (run,) = stage.runs()
    assert (run.job.is_pull, run.job.issue, run.job.base_ref, run.job.base_sha) == (True, number, "topic", head)


def test_head_that_came_after_the_command_is_not_run(stage: Stage, redis: Redis) -> None:
    stage.hub.push(REPO, "topic", {"calc.py": "x = 1\n"}, WRITER)
    number = stage.hub.open_pull(REPO, WRITER, title="Try", head="topic", base="main")
    stage.settle()
    stage.hub.fault("GET", r".*/contents/.*", "bad_gateway_after_write", times=9)  # control has to come back
    stage.hub.comment(REPO, number, WRITER, "/agent fix")
    assert stage.hub.settle()
    stage.hub.push(REPO, "topic", {"calc.py": "x = 2\n"}, WRITER)
    assert stage.hub.settle()
    stage.hub.clear_faults()
    stage.settle()
    assert stage.runs() == []
    (said,) = (c["body"] for c in stage.hub.comments(REPO, number) if c["user"]["type"] == "Bot")
    assert "New commits came after you asked" in said


def test_help_status_and_unknown_commands_are_answered(stage: Stage) -> None:
    stage.say("/agent help")
    stage.say("/agent status")
    stage.say("/agent fxi")
    answers = stage.said()
    assert "`/agent fix [what to mind]`" in answers[0]
    assert "Nothing runs or ran here." in answers[1]
    assert "Did you mean `/agent fix`?" in answers[2]
    assert stage.runs() == []


def test_second_command_waits_for_the_first_run(stage: Stage) -> None:
    stage.say("/agent fix")
    stage.say("/agent fix again")
    (run,) = stage.runs()
    assert f"`{run.id}` is still at work here" in stage.said()[0]
    stage.say("/agent status")
    assert f"| `{run.id}` | fix | queued | $0.00 |" in stage.said()[1]


def test_stop_ends_a_waiting_run_and_its_ending_is_told(stage: Stage) -> None:
    stage.say("/agent fix")
    stage.say("/agent stop")
    until(lambda: stage.runs()[0].told)
    (run,) = stage.runs()
    assert (run.outcome, run.reason) == (Outcome.CANCELLED, f"Stopped by @{WRITER}.")
    assert open_queue(stage.redis, "now").job_ids == []
    assert "Stopping 1 run." in stage.said()[0]
    assert "Stopped on request" in stage.said()[1]


def test_retry_asks_for_the_same_again(stage: Stage) -> None:
    stage.say("/agent retry")
    assert "Nothing ran here" in stage.said()[0]
    stage.say("/agent fix budget=1 the sign")
    stage.say("/agent stop")
    until(lambda: stage.runs()[0].state == "finished")
    stage.say("/agent retry")
    again, first = stage.runs()
    assert (again.job.kind, again.job.text, again.job.options) == ("fix", "the sign", {"budget": "1"})
    assert first.outcome is Outcome.CANCELLED


def test_command_edited_into_a_comment_gets_one_hint(stage: Stage) -> None:
    comment = stage.say("hello")
    for _ in range(2):
        stage.hub.edit_comment(REPO, comment, WRITER, "/agent fix")
        stage.settle()
    assert [s.partition("\n")[0] for s in stage.said()] == [
        "Edited comments start nothing. Write `/agent …` as a new comment."
    ]
    assert stage.runs() == []


def test_label_starts_a_run(stage: Stage) -> None:
    stage.hub.label(REPO, stage.issue, "agent:fix", WRITER)
    stage.settle()
    (run,) = stage.runs()
    assert (run.job.kind, run.job.comment_id, run.job.requester) == ("fix", None, WRITER)
    assert [r["content"] for r in stage.hub.reactions(REPO, stage.issue)] == ["eyes"]


def test_red_workflow_is_off_until_named(stage: Stage) -> None:
    stage.hub.complete_workflow_run(REPO, jobs=[JobResult("test", "failure")])
    stage.settle()
    assert stage.runs() == []
    assert stage.said() == []


def test_github_away_keeps_the_entry_until_it_is_back(stage: Stage) -> None:
    stage.hub.fault("POST", r"/repos/.*/reactions", "bad_gateway_after_write", times=1)
    comment = stage.say("/agent fix")
    assert stage.reactions(comment) == ["eyes"]
    assert len(stage.runs()) == 1


def test_ending_that_nobody_told_is_told_once(stage: Stage, redis: Redis) -> None:
    stage.say("/agent fix")
    (run,) = stage.runs()
    with Lease(redis, run.id, 1) as lease:
        Runs(redis, keep_s=KEEP_S).finish(run.id, lease.holder, Finished(Outcome.ENVIRONMENT, "No disk.", told=False))
    until(lambda: stage.runs()[0].told)
    (said,) = stage.said()
    assert "No disk." in said
    assert f"<!-- patchwright:run={run.id} -->" in said


def test_lost_dispatch_is_made_again(stage: Stage, redis: Redis) -> None:
    stage.say("/agent fix")
    (run,) = stage.runs()
    redis.delete(open_queue(redis, "now").key)
    until(lambda: open_queue(redis, "now").job_ids == [f"{run.id}-a2"], timeout_s=12)


def test_run_that_keeps_killing_its_worker_ends(stage: Stage, redis: Redis) -> None:
    stage.say("/agent fix")
    (run,) = stage.runs()
    for attempt in (1, 2, 3):
        until(lambda n=attempt: stage.runs()[0].attempt == n)
        Lease(redis, run.id, attempt).__enter__().__exit__(None, None, None)
        redis.delete(keys.lease(run.id))
    until(lambda: stage.runs()[0].told)
    assert (stage.runs()[0].outcome, stage.runs()[0].attempt) == (Outcome.ENVIRONMENT, 3)
    assert "died 3 times" in stage.said()[0]


def test_waiting_run_goes_on_when_it_is_due(stage: Stage, redis: Redis) -> None:
    stage.say("/agent fix")
    (run,) = stage.runs()
    with Lease(redis, run.id, 1) as lease:
        assert lease.postpone(0.5, "limit")
    until(lambda: open_queue(redis, "now").job_ids == [f"{run.id}-a2"])
    assert stage.runs()[0].deaths == 0


def test_missed_delivery_is_asked_for_again(stage: Stage, redis: Redis) -> None:
    assert stage.hub.settle()
    stage.hub.webhook_to("http://127.0.0.1:9/webhook")
    stage.hub.comment(REPO, stage.issue, WRITER, "/agent fix")
    assert stage.hub.settle()
    assert stage.runs() == []
    stage.hub.webhook_to(f"{stage.url}/webhook")
    assert redeliver(hub_app(stage.hub), redis) == 1
    stage.settle()
    assert len(stage.runs()) == 1
    assert redeliver(hub_app(stage.hub), redis) == 0


def test_dead_leader_is_replaced(hub: Hub, redis: Redis, redis_url: str) -> None:
    redis.set(keys.LEADER, "dead", px=1500)
    began = time.monotonic()
    with controlling(hub, redis_url):
        led: Callable[[], bool] = lambda: redis.get(keys.LEADER) not in (None, b"dead")  # noqa: E731
        until(led, timeout_s=5)
        assert time.monotonic() - began > 1
    assert redis.get(keys.LEADER) is None
