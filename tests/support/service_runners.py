"""Runners for trials of the worker: real work of a simple kind, with outside effects that are looked for first."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from jobs.errors import EnvironmentFault, Retry, Stopped, UserError
from jobs.job import Job
from jobs.model.usage import Usage
from jobs.outcome import Outcome
from jobs.runs import Finished
from jobs.settings import WorkerSettings
from jobs.spend import Spend
from jobs.trace.events import Trace


def work(
    job: Job, *, trace: Trace, guard: Callable[[], None], spend: Spend, settings: WorkerSettings, data: Path
) -> Finished:
    """`text` is `<recorder url> <seconds>`: works that long, then makes a branch, a pull request and a comment."""
    recorder, seconds = job.text.split()
    if _create(recorder, "started", f"{job.run}", once=False):
        trace.emit("stage.started", stage="work")
    steps = max(1, int(float(seconds) / 0.1))
    for step in range(steps):
        time.sleep(float(seconds) / steps)
        if step % 5 == 0:
            guard()
    spend.add(0.01, Usage(input=100, output=10))
    for kind in ("branch", "pull", "comment"):
        guard()
        _create(recorder, kind, job.run, once=True)
    return Finished(Outcome.FIXED, "done", {"recorder": recorder})


def raise_it(
    job: Job, *, trace: Trace, guard: Callable[[], None], spend: Spend, settings: WorkerSettings, data: Path
) -> Finished:
    """Raises what `text` names."""
    spend.add(0.25, Usage(input=7))
    errors: dict[str, Exception] = {
        "stopped": Stopped(Outcome.OUT_OF_BUDGET, "the cap"),
        "user": UserError("a sentence for people"),
        "environment": EnvironmentFault("no disk"),
        "retry": Retry("limit reached", after_s=0.05),
        "bug": ZeroDivisionError("secret detail"),
    }
    if job.text == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    raise errors[job.text]


def leak(
    job: Job, *, trace: Trace, guard: Callable[[], None], spend: Spend, settings: WorkerSettings, data: Path
) -> Finished:
    """Says `text` in its ending, or puts the run off with it if it begins with `later`."""
    if job.text.startswith("later"):
        raise Retry(job.text, after_s=60)
    return Finished(Outcome.ANSWERED, f"It said {job.text}.", {"said": [job.text], "seconds": 1.5, "url": None})


def patient(
    job: Job, *, trace: Trace, guard: Callable[[], None], spend: Spend, settings: WorkerSettings, data: Path
) -> Finished:
    """Works until it is told to stop, then tells so outside, which needs the guard once more."""
    try:
        while True:
            time.sleep(0.02)
            guard()
    except Stopped as stopped:
        guard()
        return Finished(stopped.outcome, stopped.reason)


def _create(recorder: str, kind: str, run: str, *, once: bool) -> bool:
    url = f"{recorder}/{kind}/{run}"
    if once and _exists(url):
        return False
    body = f'{{"pid": {os.getpid()}, "at": {time.time()}}}'.encode()
    with urllib.request.urlopen(urllib.request.Request(url, data=body, method="POST"), timeout=5):
        return True


def _exists(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except urllib.error.HTTPError as missing:
        missing.close()
        return False


def busy(
    job: Job, *, trace: Trace, guard: Callable[[], None], spend: Spend, settings: WorkerSettings, data: Path
) -> Finished:
    """Keeps a core busy for `text` seconds by starting interpreters, as a run of a test suite does."""
    until = time.monotonic() + float(job.text)
    while time.monotonic() < until:
        subprocess.run([sys.executable, "-c", "import json, unittest, argparse"], check=True)
        guard()
    return Finished(Outcome.ANSWERED, "busy")
