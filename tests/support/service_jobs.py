"""Jobs and settings for trials of the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jobs.inbox import new_id
from jobs.job import Job
from jobs.settings import WorkerSettings

KEEP_S = 3600


def job(**fields: Any) -> Job:
    """A job of repository 7; anything can be said otherwise."""
    given = {
        "run": new_id(),
        "kind": "fix",
        "repository_id": 7,
        "repository": "octo/app",
        "installation_id": 3,
        "issue": 1,
        "requester": "ann",
        "base_ref": "main",
        "base_sha": "0" * 40,
    }
    return Job(**{**given, **fields})


def worker_settings(url: str, data: Path, runner: str, **fields: Any) -> WorkerSettings:
    """A worker's settings without an environment."""
    given = {
        "GITHUB_APP_ID": "1",
        "GITHUB_APP_PRIVATE_KEY": "no key is needed here",
        "REDIS_URL": url,
        "PATCHWRIGHT_DATA": data,
        "PATCHWRIGHT_RUNNER": runner,
    }
    return WorkerSettings(**{**given, **fields})
