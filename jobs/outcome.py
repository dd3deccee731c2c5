"""How a run can end, how well it is proven, and which exit code says so. Pure."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """The closed list of endings; every run has exactly one."""

    FIXED = "fixed"
    ANSWERED = "answered"
    NO_CHANGE_NEEDED = "no_change_needed"
    NOT_REPRODUCED = "not_reproduced"
    FLAKY = "flaky"
    NOT_FIXED = "not_fixed"
    OUT_OF_BUDGET = "out_of_budget"
    BLOCKED = "blocked"
    STALE = "stale"
    CANCELLED = "cancelled"
    ENVIRONMENT = "environment"
    ERROR = "error"


class Level(StrEnum):
    """How strong the proof is, printed in every receipt."""

    A = "A"  # red to green reproduced, base's tests unmodified, per test id
    B = "B"  # base's tests per test id
    C = "C"  # exit code of a command only
    D = "D"  # could not run here


EXIT_OK, EXIT_HONEST, EXIT_USAGE, EXIT_ENVIRONMENT, EXIT_BUG, EXIT_INTERRUPTED = 0, 1, 2, 3, 4, 130

_EXIT = {
    Outcome.FIXED: EXIT_OK,
    Outcome.ANSWERED: EXIT_OK,
    Outcome.NO_CHANGE_NEEDED: EXIT_OK,
    Outcome.ENVIRONMENT: EXIT_ENVIRONMENT,
    Outcome.ERROR: EXIT_BUG,
}


def exit_code(outcome: Outcome) -> int:
    """The command line's exit code for a run that ended with `outcome`."""
    return _EXIT.get(outcome, EXIT_HONEST)
