"""The command line's one error boundary: every error that is meant becomes one sentence and its exit code."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import NoReturn

from jobs.errors import Broken, EnvironmentFault, PatchwrightError, UserError, machine_fault
from jobs.outcome import EXIT_BUG, EXIT_ENVIRONMENT, EXIT_HONEST, EXIT_INTERRUPTED, EXIT_USAGE


def ended(command: Callable[[], None]) -> None:
    """Runs `command`; leaves with an exit code."""
    for ending in (signal.SIGTERM, signal.SIGHUP):  # end in as good order as Ctrl-C; servers set their own
        signal.signal(ending, signal.default_int_handler)
    try:
        command()
    except PatchwrightError as error:
        _fail(str(error), _code(error))
    except KeyboardInterrupt as stop:
        _fail(str(stop) or "interrupted", EXIT_INTERRUPTED)
    except BrokenPipeError:
        os._exit(EXIT_HONEST)  # whoever read our output went away; there is nobody left to tell
    except Broken as bug:
        _fail(f"{bug} Details are in {_report()}.", EXIT_BUG)
    except Exception as error:  # noqa: BLE001 - the command line's one boundary: a bug gets its exit code and a report
        fault = machine_fault(error) if isinstance(error, OSError) else None
        _fail(str(fault), EXIT_ENVIRONMENT) if fault else _fail(
            f"this is a bug in Patchwright; details are in {_report()}", EXIT_BUG
        )


def _code(error: PatchwrightError) -> int:
    if isinstance(error, UserError):
        return EXIT_USAGE
    return EXIT_ENVIRONMENT if isinstance(error, EnvironmentFault) else EXIT_HONEST


def _fail(sentence: str, code: int) -> NoReturn:
    sys.stderr.write(f"patchwright: {sentence}\n")
    sys.exit(code)


def _report() -> str:
    """Keeps the traceback for a report; where."""
    with tempfile.NamedTemporaryFile("w", prefix="patchwright-bug-", suffix=".txt", delete=False) as file:
        traceback.print_exc(file=file)
    return file.name
