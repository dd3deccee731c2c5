"""The worker: exactly one recorded ending for whatever the work does, in a real process with real forks."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis
from rq import Queue
from service_jobs import KEEP_S, job, worker_settings
from service_processes import WORKER, children, environment_of, exists, running, until, worker_environment
from service_recorder import Recorder

from jobs.errors import UserError
from jobs.model.usage import Usage
from jobs.outcome import Outcome
from jobs.queue import RunJob, dispatch, open_queue
from jobs.runs import Run, Runs
from jobs.trace.store import read
from jobs.worker import main, resolve


@pytest.fixture
def get(redis: Redis) -> Callable[[str], Run]:
    runs = Runs(redis, keep_s=KEEP_S)

    def look(run_id: str) -> Run:
        run = runs.get(run_id)
        assert run is not None
        return run

    return look


def test_job_becomes_one_recorded_ending(
    redis: Redis, redis_url: str, tmp_path: Path, get: Callable[[str], Run]
) -> None:
    with Recorder() as recorder:
        one = job(text=f"{recorder.url} 0.1")
        dispatch(redis, one)
        env = worker_environment(redis_url, tmp_path, "service_runners:work")
        with running(WORKER, env, tmp_path / "log"):
            until(lambda: get(one.run).state == "finished")
    ended = get(one.run)
    assert (ended.outcome, ended.reason, ended.told) == (Outcome.FIXED, "done", True)
    assert (ended.usd, ended.usage) == (0.01, Usage(input=100, output=10))
    assert recorder.counts(one.run) == {"started": 1, "branch": 1, "pull": 1, "comment": 1}
    events = [(e["type"], e["attempt"]) for e in read(redis, one.run)]
    assert events == [("run.started", 1), ("stage.started", 1), ("run.finished", 1)]


@pytest.mark.parametrize(
    ("text", "outcome", "reason"),
    [
        ("stopped", Outcome.OUT_OF_BUDGET, "the cap"),
        ("user", Outcome.ENVIRONMENT, "a sentence for people"),
        ("environment", Outcome.ENVIRONMENT, "no disk"),
        ("bug", Outcome.ERROR, "A bug in Patchwright ended this run; its id is {run}."),
    ],
)
def test_every_error_is_an_ending_that_control_tells(
    redis: Redis, redis_url: str, tmp_path: Path, get: Callable[[str], Run], text: str, outcome: Outcome, reason: str
) -> None:
    one = job(text=text)
    dispatch(redis, one)
    env = worker_environment(redis_url, tmp_path, "service_runners:raise_it")
    with running(WORKER, env, tmp_path / "log") as process:
        until(lambda: get(one.run).state == "finished")
        log = process.text()
    ended = get(one.run)
    assert (ended.outcome, ended.reason, ended.told) == (outcome, reason.format(run=one.run), False)
    assert ended.usd == 0.25
    assert [r.id for r in Runs(redis, keep_s=KEEP_S).untold()] == [one.run]
    assert ("Traceback" in log) == (text == "bug"), "a bug leaves its traceback in the log, and only there"


def test_temporary_refusal_puts_the_run_off(
    redis: Redis, redis_url: str, tmp_path: Path, get: Callable[[str], Run]
) -> None:
    one = job(text="retry")
    dispatch(redis, one)
    env = worker_environment(redis_url, tmp_path, "service_runners:raise_it")
    with running(WORKER, env, tmp_path / "log"):
        until(lambda: get(one.run).state == "waiting")
    waiting = get(one.run)
    assert (waiting.waits, waiting.holder, waiting.reason) == (1, "", "limit reached")
    assert waiting.due_ms is not None
    assert not Runs(redis, keep_s=KEEP_S).owned(one.run)


def test_killed_horse_frees_its_run_at_once(
    redis: Redis, redis_url: str, tmp_path: Path, get: Callable[[str], Run]
) -> None:
    one = job(text="kill")
    dispatch(redis, one)
    env = worker_environment(redis_url, tmp_path, "service_runners:raise_it")
    with running(WORKER, env, tmp_path / "log") as process:
        until(lambda: get(one.run).lost == "1", timeout_s=5)
        assert process.alive
    assert (get(one.run).state, get(one.run).usd) == ("running", 0.25)


def test_horse_dies_with_its_worker(redis: Redis, redis_url: str, tmp_path: Path, get: Callable[[str], Run]) -> None:
    one = job()
    dispatch(redis, one)
    env = worker_environment(redis_url, tmp_path, "service_runners:patient")
    with running(WORKER, env, tmp_path / "log") as process:
        until(lambda: get(one.run).state == "running")
        (horse,) = children(process.pid)
        process.kill()
        until(lambda: not exists(horse), timeout_s=2)


def test_interrupted_worker_leaves_at_once_without_blame(
    redis: Redis, redis_url: str, tmp_path: Path, get: Callable[[str], Run]
) -> None:
    one = job()
    dispatch(redis, one)
    env = worker_environment(redis_url, tmp_path, "service_runners:patient")
    with running(WORKER, env, tmp_path / "log") as process:
        until(lambda: get(one.run).state == "running")
        (horse,) = children(process.pid)
        process.signal(signal.SIGINT)
        assert process.wait(5) == 0
        assert not exists(horse)
    assert get(one.run).lost == "0"


def test_stop_reaches_the_work_and_its_ending_is_told(
    redis: Redis, redis_url: str, tmp_path: Path, get: Callable[[str], Run]
) -> None:
    one = job()
    dispatch(redis, one)
    env = worker_environment(redis_url, tmp_path, "service_runners:patient")
    with running(WORKER, env, tmp_path / "log"):
        until(lambda: get(one.run).state == "running")
        Runs(redis, keep_s=KEEP_S).stop(one.run, "Stopped by @ann.")
        until(lambda: get(one.run).state == "finished")
    assert (get(one.run).outcome, get(one.run).told) == (Outcome.CANCELLED, True)


def test_foreign_job_in_the_queue_is_refused_by_a_real_worker(redis: Redis, redis_url: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    raw = Queue("now", connection=redis, serializer="json")
    evil = raw.enqueue("os.system", f"touch {mark}", job_id="evil")
    with running(WORKER, worker_environment(redis_url, tmp_path, "service_runners:work"), tmp_path / "log") as process:
        until(lambda: evil.get_status().value == "failed")
        assert process.alive
    assert not mark.exists()
    assert "not ours" in str(RunJob.fetch("evil", connection=redis, serializer="json").latest_result().exc_string)


def test_secrets_leave_the_environment_and_the_log(
    redis: Redis, redis_url: str, tmp_path: Path, get: Callable[[str], Run]
) -> None:
    canary = "canary-sk-value-0123456789"
    one = job(text=json.dumps({"show": canary}))
    dispatch(redis, one)
    more = {"ANTHROPIC_API_KEY": canary, "MY_TOKEN": canary, "GIT_SSH_COMMAND": canary, "DB_PASSWORD": canary}
    env = worker_environment(redis_url, tmp_path, "service_environment:show", **more)
    with running(WORKER, env, tmp_path / "log") as process:
        until(lambda: get(one.run).state == "finished")
        log = process.text()
        assert canary in environment_of(process.pid), "the worker itself was told"
    shown = get(one.run).result["environment"]
    assert "PATH=" in shown
    assert canary not in shown
    assert canary not in log
    assert "***" in log
    assert canary not in json.dumps(list(read(redis, one.run)))


def test_an_ending_holds_no_secret(redis: Redis, redis_url: str, tmp_path: Path, get: Callable[[str], Run]) -> None:
    canary = "canary-sk-value-0123456789"
    one, later = job(text=canary), job(text=f"later {canary}")
    env = worker_environment(redis_url, tmp_path, "service_runners:leak", ANTHROPIC_API_KEY=canary)
    for each in (one, later):
        dispatch(redis, each)
    with running(WORKER, env, tmp_path / "log"):
        until(lambda: get(one.run).state == "finished")
        until(lambda: get(later.run).state == "waiting")
    assert (get(one.run).reason, get(one.run).result) == (
        "It said ***.",
        {"said": ["***"], "seconds": 1.5, "url": None},
    )
    assert get(later.run).reason == "later ***"


def test_runner_that_is_not_there_is_told_in_one_sentence(redis_url: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"jobs\.nothing:run"):
        resolve(worker_settings(redis_url, tmp_path, "jobs.nothing:run").runner)


def test_unknown_queue_is_refused(monkeypatch: pytest.MonkeyPatch, redis_url: str, tmp_path: Path) -> None:
    for name, value in worker_environment(redis_url, tmp_path, "service_runners:work").items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UserError, match="no queue later: choose one of now, ci, night"):
        main("later")
    assert open_queue(Redis.from_url(redis_url), "now").count == 0
