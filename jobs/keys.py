"""The names of everything Patchwright keeps in Redis. Pure."""

from __future__ import annotations

_PREFIX = "patchwright"

TODO = f"{_PREFIX}:todo"  # sorted set: entry id -> when it is due (epoch milliseconds)
BELL = f"{_PREFIX}:bell"  # list of at most one element: wakes control
OPEN = f"{_PREFIX}:open"  # set: runs that are not finished
UNTOLD = f"{_PREFIX}:untold"  # set: finished runs whose ending nobody was told
RUNS = f"{_PREFIX}:runs"  # sorted set: run id -> when it was created (epoch milliseconds)
LEADER = f"{_PREFIX}:leader"  # string: which control leads


def entry(entry_id: str) -> str:
    """Hash: one inbox entry."""
    return f"{_PREFIX}:entry:{entry_id}"


def delivery(guid: str) -> str:
    """String: the entry that this delivery became."""
    return f"{_PREFIX}:delivery:{guid}"


def meaning(text: str) -> str:
    """String: the entry that what was meant became."""
    return f"{_PREFIX}:meaning:{text}"


def run(run_id: str) -> str:
    """Hash: one run's record."""
    return f"{_PREFIX}:run:{run_id}"


def lease(run_id: str) -> str:
    """String with a short life: who works on the run."""
    return f"{_PREFIX}:lease:{run_id}"


def spend(run_id: str) -> str:
    """Hash: each amount that was spent on the run, by an id that makes adding it twice harmless."""
    return f"{_PREFIX}:spend:{run_id}"


def trace(run_id: str) -> str:
    """Stream: the run's events."""
    return f"{_PREFIX}:trace:{run_id}"


def thread(repository_id: int, issue: int) -> str:
    """Sorted set: the runs of one issue or pull request, by when they were created."""
    return f"{_PREFIX}:thread:{repository_id}:{issue}"


def head(repository_id: int, pull: int, sha: str) -> str:
    """String: when a commit was first heard of as the head of a pull request (epoch milliseconds)."""
    return f"{_PREFIX}:head:{repository_id}:{pull}:{sha}"


def day(date: str, repository_id: int | None = None) -> str:
    """String: dollars spent by all runs, or by those of one repository, on one UTC day (YYYY-MM-DD)."""
    return f"{_PREFIX}:usd:{date}" + ("" if repository_id is None else f":{repository_id}")


def turns(key_hash: str) -> str:
    """Sorted set: the turns taken at one model key, by when they begin (epoch milliseconds)."""
    return f"{_PREFIX}:turns:{key_hash}"


def limits(key_hash: str) -> str:
    """Hash: what its endpoint said of a model key's requests and tokens a minute, and until when nobody may ask."""
    return f"{_PREFIX}:limits:{key_hash}"
