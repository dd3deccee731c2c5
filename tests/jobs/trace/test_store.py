"""Traces: whole numbered events, secrets masked on the way in, fenced where a run can change hands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from redis import Redis
from service_jobs import KEEP_S, job

from jobs import keys
from jobs.errors import Fenced
from jobs.lease import Lease, give_up
from jobs.model.base import Request
from jobs.queue import dispatch
from jobs.redact import Redactor
from jobs.trace.bodies import Bodies
from jobs.trace.listen import Told
from jobs.trace.store import FileTrace, StreamTrace, read, read_file

REDACTOR = Redactor(["canary-secret-value"])


def test_file_holds_whole_events(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "trace.jsonl"
    trace = FileTrace(path, "r-1", REDACTOR)
    trace.emit("run.started", kind="fix")
    trace.emit("note", text="canary-secret-value", nested={"list": ["x canary-secret-value"]}, seq=99, run="other")
    first, second = read_file(path)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first.pop("at"))
    assert first == {"run": "r-1", "attempt": 1, "seq": 1, "type": "run.started", "kind": "fix"}
    assert (second["run"], second["seq"]) == ("r-1", 2), "the trace's own words can't be overwritten"
    assert "canary-secret-value" not in path.read_text()
    trace.close()


def test_a_file_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    for run in ("r-1", "r-2"):
        trace = FileTrace(path, run, REDACTOR)
        trace.emit("run.started")
        trace.close()
    assert [event["run"] for event in read_file(path)] == ["r-2"]


def test_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(json.dumps({"seq": 1}) + "\n" + '{"seq": 2, "ty')
    assert list(read_file(path)) == [{"seq": 1}]


def test_stream_is_fenced_and_read_back(redis: Redis) -> None:
    one = job()
    dispatch(redis, one)
    with Lease(redis, one.run, 1) as lease:
        trace = StreamTrace(lease, REDACTOR, keep_s=KEEP_S)
        trace.emit("run.started", text="canary-secret-value")
        trace.emit("round", n=1)
        give_up(redis, one.run, 1, died=True)
        with pytest.raises(Fenced):
            trace.emit("round", n=2)
    events = list(read(redis, one.run))
    assert [(e["type"], e["seq"], e["attempt"]) for e in events] == [("run.started", 1, 1), ("round", 2, 1)]
    assert events[0]["text"] == "***"
    assert 0 < redis.ttl(keys.trace(one.run)) <= KEEP_S
    assert [e["seq"] for e in read(redis, one.run, after=events[0]["id"])] == [2]


def test_bodies_of_requests_stay_out_of_the_stream(redis: Redis, tmp_path: Path) -> None:
    one, heard = job(), list[str]()
    dispatch(redis, one)
    text = "x" * 200_000
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    file = FileTrace(tmp_path / "trace.jsonl", one.run, REDACTOR)
    with Lease(redis, one.run, 1) as lease:
        stream = StreamTrace(lease, REDACTOR, keep_s=KEEP_S)
        for trace in (stream, file):
            told = Told(trace, lambda type, fields: heard.append(type))
            told.emit("round", n=1, request=Bodies(told).request(Request((), (), (message,), 100)))
    file.close()
    assert [(event["type"], event["seq"]) for event in read(redis, one.run)] == [("round", 1)]
    assert redis.memory_usage(keys.trace(one.run)) < 10_000
    assert heard == ["round", "round"]
    assert [event["type"] for event in read_file(tmp_path / "trace.jsonl")] == ["body", "body", "round"]
    assert text in (tmp_path / "trace.jsonl").read_text()


def test_event_that_was_sent_twice_is_read_once(redis: Redis) -> None:
    one = job()
    dispatch(redis, one)
    with Lease(redis, one.run, 1) as lease:
        StreamTrace(lease, REDACTOR, keep_s=KEEP_S).emit("round", n=1)
    redis.xadd(keys.trace(one.run), redis.xrange(keys.trace(one.run))[0][1])  # as a repeated command would
    assert [e["n"] for e in read(redis, one.run)] == [1]
