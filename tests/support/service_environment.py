"""A runner that shows what its children can see."""

from __future__ import annotations

import json
import logging
import subprocess
from collections.abc import Callable
from pathlib import Path

from jobs.job import Job
from jobs.outcome import Outcome
from jobs.runs import Finished
from jobs.settings import WorkerSettings
from jobs.spend import Spend
from jobs.trace.events import Trace


def show(
    job: Job, *, trace: Trace, guard: Callable[[], None], spend: Spend, settings: WorkerSettings, data: Path
) -> Finished:
    """Starts `env` with the inherited environment; logs and traces the text that it was told to show."""
    text = json.loads(job.text)["show"]
    logging.getLogger("jobs.trial").info("shown", extra={"text": text, "header": f"Authorization: Bearer {text}"})
    trace.emit("note", text=text, nested=[{"deep": f"x {text} y"}])
    shown = subprocess.run(["env"], capture_output=True, text=True, check=True).stdout
    return Finished(Outcome.ANSWERED, "shown", {"environment": shown})
