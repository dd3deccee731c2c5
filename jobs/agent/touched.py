"""What of the tree a session has changed, and whether it has seen anything that it could change."""

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


def _state(data: bytes | None) -> str | None:
    return None if data is None else sha256(data).hexdigest()
