"""One suspicious change. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One suspicious change. `kind` is a short word (test_deleted, skip_added, …); `blocks` says whether it ends
    the run as blocked or is only shown at the top of the pull request."""

    kind: str
    file: str
    line: int | None
    text: str
    blocks: bool
