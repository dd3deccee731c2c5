"""Runs a command beside the services that it needs: `services.py JSON COMMAND…`, JSON being [{"run": line, "ready":
line or null}].

Inside a cell. Each service is started in its order and waited for before the next. One that does not get ready ends
this with 125 and a sentence in /out/services.json. When the command ends the cell ends, and all in it. Standard
library only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_READY_S = 60.0
_SETTLES_S = 1.0  # without a command that tells, a service that still runs by then is taken for ready
_ASKED_S = 10.0  # the longest that one question may take
_PAUSE_S = 0.1
_SHOWN = 2000  # bytes of a service's last words
_NOT_READY = 125


class NotReady(Exception):
    """A service did not come up; says why."""


def start(run: str, ready: str | None, log: Path) -> None:
    """Starts one service and waits for it. Raises NotReady. One that goes to the background by itself ends with 0."""
    with log.open("wb") as out:
        shell = ["bash", "-c", run]
        service = subprocess.Popen(
            shell, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
    until = time.monotonic() + (_READY_S if ready else _SETTLES_S)
    while True:
        ended = service.poll()
        if ended:
            raise NotReady(f"it ended with {ended}")
        if ready and _says_yes(ready):
            return
        if time.monotonic() > until:
            break
        time.sleep(_PAUSE_S)
    if ready:
        raise NotReady(f"`{ready}` did not succeed within {_READY_S:.0f} s")


def _says_yes(ready: str) -> bool:
    try:
        asked = subprocess.run(["bash", "-c", ready], timeout=_ASKED_S, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return False
    return asked.returncode == 0


def main(argv: list[str]) -> int:
    """The status: the command's own, 128 and the signal's number where one ended it, or 125."""
    logs = Path(tempfile.mkdtemp(prefix="services-"))
    for number, service in enumerate(json.loads(argv[1])):
        log = logs / f"{number}.log"
        try:
            start(service["run"], service["ready"], log)
        except NotReady as why:
            said = log.read_bytes()[-_SHOWN:].decode("utf-8", "replace").strip()
            sentence = f"The service `{service['run']}` did not get ready: {why}." + (f"\n{said}" if said else "")
            Path("/out/services.json").write_text(json.dumps({"failed": sentence}))
            sys.stdout.write(f"{sentence}\n")
            return _NOT_READY
    status = subprocess.run(argv[2:], check=False).returncode
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    code = main(sys.argv)
    sys.stdout.flush()
    os._exit(code)
