"""The error tree. Pure.

    PatchwrightError
    ├── UserError         what was asked or configured can't be done; its text is shown as it is (exit 2)
    ├── EnvironmentFault  this machine, a service or the repository's set-up can't do it (exit 3)
    ├── Stopped           the run ends honestly with a given outcome (budget, stop command, moved branch …)
    ├── Retry             temporary; carries how long to wait
    └── Fenced            another attempt owns the run now: write nothing more

Anything else is a bug: logged with its traceback, told to people by run id only.
"""

from __future__ import annotations

import errno
from typing import Any

from jobs.outcome import Outcome

_DISK = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "permission was denied",
    errno.EMFILE: "too many files are open",
    errno.ENOMEM: "there is no memory left",
}


class PatchwrightError(Exception):
    """Base of every error that Patchwright raises on purpose; its text is one clear sentence."""


class UserError(PatchwrightError):
    """Wrong usage or configuration. The text says what is wrong and what to do."""


class EnvironmentFault(PatchwrightError):
    """The environment can't do it: sandbox, set-up, disk, a dead credential, a service away."""


class Stopped(PatchwrightError):
    """Ends the run with `outcome`; `reason` is for people."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason


class Retry(PatchwrightError):
    """A temporary refusal; try again after `after_s` seconds."""

    def __init__(self, reason: str, *, after_s: float) -> None:
        super().__init__(reason)
        self.after_s = after_s


class Fenced(PatchwrightError):
    """This attempt lost its lease; a newer one may be writing."""


class Broken(Exception):
    """A bug ended a run; its cause is chained. `result` is the receipt as JSON values, so that money, rounds and the
    patch are told all the same."""

    def __init__(self, sentence: str, result: dict[str, Any]) -> None:
        super().__init__(sentence)
        self.result = result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run; `result` is the receipt as JSON values."""

    def __init__(self, sentence: str, result: dict[str, Any]) -> None:
        super().__init__(sentence)
        self.result = result


def machine_fault(error: OSError) -> EnvironmentFault | None:
    """`error` in a sentence where this machine is to blame (full disk, no permission …); None where we are."""
    why = _DISK.get(error.errno or 0)
    if why is None:
        return None
    where = f" ({error.filename})" if error.filename else ""
    return EnvironmentFault(f"This machine can't do it: {why}{where}. Check the folder that PATCHWRIGHT_DATA names.")
