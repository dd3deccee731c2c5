"""What of the tree a session has changed, its states, and whether it has seen anything that it could change."""

from __future__ import annotations

from hashlib import sha256

from jobs.agent.tools.spec import Bench


def changed(bench: Bench) -> list[str]:
    """Paths that the session changed and that are not as they were in the base."""
    base = bench.base
    return sorted(path for path, state in bench.touched.items() if base is None or state != _state(base(path)))


def in_view(bench: Bench) -> bool:
    """Whether something that can be changed was shown."""
    return bench.record is not None and any(
        seen.sha256 for call in bench.record.calls for path, seen in call.seen.items() if not path.startswith("/")
    )


def kept(bench: Bench, number: int) -> str | None:
    """Keeps the tree's state behind round `number`, where there is a place for states; its name if it is a new one."""
    if bench.checkpoints is None:
        return None
    before = bench.rounds.get(number - 1)
    bench.rounds[number] = name = bench.checkpoints.take()
    return name if name != before else None


def _state(data: bytes | None) -> str | None:
    return None if data is None else sha256(data).hexdigest()
