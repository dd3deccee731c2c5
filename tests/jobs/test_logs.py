"""Logs: one line an event, who it is about on each, nothing secret and nothing that drives a terminal."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator

import pytest

from jobs import logs
from jobs.redact import Redactor


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    text = io.StringIO()
    logs.set_up(Redactor(["canary-secret-value"]), stream=text)
    yield text
    root.handlers[:] = handlers
    root.setLevel(level)


def test_line_says_when_what_and_about_whom(stream: io.StringIO) -> None:
    with logs.about(run="r-1", delivery="d-1"):
        logging.getLogger("jobs.trial").info("run taken up", extra={"attempt": 2})
    logging.getLogger("jobs.trial").info("idle")
    first, second = stream.getvalue().splitlines()
    stamp = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    assert re.fullmatch(rf"{stamp} INFO jobs.trial run taken up attempt=2 run=r-1 delivery=d-1", first)
    assert re.fullmatch(rf"{stamp} INFO jobs.trial idle", second)


def test_secret_and_control_characters_do_not_get_out(stream: io.StringIO) -> None:
    text = "canary-secret-value\nfaked line\x1b[2J"
    logging.getLogger("jobs.trial").warning("said %s", text, extra={"more": text})
    try:
        raise ValueError(text)
    except ValueError:
        logging.getLogger("jobs.trial").exception("failed")
    out = stream.getvalue()
    assert "canary-secret-value" not in out
    assert "\\nfaked line\\x1b[2J" in out.splitlines()[0]
    assert "Traceback" in out


def test_noisy_libraries_are_quiet(stream: io.StringIO) -> None:
    logging.getLogger("httpx").info("GET …")
    logging.getLogger("rq.worker").info("listening")
    assert stream.getvalue() == ""
