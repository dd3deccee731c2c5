"""Sets up logging for a process: one line an event, run and delivery on each, secrets masked on the way out."""

from __future__ import annotations

import contextvars
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TextIO

from jobs.redact import Redactor

_run: contextvars.ContextVar[str] = contextvars.ContextVar("run", default="")
_delivery: contextvars.ContextVar[str] = contextvars.ContextVar("delivery", default="")

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"run", "delivery", "message", "asctime", "color_message"}


@contextmanager
def about(*, run: str = "", delivery: str = "") -> Iterator[None]:
    """Puts the run or the delivery on every line logged inside."""
    tokens = [(var, var.set(value)) for var, value in ((_run, run), (_delivery, delivery)) if value]
    try:
        yield
    finally:
        for var, token in reversed(tokens):
            var.reset(token)


def set_up(redactor: Redactor, *, level: int = logging.INFO, stream: TextIO | None = None) -> None:
    """Makes the root logger write lines to `stream` (stderr) through `redactor`. Call it in entry points only."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.addFilter(_identify)
    handler.setFormatter(_Lines(redactor))
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)
    # They log each request and each idle second.
    for noisy in ("httpx", "httpx2", "httpcore", "githubkit", "rq.worker", "rq.queue", "rq.job"):
        logging.getLogger(noisy).setLevel(max(level, logging.WARNING))


def _identify(record: logging.LogRecord) -> bool:
    record.run, record.delivery = _run.get(), _delivery.get()
    return True


class _Lines(logging.Formatter):
    """`2026-11-30T12:00:00.000Z INFO jobs.worker run taken up attempt=1 run=r-…`, traceback below if there is one."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        fields = {k: v for k, v in vars(record).items() if k not in _STANDARD}
        named = {**fields, "run": vars(record).get("run", ""), "delivery": vars(record).get("delivery", "")}
        words = [at, record.levelname, record.name, record.getMessage()]
        words += [f"{name}={value!s}" for name, value in named.items() if value not in ("", None)]
        # One event is one line, whatever people wrote into it; control characters could drive a terminal.
        line = " ".join(words)
        if not line.isprintable():
            line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return self._redactor(line)
