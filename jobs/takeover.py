"""What an attempt that died right after publishing left behind: its pull request, and the receipt that it kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jobs import messages
from jobs.github.client import GitHub
from jobs.job import Job
from jobs.publish import branch
from jobs.publish.receipt import Receipt, restored


def published(github: GitHub, job: Job, kept: Mapping[str, Any]) -> Receipt | None:
    """The receipt in `kept` with branch, commit and address as GitHub has them, if this run's pull request is there
    (open or closed); None if nothing was kept or nothing was published. Raises EnvironmentFault or Retry."""
    if not kept:
        return None
    mark = messages.marker(job.run)
    present = github.branches(f"{branch.name(job.kind, job.issue, '')}-")
    # People may have merged it and deleted its branch.
    for name in dict.fromkeys((str(kept["branch"]), *present)):
        for pull in github.pulls_by_head(name, "all"):
            if mark in pull.body and github.is_ours(pull.author):
                return replace(restored(kept), branch=pull.head_ref, commit=pull.head_sha, pr_url=pull.url)
    return None
