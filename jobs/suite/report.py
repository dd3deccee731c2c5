"""What one run of a suite said: per test where the runner has ids, else an exit code only. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

State = Literal["passed", "failed", "error", "skipped"]


@dataclass(frozen=True)
class Report:
    """One run of the suite (or of some tests) on one tree.

    `tests` maps test id to state, None where the runner gave no readable report (then only `exit_code`
    speaks). `failures` maps the ids that are red to their message, verbatim. `exit_code` is None if the
    command was ended (`ended` says why). `output` is the command's text, capped. `unready` says which service did not
    come up, and that no test ran for it.
    """

    command: str
    exit_code: int | None
    ended: str  # exit | timeout | output | killed
    seconds: float
    output: str
    tests: Mapping[str, State] | None
    failures: Mapping[str, str]
    unready: str = ""

    @property
    def green(self) -> bool:
        """True if the command exited with 0 and, where ids exist, none is red."""
        return self.exit_code == 0 and not self.red

    @property
    def red(self) -> frozenset[str]:
        """Ids that failed or had an error."""
        return self.ids("failed", "error")

    def ids(self, *states: State) -> frozenset[str]:
        """Ids in one of `states`."""
        return frozenset(t for t, s in (self.tests or {}).items() if s in states)

    @property
    def counts(self) -> dict[str, int] | None:
        """`{passed, failed, errors, skipped}`, None without ids."""
        if self.tests is None:
            return None
        seen = Counter(self.tests.values())
        return {
            "passed": seen["passed"],
            "failed": seen["failed"],
            "errors": seen["error"],
            "skipped": seen["skipped"],
        }
