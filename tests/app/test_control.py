"""Control: from a person's comment on the hub to a dispatched run, a refusal or an answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from hub_fixture import REPO, WRITER
from redis import Redis
from service_control import KEEP_S, controlling, hub_app
from service_processes import until
from service_stage import Stage

from app.control import moved
from app.local.hub.checks import JobResult
from app.local.hub.server import Hub
from jobs import keys
from jobs.clock import now_ms
from jobs.gate import Ceilings
from jobs.github.desk import GitHubDesk
from jobs.github.wire import unfenced
from jobs.job import Job
from jobs.lease import Lease
from jobs.outcome import Outcome
from jobs.queue import open_queue
from jobs.runs import Finished, Runs


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
    stage.say("/agent fix")
    desk = GitHubDesk(hub_app(stage.hub), Ceilings(), unfenced)
    bound = desk.admit(replace(stage.runs()[0].job, issue=number, is_pull=True, base_sha="", base_ref=""))
    assert isinstance(bound, Job)
    assert (bound.base_ref, bound.base_sha) == ("topic", head)


def test_head_that_came_after_the_command_is_known_as_later(stage: Stage, redis: Redis) -> None:
    heads = [stage.hub.push(REPO, "topic", {"calc.py": "x = 1\n"}, WRITER)]
    number = stage.hub.open_pull(REPO, WRITER, title="Try", head="topic", base="main")
    stage.settle()
    asked_ms = now_ms() + 1
    time.sleep(0.05)
    heads.append(stage.hub.push(REPO, "topic", {"calc.py": "x = 2\n"}, WRITER))
    stage.settle()
    stage.say("/agent fix")
    job = replace(stage.runs()[0].job, issue=number, is_pull=True)
    assert [moved(redis, replace(job, base_sha=head), asked_ms) for head in heads] == [False, True]


@pytest.mark.parametrize("verb", ["plan", "ask why?", "ci", "bump", "verify", "undo"])
def test_what_does_not_exist_yet_is_answered_in_one_sentence(stage: Stage, verb: str) -> None:
    comment = stage.say(f"/agent {verb}")
    (said,) = stage.said()
    assert f"`{verb.split()[0]}` {'can' if verb == 'undo' else 'does not exist yet.'}" in said
    assert (stage.reactions(comment), stage.runs()) == ([], [])


def test_fix_on_a_pull_request_is_answered_in_one_sentence(stage: Stage) -> None:
    stage.hub.push(REPO, "topic", {"calc.py": "x = 1\n"}, WRITER)
    number = stage.hub.open_pull(REPO, WRITER, title="Try", head="topic", base="main")
    stage.hub.comment(REPO, number, WRITER, "/agent fix")
    stage.settle()
    (said,) = stage.said(number)
    assert said.startswith("`fix` works on issues so far, not on pull requests.\n")
    assert stage.runs() == []


@pytest.mark.parametrize("option", ["tests=a.py", "force=yes"])
def test_option_that_does_not_exist_yet_is_answered_in_one_sentence(stage: Stage, option: str) -> None:
    comment = stage.say(f"/agent fix {option} please")
    (said,) = stage.said()
    assert said.startswith(f"The option {option.partition('=')[0]}= does not exist yet.\n")
    assert (stage.reactions(comment), stage.runs()) == ([], [])


def test_red_workflow_starts_nothing_even_where_it_is_named(stage: Stage) -> None:
    stage.hub.push(REPO, "main", {".github/patchwright.yml": "triggers: {ci: propose}\n"}, WRITER)
    stage.hub.complete_workflow_run(REPO, jobs=[JobResult("test", "failure")])
    stage.settle()
    assert (stage.runs(), stage.said()) == ([], [])


def test_help_status_and_unknown_commands_are_answered(stage: Stage) -> None:
    stage.say("/agent help")
    stage.say("/agent status")
    stage.say("/agent fxi")
    answers = stage.said()
    assert "`/agent fix [what to mind]`" in answers[0]
    assert "plan" not in answers[0]
    assert "`model=`, `budget=`, `base=`." in answers[0]
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
    time.sleep(1.1)  # GitHub's times are whole seconds: now the comment is visibly an edited one
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
    stage.hub.fault("POST", "/repos/*/reactions", "bad_gateway_after_write", times=3)
    comment = stage.hub.comment(REPO, stage.issue, WRITER, "/agent fix")
    assert stage.hub.settle()
    stage.put_off(1)
    stage.due_now()
    stage.settle()
    assert stage.hub.faults_left == []
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


def test_dead_leader_is_replaced(hub: Hub, redis: Redis, redis_url: str) -> None:
    redis.set(keys.LEADER, "dead", px=1500)
    began = time.monotonic()
    with controlling(hub, redis_url):
        led: Callable[[], bool] = lambda: redis.get(keys.LEADER) not in (None, b"dead")  # noqa: E731
        until(led, timeout_s=5)
        assert time.monotonic() - began > 1
    assert redis.get(keys.LEADER) is None
